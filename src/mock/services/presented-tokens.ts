import { endlessMs, type Identity } from '../../base/jwt/claims.js';
import { sessionTokens, ssoSessionCookie } from '../../base/jwt/session-cookie.js';
import { authenticates } from '../config/mock-config.js';
import type { Platform } from '../platform.js';
import type { TokenVerdict } from '../state/tokens.js';
import { readTimeout } from '../wire/grpc-gateway.js';
import { DatabaseFailure, type ReadableHeaders, ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { notUtf8 } from '../wire/path-rules.js';

/** The token of a bearer authorization, whose scheme is in any case. */
export const bearerToken = (authorization: string): string | undefined => /^bearer (.+)/is.exec(authorization)?.[1];

/** The tokens of the sessions of single sign-on in a `Cookie` header. */
export const ssoTokens = (cookies: string, { store }: Platform): string[] =>
  sessionTokens(cookies, ssoSessionCookie).flatMap((id) => store.sessions.get(id) ?? []);

/** The tokens in the cookies of a request; none if the gateway has cookies disabled. */
export const cookieTokens = (headers: ReadableHeaders, { settings }: Platform): string[] =>
  settings.gateway.cookiesSupport ? sessionTokens(headers.get('cookie') ?? '') : [];

/** The token of a request: its bearer token, or in mode SSO its session cookie if it has no authorization. */
function requestToken(authorization: string, headers: ReadableHeaders, platform: Platform): string | undefined {
  if (authorization !== '') return bearerToken(authorization);
  return platform.settings.authentication.mode === 'SSO' ? cookieTokens(headers, platform)[0] : undefined;
}

const printable = /^[\x20-\x7e]*$/;

/**
 * The authorization of a call to the services, if any. Their gateway forwards `Grpc-Metadata-Authorization` as one. If
 * there are two, neither counts: the result is an unknown scheme.
 */
export function serviceAuthorization({ headers, request }: Exchange, { fidelity }: Platform): string | undefined {
  if (request.twoAuthorizations) return 'two';
  const sent = headers.get('authorization') || undefined;
  if (!fidelity.gatewayHeaders) return sent;
  const other = headers.get('grpc-metadata-authorization') || undefined;
  if (other === undefined || !printable.test(other)) return sent;
  return sent === undefined ? other : 'two';
}

/** The token of a call to the services. */
export function serviceToken(exchange: Exchange, platform: Platform): string | undefined {
  return requestToken(serviceAuthorization(exchange, platform) ?? '', exchange.headers, platform);
}

/** Refuses a deadline or a binary header that the services' gateway cannot read. */
export function readMetadata(exchange: Exchange): void {
  readTimeout(exchange);
  for (const [name, value] of exchange.headers.entries()) {
    if (!/^grpc-metadata.*-bin$/.test(name)) continue;
    try {
      atob(value);
    } catch {
      throw new ServiceFailure(3, `invalid binary header ${name}`);
    }
  }
}

/** Refuses a call that the services' gateway cannot send over gRPC, or not before the caller's deadline. */
export function checkCall({ headers, isLate, params }: Exchange, { fidelity }: Platform): void {
  const refuse = (is: boolean, why: string, code: 4 | 13 = 13): void => {
    if (is) throw new ServiceFailure(code, why);
  };
  if (fidelity.gatewayHeaders) {
    const isSent = (name: string) => printable.test(headers.get(name) ?? '\n');
    const odd = 'header key "authorization" contains value with non-printable ASCII characters';
    refuse(!printable.test(headers.get('authorization') ?? ''), odd);
    refuse(isSent('grpc-metadata-'), 'there is an empty key in the header');
    const reset = 'stream terminated by RST_STREAM with error code: PROTOCOL_ERROR';
    refuse(isSent('grpc-metadata-connection'), reset);
  }
  refuse(isLate, 'context deadline exceeded', 4);
  refuse(Object.values(params).includes(notUtf8), 'grpc: error while marshaling: string field contains invalid UTF-8');
}

const anyone: Identity = { user: undefined, groups: [], lifetimeMs: endlessMs };

/** Verifies a token. Without authentication, every caller is the superuser. */
export function judgeToken(platform: Platform, token: string): TokenVerdict | Promise<TokenVerdict> {
  return authenticates(platform.settings) ? platform.tokens.verify(token) : { valid: true, identity: anyone };
}

/** User and password of basic credentials, in UTF-8. */
function basicCredentials(header: string): { user: string; password: string } | undefined {
  const [, credentials] = /^basic (.*)/i.exec(header) ?? [];
  if (credentials === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(credentials), (char) => char.charCodeAt(0));
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const at = text.indexOf(':');
    return at < 0 ? undefined : { user: text.slice(0, at), password: text.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** True if this is the user's password. */
export function isPassword({ store }: Platform, user: string, password: string): boolean {
  return store.users.get(user) === password;
}

/** Guards `/_db` and `/_api`: a valid token or basic credentials, else 401. Synchronous for a cached token. */
export function admit(exchange: Exchange, platform: Platform): void | Promise<void> {
  if (!authenticates(platform.settings)) return;
  const { headers } = exchange;
  const authorization = headers.get('authorization') ?? '';
  const basic = basicCredentials(authorization);
  if (basic && isPassword(platform, basic.user, basic.password)) {
    exchange.user = basic.user;
    return;
  }
  // The password of basic credentials may be an access token.
  const token = basic ? basic.password : requestToken(authorization, headers, platform)?.trim();
  if (!token) throw unauthorized();
  const accept = (verdict: TokenVerdict): void => {
    if (!verdict.valid || (basic?.user && basic.user !== verdict.identity.user)) throw unauthorized();
    exchange.user = verdict.identity.user ?? 'root';
    exchange.groups = verdict.identity.groups;
  };
  const verdict = platform.tokens.verify(token);
  return verdict instanceof Promise ? verdict.then(accept) : accept(verdict);
}

function unauthorized(): DatabaseFailure {
  return new DatabaseFailure(401, 11, 'not authorized to execute this request');
}
