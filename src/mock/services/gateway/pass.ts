import { authenticates } from '../../config/settings.js';
import type { Platform } from '../../platform.js';
import type { Exchange } from '../../wire/exchange.js';
import { json, type NeutralResponse } from '../../wire/http.js';
import { identify, renderToken } from './caller.js';
import { redirectToProvider } from './sign-in.js';

/** How a route of the gateway authenticates its requests. */
export interface Access {
  readonly authentication: 'required' | 'optional';
  /** The credentials that are passed on: a new token, the caller's own, or none. */
  readonly passMode: 'override' | 'pass' | 'remove';
}

/** The header with the id of a request, which its answer has, too. */
export const requestIdHeader = 'x-arango-platform-request-id';

/** The access of the built-in routes. */
const own: Access = { authentication: 'optional', passMode: 'pass' };

/** The built-in paths that are not redirected to the provider. */
const direct = /^\/(?:_identity|_login|_logout|_open\/auth|oauth2\/idpresponse)$/;

/**
 * Authenticates a request and sets the headers that are passed on. Returns the gateway's own answer, if any.
 * Source: docs/wire.md, "The headers that a service gets".
 */
export async function pass(
  exchange: Exchange,
  platform: Platform,
  access?: Access,
): Promise<NeutralResponse | undefined> {
  const { authentication, passMode } = access ?? own;
  const { settings } = platform;
  const set = (name: string, value: string): void => {
    exchange.headers = new Map([...exchange.headers.entries(), [name, value]]);
  };
  const caller = await identify(exchange, platform);
  if (caller !== undefined) {
    const isKept = passMode === 'pass';
    let token: string | undefined = '';
    if (passMode !== 'remove') {
      token = (isKept ? caller.token : undefined) ?? (await renderToken(exchange, platform, caller));
      if (token === undefined) return json({ message: 'Unable to render token' }, 401);
      exchange.user = caller.user ?? '';
    }
    set('authorization', token && `bearer ${token}`);
    if (caller.byCookie && !isKept) set('cookie', '');
  } else if (authenticates(settings)) {
    if (settings.authentication.mode === 'SSO' && !direct.test(exchange.request.path))
      return redirectToProvider(exchange);
    if (authentication === 'required') return json({ message: 'Unauthorized' }, 401);
    if (access !== undefined) set('arangodb-platform-authenticated', 'false');
  }
  if (access !== undefined) set(requestIdHeader, crypto.randomUUID());
  return undefined;
}

/** True if the gateway changes or redirects requests to the built-in routes that have these headers. */
export function concerns({ request: { headers } }: Exchange, { settings }: Platform): boolean {
  return authenticates(settings) && (settings.authentication.mode === 'SSO' || Boolean(headers.get('cookie')));
}
