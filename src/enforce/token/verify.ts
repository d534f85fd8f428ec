import { InvalidArgumentError, TimeoutError } from '../../base/errors.js';
import { judgeClaims } from '../../base/jwt/claims.js';
import type { CompactToken } from '../../base/jwt/compact.js';
import { requireSubtle, type VerificationKey } from '../../base/jwt/keys.js';
import { badSignature, type Refusal } from '../../base/jwt/refusal.js';
import { readClock } from '../../base/lib/clock.js';
import { coders, requireEngine } from '../../base/lib/engine.js';
import {
  accepting,
  asGiven,
  listOf,
  optionsOf,
  type ReadersOf,
  type ReadOptions,
  readArgument,
  readFields,
  readToken,
} from '../../base/lib/readers.js';
import { race } from '../../base/lib/wait.js';
import type { Clock } from '../../client/connection/credentials-contract.js';
import { timeoutOption } from '../../client/connection/deadline.js';
import type { Validation } from '../../client/services/authentication/authentication-messages.js';
import { isSuperuser } from '../../policy/model/subject.js';
import { keysOfClient } from './client-keys.js';
import { GivenKeys } from './given-keys.js';
import type { KeySource, Unverified } from './key-source.js';
import type { KeyedClient } from './keyed-client.js';

/** Replaces `Date` as the clock by which `exp`, `nbf` and `iat` are checked. */
export interface VerifierClock {
  /** The current time, by `now()` in milliseconds since 1970; for example a mock's clock. Default `Date`. */
  readonly clock?: Clock | undefined;
}

/** The keys to verify with: those published by a client's deployment, public keys, or a shared secret. */
export type VerifierKeys = VerifierClock &
  (
    | {
        /**
         * A client of `createClient` with credentials, or any object with `authentication.keys()`. The keys, which the
         * services return only to a caller with a valid token, are cached.
         */
        readonly client: KeyedClient;
        readonly keys?: undefined;
        readonly secret?: undefined;
      }
    | {
        /** Public ES256 keys as PEM ("BEGIN PUBLIC KEY"). */
        readonly keys: readonly string[];
        readonly client?: undefined;
        readonly secret?: undefined;
      }
    | {
        /** The HS256 secret, as text or as bytes. */
        readonly secret: string | Uint8Array;
        readonly client?: undefined;
        readonly keys?: undefined;
      }
  );

/** A fixed time instead of the clock's, for one check of `exp`, `nbf` and `iat`. */
export interface VerifyTime {
  /** The time to verify at. Default now. */
  readonly now?: Date | undefined;
}

/** Options of `verifyToken`: the keys, and the time to verify at. */
export type VerifyOptions = VerifyTime & VerifierKeys;

/** Verifies tokens with the keys passed to `createVerifier`. */
export interface Verifier {
  (token: string, options?: VerifyTime): Promise<Validation>;
  /**
   * Resolves when there are keys to verify with: given keys are imported, those of a client fetched. For a probe of
   * readiness, and to hear of a mistake at start.
   * @param options `timeout` in milliseconds; default none, 0 and Infinity mean none.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid key, and for a deployment with symmetric
   * keys, which publishes none.
   * @throws TimeoutError (code `TIMEOUT`), and any error of `client.authentication.keys()`.
   */
  ready(options?: { readonly timeout?: number | undefined }): Promise<void>;
}

/**
 * Creates a reusable verifier: like `verifyToken`, but the keys are read and imported once, which is most of the cost
 * of a verification. A guard and a replica take one to authenticate their callers.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for invalid options. An invalid key is rejected by the first
 * verification, and all else as `verifyToken` does.
 * @example
 * ```ts
 * import { createGuard, createVerifier } from 'arango-services/guard';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const authenticate = createVerifier({ client });
 * const guard = createGuard(createEvaluator(), { authenticate });
 * ```
 */
export function createVerifier(keys: VerifierKeys): Verifier {
  requireEngine(coders);
  const read = readFields(keys, 'options', readVerifierKeys);
  const source = readKeys(read);
  let compact: CompactModule | undefined;
  const verifyOne = async (token: string, options: VerifyTime = {}): Promise<Validation> => {
    const text = readArgument(token, 'token', readToken);
    const now = nowOf({ ...read, ...readFields(options, 'options', readVerifyTime) });
    compact ??= await loadCompact();
    return verify(text, source, now, compact);
  };
  const ready: Verifier['ready'] = async (options = {}) => {
    const { timeout: ms = 0 } = readFields(options, 'options', readWait);
    const overdue = () => new TimeoutError({}, ms);
    await race(source.current(), { ms: ms || undefined, overdue });
  };
  return Object.assign(verifyOne, { ready });
}

