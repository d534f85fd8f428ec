import { createClient, credentials, isSignInRequired } from 'arango-services';

/** What the page shows at once. */
export const questions = [{ action: 'orders:write', resource: 'orders' }];

export const platform = createClient({
  url: process.env.ARANGO_URL ?? 'http://localhost:8529',
  database: 'shop',
  timeout: 10_000,
});

/** The token of the request that is rendered: of the gateway, else of the cookie of a login. */
export function readToken(headers: Headers): string | undefined {
  const [, bearer] = /^bearer +([\w.-]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const [, cookie] = /(?:^|; *)X-ArangoDB-Token-JWT=([\w.-]+)/.exec(headers.get('cookie') ?? '') ?? [];
  return bearer ?? cookie;
}

/** The caller's name and answers; undefined if the caller has to sign in. */
export async function readPermissions(headers: Headers, items: typeof questions) {
  const token = readToken(headers);
  if (token === undefined) return undefined;
  const { authentication, authorization } = platform.with({ credentials: credentials.bearer(token) });
  const at = Date.now();
  try {
    const { user } = await authentication.identity();
    const decided = await authorization.evaluateMany({ self: true, items });
    return { user, at, items: items.map((item, i) => ({ ...item, allowed: decided.items[i]?.allowed === true })) };
  } catch (error) {
    if (isSignInRequired(error)) return undefined;
    throw error;
  }
}
