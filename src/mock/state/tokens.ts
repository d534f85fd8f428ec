import type { FidelityRules } from '../fidelity.js';
import type { Clock } from './clock.js';
import type { Epochs } from './epochs.js';
import { createKeys, type Key, type Keys } from './keys.js';
import type { Store } from './store.js';

/** What a valid token says. Without a user it is a superuser token. */
export interface Identity {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** How long it is still valid, in milliseconds; `undefined` when it does not expire. */
  readonly remainingMs: number | undefined;
}

/** A token is valid, or there is a reason why not. */
export type Verdict =
  | { readonly valid: true; readonly identity: Identity }
  | { readonly valid: false; readonly reason: string };

/** What goes into a token. `groups` is left out of a login token. */
interface Claims {
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly lifetimeMs: number;
}

/** Issues and checks tokens, with the mock's keys and by its clock. */
export interface Tokens {
  readonly keys: Keys;
  /** A good token. Within a second of a logout it can be the same text again: it is a new session all the same. */
  sign(claims: Claims): Promise<string>;
  /** Signs any claims and header; for forging. */
  signRaw(payload: Record<string, unknown>, key: Key, header?: Record<string, unknown>): Promise<string>;
  /** Answers at once for a token whose signature it has seen. */
  verify(token: string): Verdict | Promise<Verdict>;
  revoke(token: string): void;
}

interface Context {
  readonly clock: Clock;
  readonly fidelity: FidelityRules;
  readonly tokenBytes: number;
  readonly store: Store;
  readonly epochs: Epochs;
  readonly keys: { readonly active: string | undefined; readonly passive: readonly string[] };
}

type Payload = Readonly<Record<string, unknown>>;
/** What one key says about a token; the payload where the signature is right. */
type Checked =
  | { readonly payload: Payload; readonly reason?: undefined }
  | { readonly reason: string; readonly payload?: undefined };

// The reasons of the service's own JWT library.
const malformed = 'token is malformed';
const segments = `${malformed}: token contains an invalid number of segments`;
const badSignature = 'signature is invalid';
const badClaims = 'token has invalid claims: ';

const remembered = 1_000;

async function checkSignature(token: string, key: Key): Promise<Checked> {
  if (token.split('.').length !== 3) return { reason: segments };
  // jose skips white space inside base64, which the services do not.
  if (!/^[\w.-]+$/.test(token)) return { reason: `${malformed}: illegal base64 data` };
  const { compactVerify } = await import('jose');
  try {
    const { payload } = await compactVerify(token, key.verify, { algorithms: [key.algorithm] });
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    // Claims are an object or nothing; each one is checked before it is used.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { payload: value as Payload };
    return { reason: `${malformed}: could not JSON decode claim` };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** Why jose, or the reading of what it verified, failed. */
function reasonOf(error: unknown): string {
  // TextDecoder and JSON.parse: the signature was right, the claims are none.
  if (error instanceof SyntaxError || error instanceof TypeError) return `${malformed}: could not JSON decode claim`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_JWS_INVALID' ? `${malformed}: could not decode header` : badSignature;
}

/** The first rule that the claims break, or undefined. There is no leeway, and the issuer is not checked. */
function checkClaims(payload: Payload, nowMs: number): string | undefined {
  const now = nowMs / 1000;
  for (const claim of ['exp', 'iat', 'nbf']) {
    const value = payload[claim];
    if (value !== undefined && typeof value !== 'number') return `${badClaims}${claim} is invalid`;
  }
  const { exp, iat, nbf } = payload;
  if (typeof exp === 'number' && exp <= now) return `${badClaims}token is expired`;
  if (typeof nbf === 'number' && nbf > now) return `${badClaims}token is not valid yet`;
  // Whole seconds: a token that was issued in this second counts.
  if (typeof iat === 'number' && iat > now) return `${badClaims}token used before issued`;
  return undefined;
}

function identify({ preferred_username: user, groups, exp }: Payload, nowMs: number): Identity {
  return {
    user: typeof user === 'string' ? user : undefined,
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
    remainingMs: typeof exp === 'number' ? exp * 1000 - nowMs : undefined,
  };
}

/**
 * Why a token is refused, as the fidelity tells it: `reasons` has what each key found, the active key's first.
 */
function refusal(reasons: readonly string[], { tellsReason }: FidelityRules): string {
  if (!tellsReason) return reasons.length > 1 ? (reasons.at(-1) ?? badSignature) : badSignature;
  const reason = reasons.find((one) => one !== badSignature) ?? badSignature;
  return reason.startsWith(badClaims) ? reason.slice(badClaims.length) : reason;
}

/** Makes the token service of one mock. */
export async function createTokens({
  clock,
  fidelity,
  tokenBytes,
  store,
  epochs,
  keys: texts,
}: Context): Promise<Tokens> {
  const keys = await createKeys(texts);
  // Signatures that were right, by token: only what cannot change. Times and revocations are looked at again each time.
  const seen = new Map<string, { readonly payload: Payload; readonly keys: readonly Key[] }>();

  function judge(token: string, payload: Payload): Verdict {
    const now = clock.now();
    const reason = checkClaims(payload, now) ?? (store.isRevoked(token) ? 'token is revoked' : undefined);
    return reason === undefined ? { valid: true, identity: identify(payload, now) } : { valid: false, reason };
  }

  async function askKeys(token: string): Promise<Verdict> {
    const all = keys.all();
    const reasons: string[] = [];
    for (const key of all) {
      const { payload, reason } = await checkSignature(token, key);
      if (payload === undefined) {
        reasons.push(reason);
        continue;
      }
      if (seen.size >= remembered) seen.delete(seen.keys().next().value ?? '');
      seen.set(token, { payload, keys: all });
      const verdict = judge(token, payload);
      if (verdict.valid) return verdict;
      reasons.push(verdict.reason);
    }
    return { valid: false, reason: refusal(reasons, fidelity) };
  }

  async function signRaw(
    payload: Record<string, unknown>,
    key: Key,
    header: Record<string, unknown> = {},
  ): Promise<string> {
    const { CompactSign } = await import('jose');
    return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader({ alg: key.algorithm, typ: 'JWT', ...header })
      .sign(key.sign ?? key.verify);
  }

  return {
    keys,
    signRaw,
    async sign({ user, groups, lifetimeMs }) {
      const epoch = epochs.current();
      const iat = Math.floor(clock.now() / 1000);
      const payload = {
        exp: Math.floor((clock.now() + lifetimeMs) / 1000),
        groups: groups === undefined ? undefined : [...groups],
        iat,
        iss: 'arangodb',
        preferred_username: user,
      };
      const token = await signRaw(payload, keys.active());
      if (!epoch.aborted) store.reinstate(token);
      return token;
    },
    verify(token) {
      const known = seen.get(token);
      if (known !== undefined && known.keys === keys.all()) {
        const verdict = judge(token, known.payload);
        if (verdict.valid) return verdict;
        // Where the reason itself is not told, every key has a part in the answer: all are asked again.
        if (fidelity.tellsReason) return { valid: false, reason: refusal([verdict.reason], fidelity) };
      }
      if (token.length <= tokenBytes) return askKeys(token);
      const reason = fidelity.tellsReason ? `${malformed}: longer than ${tokenBytes} bytes` : badSignature;
      return { valid: false, reason };
    },
    revoke: (token) => store.revoke(token),
  };
}