/**
 * Verifies a token locally, by the service's own rules. The algorithm is the key's: ES256 for public keys, HS256 for a
 * secret. An `exp` that has passed, and an `iat` or `nbf` in the future are refused without leeway; the issuer is
 * ignored. It accepts no token that the service refuses, and is stricter for safety: it refuses `crit` headers, `exp:
 * 0`, an `iat` or `nbf` beyond 64 bits, and line breaks in the token, all of which the service accepts. It does not
 * know of logouts; `client.authentication.validate` asks the service.
 *
 * The keys of a client are loaded once, and again if none of them verifies a token: at most every 30 s, and for a token
 * that was issued after they were loaded (by its `iat`, which a forged one may have, too) three times more at once and
 * then every 5 s. Beyond that such a token is rejected by an error, since its key may be new. Given keys and secrets
 * are imported by each call: for many tokens use {@link createVerifier}.
 * @returns the token's user and remaining lifetime (`lifetimeMs`, 3 600 000 if it does not expire); or the reason why
 * it is not valid, which is a result, not an error. A superuser's token, which has neither a user nor groups, has
 * `superuser: true`.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid argument, and for a deployment with symmetric
 * keys, which publishes none.
 * @throws UnknownKeyError (code `UNKNOWN_KEY`) if the key of the token may be a new one, and the keys cannot be loaded
 * again yet: verify it again after `retryAfterMs`.
 * @throws any error of `client.authentication.keys()`.
 * @throws Error if the runtime has no `crypto.subtle`.
 * @example
 * ```ts
 * import { createClient, credentials } from 'arango-services';
 * import { verifyToken } from 'arango-services/guard';
 *
 * const client = createClient({ url: 'http://localhost:8529', credentials: credentials.minted({ user: 'svc' }) });
 * const verified = await verifyToken('eyJ…', { client });
 * if (verified.valid) console.log(verified.user, verified.groups);
 * else console.log(verified.reason); // token is expired
 * ```
 */
export async function verifyToken(token: string, options: VerifyOptions): Promise<Validation> {
  requireEngine(coders);
  const text = readArgument(token, 'token', readToken);
  const read = readFields(options, 'options', readVerifyOptions);
  return verify(text, readKeys(read), nowOf(read), await loadCompact());
}

/** The time to verify at, in milliseconds: no `Date` holds every number of a clock. */
const nowOf = ({ now, clock = Date }: VerifyTime & VerifierClock): number => now?.getTime() ?? clock.now();

type CompactModule = typeof import('../../base/jwt/compact.js');
/**
 * Loads the code that parses tokens. It needs coders as soon as it is loaded, so that they are checked before. So is
 * Web Crypto, because Jest's jsdom has neither.
 * @throws Error if the runtime has no `crypto.subtle`.
 */
async function loadCompact(): Promise<CompactModule> {
  requireSubtle();
  return import('../../base/jwt/compact.js');
}

async function verify(
  text: string,
  source: KeySource,
  nowMs: number,
  { isSignedBy, parseToken }: CompactModule,
): Promise<Validation> {
  const { loads } = source;
  // An invalid key is the caller's mistake, whatever the token. A client's keys are fetched only when a token needs
  // them.
  if (source instanceof GivenKeys) await source.current();
  const parsed = parseToken(text);
  if ('reason' in parsed) return notValid(parsed);
  const verdict = judgeClaims(parsed.claims, nowMs);
  const age = verdict.valid ? ageOf(parsed, nowMs) : Number.POSITIVE_INFINITY;
  if (!(await isSigned(parsed, isSignedBy, source, { age, loads }))) return notValid(badSignature);
  if (!verdict.valid) return notValid(verdict.refusal);
  const { user, groups, lifetimeMs } = verdict.identity;
  return {
    valid: true,
    ...(user !== undefined && { user }),
    groups: [...groups],
    ...(isSuperuser(verdict.identity) && { superuser: true }),
    lifetimeMs,
  };
}

const notValid = ({ reason }: Refusal): Validation => ({ valid: false, reason });

/** The clock that issued a token may be this far behind this one, in milliseconds; its times are whole seconds. */
const skewMs = 5_000;

/** The minimum age of a token in milliseconds; Infinity for one without `iat`. */
function ageOf({ claims }: CompactToken, nowMs: number): number {
  const issuedAt = claims.get('iat');
  return typeof issuedAt === 'number' ? nowMs - issuedAt * 1_000 - skewMs : Number.POSITIVE_INFINITY;
}

/** Tries the known keys, then newer ones: the key may have been rotated. Only ES256 keys are ever published. */
async function isSigned(
  token: CompactToken,
  isSignedBy: CompactModule['isSignedBy'],
  source: KeySource,
  unverified: Unverified,
): Promise<boolean> {
  let keys: readonly VerificationKey[] | undefined = await source.current();
  while (keys !== undefined) {
    for (const key of keys) if (await isSignedBy(token, key)) return true;
    keys = token.algorithm === 'ES256' ? await source.newer(keys, unverified) : undefined;
  }
  return false;
}

const isDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
// The cast: the value is only inspected.
const hasKeys = (value: unknown): boolean =>
  typeof (value as Partial<KeyedClient> | null)?.authentication?.keys === 'function';

const keyReaders = {
  client: accepting<KeyedClient>('a client of createClient, or an object with authentication.keys()', hasKeys),
  keys: listOf(accepting<string>('a public ES256 key as PEM ("BEGIN PUBLIC KEY")', (key) => typeof key === 'string')),
  secret: asGiven,
  clock: readClock,
} satisfies ReadersOf<VerifierKeys>;
const timeReaders = { now: accepting<Date>('a valid Date', isDate) } satisfies ReadersOf<VerifyTime>;
export const readVerifierKeys = optionsOf(keyReaders);
const readWait = optionsOf({ timeout: timeoutOption });
export const readVerifyTime = optionsOf(timeReaders);
export const readVerifyOptions = optionsOf({ ...keyReaders, ...timeReaders } satisfies ReadersOf<VerifyOptions>);

/** Reads the one option that was given. */
function readKeys({ client, keys, secret }: ReadOptions<typeof keyReaders>): KeySource {
  if ([client, keys, secret].filter((source) => source !== undefined).length !== 1) {
    throw new InvalidArgumentError('options', 'expected one of client, keys and secret');
  }
  if (keys?.length === 0) throw new InvalidArgumentError('keys', 'must not be empty');
  if (client !== undefined) return keysOfClient(client);
  return keys === undefined ? GivenKeys.ofSecret(secret) : GivenKeys.of(keys);
}
