import { sessionTokens } from '../../base/jwt/session-cookie.js';
import { longestToken } from '../../base/lib/readers.js';
import type { ReadRequest } from './guarded-request.js';

/** The token of a request, or the reason why there is none. */
export type Caller =
  | { readonly token: string; readonly problem: undefined }
  /**
   * `none`: the request has no token; `bad`: its token is malformed; `forged`: it may come from another site's page.
   */
  | { readonly token: undefined; readonly problem: 'none' | 'bad' | 'forged' };

/** The options for reading the token of a request. */
export type CallerRules = { readonly cookies: boolean; readonly origins: readonly string[] };

const scheme = /^bearer(?: +|$)/i;
// The characters allowed in a bearer token.
const characters = /^[\w.~+/-]+=*$/;

// Both fields are always own properties, so that a token from a polluted prototype does not count.
const withoutToken = (problem: 'none' | 'bad' | 'forged'): Caller => ({ token: undefined, problem });

const readBearerToken = (token: string): Caller =>
  token.length <= longestToken && characters.test(token) ? { token, problem: undefined } : withoutToken('bad');

/** True for a read-only request. A WebSocket upgrade is a GET, but may go on to change things. */
const onlyReads = ({ method, header }: ReadRequest): boolean =>
  (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && header('upgrade') === undefined;

/**
 * True if a page of this service, or of one of `origins`, sent the request. Behind a proxy the request's own origin may
 * differ from the one in the browser, so `Sec-Fetch-Site` overrides it; `origins` are the service's own choice.
 */
function isOwnPage({ origin: readOrigin, header }: ReadRequest, origins: readonly string[]): boolean {
  const site = header('sec-fetch-site');
  if (site === 'same-origin') return true;
  const origin = header('origin');
  if (typeof origin !== 'string') return false;
  return origins.includes(origin) || ((site === undefined || site === 'none') && origin === readOrigin());
}

/**
 * Reads the token of a request: its bearer token, else its session cookie if `cookies` is set. No other header, cookie
 * or part of the URL identifies the caller, because gateways do not strip them. Browsers send cookies with requests
 * from other sites, too, so a request that is not read-only must also come from a page of this service.
 */
export function readCaller(request: ReadRequest, { cookies, origins }: CallerRules): Caller {
  const authorization = request.header('authorization');
  // Some frameworks parse headers, and a parsed value is not a token.
  if (authorization !== undefined && typeof authorization !== 'string') return withoutToken('bad');
  const value = authorization?.trim();
  // Another scheme is neither a bad token nor a reason to fall back to the cookie.
  if (value) return scheme.test(value) ? readBearerToken(value.replace(scheme, '')) : withoutToken('none');
  const [token] = cookies ? sessionTokens(request.cookies()) : [];
  if (!token) return withoutToken('none');
  return onlyReads(request) || isOwnPage(request, origins) ? readBearerToken(token) : withoutToken('forged');
}
