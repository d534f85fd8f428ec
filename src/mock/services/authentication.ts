import { endlessMs } from '../../base/jwt/claims.js';
import { sessionCookie, sessionTokens, ssoRedirectCookie, ssoSessionCookie } from '../../base/jwt/session-cookie.js';
import { formatSeconds } from '../../base/lib/duration.js';
import { authenticates } from '../config/mock-config.js';
import type { Platform } from '../platform.js';
import type { TokenVerdict } from '../state/tokens.js';
import { headerText, json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { RequestSubject } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';
import {
  bodyMessage,
  flag,
  optionalDuration,
  optionalMessage,
  optionalText,
  queryText,
  readQuery,
  text,
  texts,
} from '../wire/protobuf-json.js';
import { loginMs } from './database.js';
import { decideByPolicies, ownerOf } from './decisions.js';
import { isPassword, judgeToken, serviceAuthorization, serviceToken, ssoTokens } from './presented-tokens.js';

/** `POST /validate`: never an error for a bad token. */
export function validate(exchange: Exchange, platform: Platform): NeutralResponse | Promise<NeutralResponse> {
  const token = text(bodyMessage(exchange, platform).token, 'token');
  const answer = (verdict: TokenVerdict): NeutralResponse => {
    if (!verdict.valid) return json({ isValid: false, message: verdict.reason });
    const { user, groups, lifetimeMs } = verdict.identity;
    exchange.user = user;
    exchange.groups = groups;
    const lifetime = formatSeconds(lifetimeMs);
    return json({ isValid: true, message: '', details: { lifetime, user, groups } });
  };
  const verdict = judgeToken(platform, token);
  return verdict instanceof Promise ? verdict.then(answer) : answer(verdict);
}

/** True if createToken requires a permission: with central services and an asymmetric key. */
function isGated({ settings, tokens, fidelity, version }: Platform): boolean {
  // The specification's gate holds in every version.
  if (!version.gatesCreateToken && !fidelity.gateChecksCaller) return false;
  return settings.central && tokens.keys.active().algorithm === 'ES256';
}

/** The subject that needs the permission (docs/wire.md, "Who may create tokens"): the caller, or the token's user. */
async function minter(
  exchange: Exchange,
  platform: Platform,
  user: string,
  groups: readonly string[],
): Promise<RequestSubject> {
  // Nothing checks the groups of the request, so naming one that may create tokens is enough.
  if (!platform.fidelity.gateChecksCaller) return { user, roles: groups };
  const token = serviceToken(exchange, platform);
  if (token === undefined) throw new ServiceFailure(16, 'Unauthorized');
  const verdict = await judgeToken(platform, token);
  if (!verdict.valid) throw new ServiceFailure(16, verdict.reason);
  return ownerOf(verdict.identity);
}

/** True if the subject may create tokens for this user, or needs no permission for it. */
export function mayCreateToken(
  exchange: Exchange,
  platform: Platform,
  subject: RequestSubject,
  resource: string,
): boolean {
  if (!isGated(platform)) return true;
  const question = { subject, action: 'authentication:CreateToken', resource, api: 'evaluation' } as const;
  return decideByPolicies(exchange, platform, question).effect === 'Allow';
}

async function passGate(
  exchange: Exchange,
  platform: Platform,
  user: string,
  groups: readonly string[],
): Promise<void> {
  if (!mayCreateToken(exchange, platform, await minter(exchange, platform, user, groups), user)) {
    throw new ServiceFailure(7, `Not allowed to create token for user ${JSON.stringify(user)}: Permission denied`);
  }
}

/** `POST /createToken`. */
export async function createToken(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { settings } = platform;
  const fields = bodyMessage(exchange, platform);
  const explicit = optionalText(fields.user, 'user');
  const askedMs = optionalDuration(fields.lifetime, 'lifetime', platform.fidelity);
  const groups = texts(fields.groups, 'groups');
  if (!authenticates(settings)) return json({ lifetime: formatSeconds(endlessMs), token: '', groups: [] });
  if (explicit !== undefined && isGated(platform)) await passGate(exchange, platform, explicit, groups);
  const { user: defaultUser, minMs, maxMs, defaultMs, allowed } = settings.authentication.token;
  const user = explicit ?? defaultUser;
  if (allowed.length > 0 && !allowed.includes(user)) throw new ServiceFailure(2, `User ${user} is not allowed`);
  const lifetimeMs = Math.min(Math.max(askedMs ?? defaultMs, minMs), maxMs);
  exchange.user = user;
  exchange.groups = groups;
  const token = await platform.tokens.sign({ user, groups, lifetimeMs });
  return json({ lifetime: formatSeconds(lifetimeMs), user, token, groups });
}

/** The token for identity, the only call that accepts white space in front of it. */
function identityToken(exchange: Exchange, platform: Platform): string | undefined {
  const scheme = serviceAuthorization(exchange, platform) ?? 'bearer ';
  if (!platform.fidelity.schemeInAnyCase && !scheme.startsWith('bearer ')) return undefined;
  return serviceToken(exchange, platform)?.trim();
}

export async function identity(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const { settings, fidelity } = platform;
  if (!authenticates(settings)) return json({ user: 'root' });
  const token = identityToken(exchange, platform);
  const verdict = token === undefined ? undefined : await judgeToken(platform, token);
  if (verdict?.valid !== true) throw new ServiceFailure(16, 'Unauthenticated');
  const user = verdict.identity.user ?? fidelity.superuserName;
  exchange.user = user;
  exchange.groups = verdict.identity.groups;
  return json({ user });
}

/** `POST /login`. */
export async function login(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const fields = bodyMessage(exchange, platform);
  const credentials = optionalMessage(fields.credentials, 'credentials');
  const cookies = flag(optionalMessage(fields.options, 'options')?.cookies, 'options.cookies');
  if (credentials === undefined) throw new ServiceFailure(3, 'missing credentials');
  const user = text(credentials.username, 'credentials.username');
  const password = text(credentials.password, 'credentials.password');
  exchange.user = user;
  if (exchange.isLate) throw new ServiceFailure(13, 'Internal error while authenticating');
  if (!isPassword(platform, user, password)) throw new ServiceFailure(16, 'Invalid credentials');
  const token = await platform.tokens.sign({ user, lifetimeMs: loginMs });
  if (!cookies) return json({ token });
  return json({ token }, 200, [['set-cookie', `${sessionCookie}=${token}; Path=/; Max-Age=${loginMs / 1000}`]]);
}

/** `GET /logout?location=…`. */
export async function logout(exchange: Exchange, platform: Platform): Promise<NeutralResponse> {
  const location = queryText(readQuery(exchange), 'location');
  const cookies = exchange.request.headers.get('cookie') ?? '';
  if (platform.fidelity.logoutRevokes) {
    for (const token of [...sessionTokens(cookies), ...ssoTokens(cookies, platform)]) {
      // This call needs no credentials, so only valid tokens are stored.
      if ((await platform.tokens.verify(token)).valid) platform.tokens.revoke(token);
    }
  }
  const headers = [sessionCookie, ssoSessionCookie, ssoRedirectCookie].flatMap((name) =>
    sessionTokens(cookies, name).map((value): [string, string] => ['set-cookie', `${name}=${value}; Max-Age=0`]),
  );
  if (location !== undefined) headers.push(['location', headerText(location)]);
  return json({}, location === undefined ? 200 : 302, headers);
}
