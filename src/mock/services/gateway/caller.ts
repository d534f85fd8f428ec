import type { Identity } from '../../../jwt/claims.js';
import { sessionTokens, ssoSessionCookie } from '../../../jwt/session-cookie.js';
import { authenticates } from '../../config/settings.js';
import type { Platform } from '../../platform.js';
import type { Exchange } from '../../wire/exchange.js';
import { bearerToken } from '../access.js';
import { mayCreateToken } from '../authentication.js';
import { ownerOf } from '../decisions.js';

/** The caller as the gateway knows it. */
export interface Caller extends Omit<Identity, 'lifetimeMs'> {
  /** True if a cookie holds the token. */
  readonly byCookie: boolean;
  /** The token that the caller sent; undefined for a session of mode SSO. */
  readonly token: string | undefined;
}

/**
 * Identifies the caller: by its bearer token, else by the first valid token in a cookie, else, in mode SSO, by its
 * session. Invalid ones are skipped. Source: docs/wire.md, "The gateway".
 */
export async function identify({ request: { headers } }: Exchange, platform: Platform): Promise<Caller | undefined> {
  const { authentication } = platform.settings;
  if (!authenticates(platform.settings)) return undefined;
  const cookies = headers.get('cookie') ?? '';
  const bearer = bearerToken(headers.get('authorization') ?? '');
  for (const [index, token] of [bearer ?? '', ...sessionTokens(cookies)].entries()) {
    const verdict = await platform.tokens.verify(token);
    if (verdict.valid) return { ...verdict.identity, byCookie: index > 0, token };
  }
  if (authentication.mode !== 'SSO') return undefined;
  for (const id of sessionTokens(cookies, ssoSessionCookie)) {
    const session = platform.store.sessions.get(id);
    if (session !== undefined && session.endsAt > platform.clock.now())
      return { user: session.user, groups: [], byCookie: false, token: undefined };
  }
  return undefined;
}

const lifetimeMs = 300_000;
const reusedMs = 60_000;

/**
 * Creates the token that a service gets instead of the caller's, or takes the last one if it is recent. Undefined if
 * the caller lacks the permission.
 */
export async function renderToken(exchange: Exchange, platform: Platform, caller: Caller): Promise<string | undefined> {
  const { user = '', groups } = caller;
  const name = JSON.stringify([user, groups]);
  const at = platform.clock.now();
  const last = platform.store.rendered.get(name);
  if (last !== undefined && Math.abs(at - last.at) < reusedMs) return last.token;
  const subject = platform.fidelity.gateChecksCaller ? ownerOf(caller) : { user, roles: [] };
  if (!mayCreateToken(exchange, platform, subject, user)) return undefined;
  const token = await platform.tokens.sign({ user, groups, lifetimeMs });
  platform.store.rendered.set(name, { token, at });
  return token;
}
