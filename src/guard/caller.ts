import type { ReadRequest } from './request.js';

/** The cookie in which the platform keeps a session. */
export const sessionCookie = 'X-ArangoDB-Token-JWT';

/** What a request says of who sent it. */
export type Caller =
  | { readonly token: string }
  /** `none`: it says nothing; `bad`: it says something that is no token; `forged`: it may come from the page of another site. */
  | { readonly token?: undefined; readonly problem: 'none' | 'bad' | 'forged' };

/** How a guard reads callers. */
export interface CallerRules {
  readonly cookies: boolean;
  readonly origins: readonly string[];
}

const longestToken = 16_384;
// The characters of a bearer token (RFC 6750).
const bearer = /^bearer +([\w.~+/-]+=*)$/i;
const harmless: ReadonlySet<string | undefined> = /* @__PURE__ */ new Set(['GET', 'HEAD', 'OPTIONS']);

function cookieValue(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Whether a browser says that a page of this service, or of a named origin, sent it. */
function isOwnPage({ origin: own, header }: ReadRequest, origins: readonly string[]): boolean {
  if (header('sec-fetch-site') === 'same-origin') return true;
  const origin = header('origin');
  return typeof origin === 'string' && (origin === own || origins.includes(origin));
}

/**
 * The token of a request: its bearer token, else its session cookie where cookies count. A browser sends a cookie with requests
 * that other sites make, so what changes something also has to come from a page of this service.
 */
export function readCaller(request: ReadRequest, { cookies, origins }: CallerRules): Caller {
  const authorization = request.header('authorization');
  if (authorization === null) return { problem: 'bad' };
  if (authorization?.trim()) {
    if (authorization.length > longestToken + 'Bearer '.length) return { problem: 'bad' };
    const token = bearer.exec(authorization.trim())?.[1];
    return token === undefined ? { problem: 'bad' } : { token };
  }
  const token = cookies ? cookieValue(request.header('cookie') ?? '', sessionCookie) : undefined;
  if (!token) return { problem: 'none' };
  if (!harmless.has(request.method) && !isOwnPage(request, origins)) return { problem: 'forged' };
  return token.length > longestToken || !/^[\w.~+/-]+=*$/.test(token) ? { problem: 'bad' } : { token };
}
