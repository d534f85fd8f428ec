import { readDuration } from '../duration.js';
import { describe, InvalidArgumentError } from '../errors.js';
import type { ClockState } from './clock.js';
import type { Key } from './keys.js';
import type { Platform } from './platform.js';
import type { StoreState } from './store.js';

/** What `issue` puts into a token. */
export interface TokenRequest {
  /** Default: the configured user of tokens, `root`. `null` makes a superuser token. */
  readonly user?: string | null;
  /** Default: none. */
  readonly groups?: readonly string[];
  /** A duration like `'10m'`; default: the configured one. It is not clamped. */
  readonly lifetime?: string;
}

/** What is wrong with a forged token; at least one of them. */
export interface Forgery extends TokenRequest {
  /** It expired a second ago. */
  readonly expired?: boolean;
  /** It is valid from an hour on. */
  readonly notYetValid?: boolean;
  /** Its signature is by a key that the mock does not have. */
  readonly wrongKey?: boolean;
  /** It has no signature (`alg: none`). */
  readonly none?: boolean;
  /** It is signed with the mock's secret or public key, but by this algorithm. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'ES256';
  /** Claims that replace the usual ones; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Tokens for tests. */
export interface TokenKit {
  /** A good token, signed with the active key. */
  issue(request?: TokenRequest): Promise<string>;
  /** A token that is wrong in the ways that are asked for. */
  forge(forgery: Forgery): Promise<string>;
  /** Makes the mock refuse a token from now on. */
  revoke(token: string): void;
}

const hmacAlgorithms: ReadonlySet<string> = /* @__PURE__ */ new Set(['HS256', 'HS384', 'HS512']);

/** Makes the token kit of a mock. */
export function createTokenKit({ settings, tokens, clock }: Platform): TokenKit {
  const lifetimeOf = ({ lifetime }: TokenRequest): number =>
    lifetime === undefined ? settings.authentication.token.defaultMs : readDuration(lifetime, 'lifetime');
  const userOf = ({ user }: TokenRequest): string | undefined =>
    user === null ? undefined : (user ?? settings.authentication.token.user);

  async function foreignKey(like: Key): Promise<Key> {
    const { createKeys } = await import('./keys.js');
    const other = await createKeys({ active: undefined, passive: [] });
    if (like.algorithm === 'HS256') return other.active();
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    return { ...like, sign: pair.privateKey, verify: pair.publicKey };
  }

  async function signAs(payload: Record<string, unknown>, forgery: Forgery): Promise<string> {
    const key = tokens.keys.active();
    const { algorithm } = forgery;
    if (forgery.none === true) {
      const { UnsecuredJWT } = await import('jose');
      return new UnsecuredJWT(payload).encode();
    }
    if (algorithm === undefined || algorithm === key.algorithm) {
      return tokens.signRaw(payload, forgery.wrongKey === true ? await foreignKey(key) : key);
    }
    if (hmacAlgorithms.has(algorithm)) {
      // What an attacker has who takes the public key for a secret.
      const { CompactSign } = await import('jose');
      const body = new TextEncoder().encode(JSON.stringify(payload));
      return new CompactSign(body).setProtectedHeader({ alg: algorithm, typ: 'JWT' }).sign(key.material);
    }
    return tokens.signRaw(payload, await foreignKey({ ...key, algorithm: 'ES256' }));
  }

  return {
    issue: async (request = {}) =>
      tokens.sign({ user: userOf(request), groups: request.groups ?? [], lifetimeMs: lifetimeOf(request) }),
    async forge(forgery) {
      const { expired, notYetValid, wrongKey, none, algorithm, claims } = forgery;
      if (
        [expired, notYetValid, wrongKey, none].every((flag) => flag !== true) &&
        (algorithm ?? claims) === undefined
      ) {
        throw new InvalidArgumentError(
          'forgery',
          'expected one of expired, notYetValid, wrongKey, none, algorithm or claims',
        );
      }
      const now = Math.floor(clock.now() / 1000);
      const payload = {
        exp: expired === true ? now - 1 : now + Math.floor(lifetimeOf(forgery) / 1000),
        groups: [...(forgery.groups ?? [])],
        iat: expired === true ? now - 3600 : now,
        iss: 'arangodb',
        preferred_username: userOf(forgery),
        ...(notYetValid === true ? { nbf: now + 3600 } : {}),
        ...claims,
      };
      return signAs(payload, forgery);
    },
    revoke: (token) => tokens.revoke(token),
  };
}

/** The state of a mock at a moment. It can only be given back to the mock that it came from. */
export interface MockSnapshot {
  readonly version: 1;
}

interface Saved {
  readonly store: StoreState;
  readonly keys: readonly Key[];
  readonly clock: ClockState;
}

/** Takes and restores snapshots. */
export interface Snapshots {
  snapshot(): MockSnapshot;
  restore(snapshot: MockSnapshot): void;
}

/** Makes the snapshots of a mock: users, policies, roles, bindings, counters, revoked tokens, keys and clock. */
export function createSnapshots(platform: Platform): Snapshots {
  const { store, tokens, clock } = platform;
  const taken = new WeakMap<MockSnapshot, Saved>();
  return {
    snapshot() {
      const snapshot: MockSnapshot = Object.freeze({ version: 1 });
      taken.set(snapshot, { store: store.save(), keys: tokens.keys.all(), clock: clock.save() });
      return snapshot;
    },
    restore(snapshot) {
      const saved = typeof snapshot === 'object' && snapshot !== null ? taken.get(snapshot) : undefined;
      if (saved === undefined) {
        throw new InvalidArgumentError(
          'snapshot',
          `expected what snapshot() of this mock gave, got ${describe(snapshot)}`,
        );
      }
      store.load(saved.store);
      tokens.keys.load(saved.keys);
      clock.load(saved.clock);
    },
  };
}
