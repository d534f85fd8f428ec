import { sessionTokens } from '../jwt/session-cookie.js';
import type { ReadRequest } from './request.js';

/** What a request says of who sent it. */
export type Caller =
  | { readonly token: string }
  /**
   * `none`: it brings no token; `bad`: what it brings cannot be one; `forged`: it may come from the page of another
   * site.
   */
  | { readonly token?: undefined; readonly problem: 'none' | 'bad' | 'forged' };

/** How a guard reads callers. */
export interface CallerRules {
  readonly cookies: boolean;
  readonly origins: readonly string[];
}

const longestToken = 16_384;
const scheme = /^bearer(?: +|$)/i;
// The characters that a bearer token may have.
const characters = /^[\w.~+/-]+=*$/;

const readBearerToken = (token: string): Caller =>
  token.length <= longestToken && characters.test(token) ? { token } : { problem: 'bad' };

/** Whether a request only reads. A WebSocket begins with a GET, and then does whatever the service lets it do. */
const onlyReads = ({ method, header }: ReadRequest): boolean =>
  (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && header('upgrade')?.toLowerCase() !== 'websocket';

/** Whether a browser says that a page of this service, or of a named origin, sent it. */
function isOwnPage({ origin: own, header }: ReadRequest, origins: readonly string[]): boolean {
  if (header('sec-fetch-site') === 'same-origin') return true;
  const origin = header('origin');
  return typeof origin === 'string' && (origin === own() || origins.includes(origin));
}

/**
 * The token of a request: its bearer token, else its session cookie where cookies count. A browser sends a cookie with
 * requests that other sites make, so what changes something also has to come from a page of this service.
 */
export function readCaller(request: ReadRequest, { cookies, origins }: CallerRules): Caller {
  const authorization = request.header('authorization');
  if (authorization === null) return { problem: 'bad' };
  const value = authorization?.trim();
  // Another scheme is no wrong token, and no reason to look for a cookie, either.
  if (value) return scheme.test(value) ? readBearerToken(value.replace(scheme, '')) : { problem: 'none' };
  const [token] = cookies ? sessionTokens(request.header('cookie') ?? '') : [];
  if (!token) return { problem: 'none' };
  return onlyReads(request) || isOwnPage(request, origins) ? readBearerToken(token) : { problem: 'forged' };
}
