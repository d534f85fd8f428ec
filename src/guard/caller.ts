import { sessionTokens } from '../jwt/session-cookie.js';
import type { ReadRequest } from './request.js';

/** The token of a request, or the reason why it has none. */
export type Caller =
  | { readonly token: string; readonly problem: undefined }
  /**
   * `none`: it brings no token; `bad`: what it brings cannot be one; `forged`: it may come from the page of another
   * site.
   */
  | { readonly token: undefined; readonly problem: 'none' | 'bad' | 'forged' };

/** How a guard reads callers. */
export interface CallerRules {
  readonly cookies: boolean;
  readonly origins: readonly string[];
}

const longestToken = 16_384;
const scheme = /^bearer(?: +|$)/i;
// The characters that a bearer token may have.
const characters = /^[\w.~+/-]+=*$/;

// Both fields are own ones in each case: a token from a polluted prototype must not count.
const withoutToken = (problem: 'none' | 'bad' | 'forged'): Caller => ({ token: undefined, problem });

const readBearerToken = (token: string): Caller =>
  token.length <= longestToken && characters.test(token) ? { token, problem: undefined } : withoutToken('bad');

/** True for a request that only reads. A WebSocket begins with a GET, and then does whatever the service lets it do. */
const onlyReads = ({ method, header }: ReadRequest): boolean =>
  (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && header('upgrade') === undefined;

/**
 * True if a page of this service, or of a named origin, sent a request. Behind a proxy the request's own origin may
 * differ from the one that the browser sees, so `Sec-Fetch-Site` overrides it; a named origin is the service's choice.
 */
function isOwnPage({ origin: own, header }: ReadRequest, origins: readonly string[]): boolean {
  const site = header('sec-fetch-site');
  if (site === 'same-origin') return true;
  const origin = header('origin');
  if (typeof origin !== 'string') return false;
  return origins.includes(origin) || ((site === undefined || site === 'none') && origin === own());
}

/**
 * The token of a request: its bearer token, else its session cookie if cookies count. No other header, cookie or part
 * of the URL names the caller: a gateway does not strip them. A browser sends a cookie with requests that other sites
 * make, so a request that changes something also has to come from a page of this service.
 */
export function readCaller(request: ReadRequest, { cookies, origins }: CallerRules): Caller {
  const authorization = request.header('authorization');
  // Some frameworks parse headers: a value that is not text is not a token, either.
  if (authorization !== undefined && typeof authorization !== 'string') return withoutToken('bad');
  const value = authorization?.trim();
  // Another scheme is not a wrong token, and not a reason to look for a cookie, either.
  if (value) return scheme.test(value) ? readBearerToken(value.replace(scheme, '')) : withoutToken('none');
  const [token] = cookies ? sessionTokens(request.cookies()) : [];
  if (!token) return withoutToken('none');
  return onlyReads(request) || isOwnPage(request, origins) ? readBearerToken(token) : withoutToken('forged');
}
