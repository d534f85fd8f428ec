import { authenticates } from '../config/mock-config.js';
import type { Platform } from '../platform.js';
import { mayCreateToken } from '../services/authentication.js';
import { bearerToken, cookieTokens, ssoTokens } from '../services/presented-tokens.js';
import { json, type NeutralResponse } from '../wire/http.js';
import type { RequestSubject } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** How a route of the gateway authenticates its requests. */
export interface GatewayAccess {
  readonly authentication: 'required' | 'optional';
  /** The credentials that are passed on: a new token, the caller's own, or none. */
  readonly passMode: 'override' | 'pass' | 'remove';
}

/** The built-in paths that are not redirected to the provider. */
const direct = /^\/(?:_identity|_log(?:in|out)|_open\/auth|oauth2\/idpresponse)$/;

/**
 * Creates the token that a service gets instead of the caller's, or reuses the last one if it is recent. Undefined if
 * the caller lacks the permission.
 */
async function renderToken(
  exchange: Exchange,
  platform: Platform,
  caller: RequestSubject,
): Promise<string | undefined> {
  const { user = '', roles: groups } = caller;
  const name = JSON.stringify([user, groups]);
  const last = platform.store.rendered.get(name) ?? '';
  const verdict = await platform.tokens.verify(last);
  if (verdict.valid && verdict.identity.lifetimeMs > 240_000) return last;
  const subject = platform.fidelity.gateChecksCaller ? caller : { user, roles: [] };
  if (!mayCreateToken(exchange, platform, subject, user)) return undefined;
  const token = await platform.tokens.sign({ user, groups, lifetimeMs: 300_000 });
  platform.store.rendered.set(name, token);
  return token;
}

/**
 * Authenticates a request and sets the headers that are passed on. Returns the gateway's own answer, if any. Without
 * `access`, for a built-in route: authentication is optional, and credentials are passed on.
 * Source: docs/wire.md, "The headers that a service gets".
 */
export async function pass(
  exchange: Exchange,
  platform: Platform,
  access?: GatewayAccess,
): Promise<NeutralResponse | undefined> {
  const { settings, tokens } = platform;
  const { headers, path } = exchange.request;
  const passed = new Map(headers.entries());
  const authorize = async (): Promise<NeutralResponse | undefined> => {
    const cookies = headers.get('cookie') ?? '';
    const ownCookies = cookieTokens(headers, platform);
    const sessions = ssoTokens(cookies, platform);
    const bearer = bearerToken(headers.get('authorization') ?? '') ?? '';
    // An invalid one is not an error: the next one is tried.
    for (const [index, token] of [bearer, ...ownCookies, ...sessions].entries()) {
      const verdict = await tokens.verify(token);
      if (!verdict.valid) continue;
      const { user, groups } = verdict.identity;
      const isKept = access === undefined || access.passMode === 'pass';
      let sent: string | undefined = '';
      if (access?.passMode !== 'remove') {
        const isSession = index > ownCookies.length;
        sent = isKept && !isSession ? token : await renderToken(exchange, platform, { user, roles: groups });
        if (sent === undefined) return json({ message: 'Unable to render token' }, 401);
        exchange.user = user ?? '';
        exchange.groups = groups;
      }
      passed.set('authorization', sent && `bearer ${sent}`);
      if (index > 0 && index <= ownCookies.length && !isKept) passed.set('cookie', '');
      return undefined;
    }
    // Loaded only in mode SSO.
    if (settings.authentication.mode === 'SSO' && !direct.test(path))
      return (await import('./sso.js')).redirectToProvider(exchange);
    if (access?.authentication === 'required') return json({ message: 'Unauthorized' }, 401);
    if (access !== undefined) passed.set('arangodb-platform-authenticated', 'false');
    return undefined;
  };
  const refused = authenticates(settings) ? await authorize() : undefined;
  exchange.headers = passed;
  return refused;
}
