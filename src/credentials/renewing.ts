import type { Connection } from '../connection/connection.js';
import { CredentialsError, isArangoServicesError } from '../errors.js';
import type { Credentials, CredentialsContext } from './credentials.js';

/** A token as its source gives it. */
interface FreshToken {
  /** Empty where the deployment asks for none. */
  readonly token: string;
  /** How long it is valid from now; undefined where it does not expire. */
  readonly lifetimeMs?: number | undefined;
}

/** Where tokens come from. Called once for each client, with a connection without credentials. */
export type TokenSource = (connection: Connection) => () => Promise<FreshToken>;

/** Credentials over a cache. */
export interface RenewingCredentials extends Credentials {
  reject(value: string, context: CredentialsContext): Promise<boolean>;
  /** Renews now, or joins a renewal under way. A failure is no error while the token that is held is valid. */
  renew(context: CredentialsContext): Promise<void>;
}

interface Held {
  readonly value: string | undefined;
  readonly renewAt: number;
  readonly expiresAt: number;
}

interface Cache {
  readonly next: () => Promise<FreshToken>;
  held?: Held | undefined;
  renewal?: Promise<string | undefined> | undefined;
  failures: number;
  /** Not before it is a renewal tried again while the held token is valid. */
  notBefore: number;
}

/** A request for a token that hangs must not hold up every later call. */
export const tokenTimeoutMs = 30_000;

const renewFrom = 0.75;
const jitter = 0.1;
// A token's times are whole seconds: its last second may not be there.
const roundingMs = 1_000;
const firstBackoffMs = 1_000;
const longestBackoffMs = 60_000;

/**
 * Tokens of a source, held for each client and renewed by the calls themselves: past 75% of the lifetime (up to 85%, at
 * random) a call takes the held token and starts the renewal, of which there is one at a time. No timer runs. Lifetimes are
 * counted on the client's clock from the moment that a token was asked for. A renewal that fails keeps the held token while
 * it is valid, and the next try waits (1 s, doubled up to 60 s, jittered).
 */
export function renewing(what: string, source: TokenSource): RenewingCredentials {
  const caches = new WeakMap<CredentialsContext, Cache>();

  const cacheOf = (context: CredentialsContext): Cache => {
    let cache = caches.get(context);
    if (cache === undefined) {
      cache = { next: source(context.connection), failures: 0, notBefore: 0 };
      caches.set(context, cache);
    }
    return cache;
  };

  const start = (cache: Cache, { clock }: CredentialsContext): Promise<string | undefined> => {
    const startedAt = clock.now();
    const run = async () => {
      try {
        const { token, lifetimeMs = Number.POSITIVE_INFINITY } = await cache.next();
        const held: Held = {
          value: token === '' ? undefined : `Bearer ${token}`,
          renewAt: startedAt + lifetimeMs * (renewFrom + jitter * Math.random()),
          expiresAt: startedAt + Math.max(lifetimeMs - roundingMs, lifetimeMs * renewFrom),
        };
        // Only the newest commits: what was forgotten meanwhile stays forgotten.
        if (cache.renewal === renewal) Object.assign(cache, { held, failures: 0, notBefore: 0 });
        return held.value;
      } catch (error) {
        const waitMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** cache.failures++) * (0.5 + Math.random() / 2);
        cache.notBefore = clock.now() + waitMs;
        if (error instanceof CredentialsError) throw error;
        throw new CredentialsError(`${what} gave no token`, {}, isArangoServicesError(error) ? error : undefined);
      } finally {
        if (cache.renewal === renewal) cache.renewal = undefined;
      }
    };
    const renewal = run();
    cache.renewal = renewal;
    return renewal;
  };

  /** The held token while it is valid. */
  const current = ({ held }: Cache, { clock }: CredentialsContext): Held | undefined =>
    held !== undefined && clock.now() < held.expiresAt ? held : undefined;

  return {
    authorize(context) {
      const cache = cacheOf(context);
      const held = current(cache, context);
      if (held === undefined) return cache.renewal ?? start(cache, context);
      const now = context.clock.now();
      if (now >= held.renewAt && now >= cache.notBefore && cache.renewal === undefined) {
        // Whoever needs the next token hears of a failure.
        start(cache, context).catch(() => undefined);
      }
      return held.value;
    },
    async reject(value, context) {
      const cache = cacheOf(context);
      // A call that was sent before the last renewal says nothing about the token that is held now.
      if (cache.held?.value === value) await (cache.renewal ?? start(cache, context));
      return true;
    },
    async renew(context) {
      const cache = cacheOf(context);
      try {
        await (cache.renewal ?? start(cache, context));
      } catch (error) {
        if (current(cache, context) === undefined) throw error;
      }
    },
    held: (context) => current(cacheOf(context), context)?.value,
    forget(context) {
      const cache = cacheOf(context);
      cache.held = undefined;
      cache.renewal = undefined;
    },
  };
}
