/** The name of the platform's session cookie. */
export const sessionCookie = 'X-ArangoDB-Token-JWT';

/** The cookies of mode SSO: the session, the path to return to after signing in, and the state of the redirect. */
export const ssoSessionCookie = 'X-ArangoDB-OpenID-Session-ID';
export const ssoRedirectCookie = 'X-ArangoDB-OpenID-Redirect';
export const ssoStateCookie = 'X-ArangoDB-OpenID-State';

/** Returns the values of the session cookies in a `Cookie` header, in order; of another cookie if `name` is given. */
export function sessionTokens(cookies: string, name: string = sessionCookie): string[] {
  const tokens: string[] = [];
  for (const pair of cookies.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) tokens.push(pair.slice(at + 1).trim());
  }
  return tokens;
}
