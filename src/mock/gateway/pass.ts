import { authenticates } from '../config/mock-config.js';
import type { Platform } from '../platform.js';
import { mayCreateToken } from '../services/authentication.js';
import { bearerToken, cookieTokens, ssoTokens } from '../services/presented-tokens.js';
import { json, type NeutralResponse, type ReadableHeaders } from '../wire/http.js';
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

/** Finds the first valid token, in the order in which the gateway looks: an invalid one is not an error. */
async function findToken(headers: ReadableHeaders, platform: Platform) {
  const tokens = {
    header: [bearerToken(headers.get('authorization') ?? '') ?? ''],
    cookie: cookieTokens(headers, platform),
    session: ssoTokens(headers.get('cookie') ?? '', platform),
  };
  for (const place of ['header', 'cookie', 'session'] as const) {
    for (const token of tokens[place]) {
      const verdict = await platform.tokens.verify(token);
      if (verdict.valid) return { place, token, identity: verdict.identity };
    }
  }
  return undefined;
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
  const { settings } = platform;
  const { headers, path } = exchange.request;
  const passed = new Map(headers.entries());
  const authorize = async (): Promise<NeutralResponse | undefined> => {
    const credential = await findToken(headers, platform);
    if (credential !== undefined) {
      const { place, token } = credential;
      const { user, groups } = credential.identity;
      const isKept = access === undefined || access.passMode === 'pass';
      let sent: string | undefined = '';
      if (access?.passMode !== 'remove') {
        const isOwn = isKept && place !== 'session';
        sent = isOwn ? token : await renderToken(exchange, platform, { user, roles: groups });
        if (sent === undefined) return json({ message: 'Unable to render token' }, 401);
        exchange.user = user ?? '';
        exchange.groups = groups;
      }
      passed.set('authorization', sent && `bearer ${sent}`);
      if (place === 'cookie' && !isKept) passed.set('cookie', '');
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
