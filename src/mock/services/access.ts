import { endlessMs, type Identity } from '../../jwt/claims.js';
import { sessionTokens } from '../../jwt/session-cookie.js';
import { authenticates } from '../config/settings.js';
import type { Platform } from '../platform.js';
import type { TokenVerdict } from '../state/tokens.js';
import type { Exchange } from '../wire/exchange.js';
import { DatabaseFailure, type HeaderSource } from '../wire/http.js';

/** The token of a request: its bearer token, or in mode SSO its session cookie where it has no `Authorization`. */
export function requestToken(headers: HeaderSource, platform: Platform): string | undefined {
  const header = headers.get('authorization');
  if (header != null && header !== '') {
    const token = header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : '';
    return token === '' ? undefined : token;
  }
  return platform.settings.authentication.mode === 'SSO' ? sessionTokens(headers.get('cookie') ?? '')[0] : undefined;
}

const anyone: Identity = { user: undefined, groups: [], lifetimeMs: endlessMs };

/** Who a token belongs to; without authentication everybody is the superuser. */
export function judgeToken(platform: Platform, token: string): TokenVerdict | Promise<TokenVerdict> {
  return authenticates(platform.settings) ? platform.tokens.verify(token) : { valid: true, identity: anyone };
}

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true });

/** User and password of basic credentials, in UTF-8. */
function basicCredentials(header: string): { user: string; password: string } | undefined {
  if (header.slice(0, 6).toLowerCase() !== 'basic ') return undefined;
  try {
    const bytes = atob(header.slice(6));
    const ascii = /^[\x20-\x7e]*$/.test(bytes);
    const text = ascii ? bytes : utf8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    const at = text.indexOf(':');
    return at < 0 ? undefined : { user: text.slice(0, at), password: text.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** Whether this is a user's password. */
export function isPassword({ store }: Platform, user: string, password: string): boolean {
  return store.users.get(user) === password;
}

/**
 * The rule below `/_db` and `/_api`: a valid token or a user's basic credentials, else 401 in the database's form.
 * Answers at once where it can.
 */
export function admit(exchange: Exchange, platform: Platform): void | Promise<void> {
  if (!authenticates(platform.settings)) return;
  const { headers } = exchange.request;
  const basic = basicCredentials(headers.get('authorization') ?? '');
  if (basic !== undefined) {
    if (!isPassword(platform, basic.user, basic.password)) throw unauthorized();
    exchange.user = basic.user;
    return;
  }
  const token = requestToken(headers, platform);
  if (token === undefined) throw unauthorized();
  const accept = (verdict: TokenVerdict): void => {
    if (!verdict.valid) throw unauthorized();
    exchange.user = verdict.identity.user ?? 'root';
  };
  const verdict = platform.tokens.verify(token);
  return verdict instanceof Promise ? verdict.then(accept) : accept(verdict);
}

function unauthorized(): DatabaseFailure {
  return new DatabaseFailure(401, 11, 'not authorized to execute this request');
}
