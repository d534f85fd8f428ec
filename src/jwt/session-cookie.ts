/** The name of the platform's session cookie. */
export const sessionCookie = 'X-ArangoDB-Token-JWT';

/** Returns the tokens of the session cookies in a `Cookie` header, in order. */
export function sessionTokens(cookies: string): string[] {
  const tokens: string[] = [];
  for (const pair of cookies.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === sessionCookie) tokens.push(pair.slice(at + 1).trim());
  }
  return tokens;
}
