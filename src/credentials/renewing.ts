import type { AuthorizedSender, Credentials, CredentialsCall, CredentialsContext } from '../connection/credentials.js';
import { pause, retryDelayMs } from '../connection/pause.js';
import { CredentialsError, isArangoServicesError, isCredentialsError, isHttpError } from '../errors.js';
import { SingleFlight } from '../lib/single-flight.js';

/** A token as its source gives it. */
interface FreshToken {
  /** Empty where the deployment asks for none. */
  readonly token: string;
  /** How long it is valid from now; undefined where it does not expire. */
  readonly lifetimeMs?: number | undefined;
}

/** Where tokens come from; the connection has no credentials. */
export type TokenSource = (connection: AuthorizedSender) => Promise<FreshToken>;

/** Credentials over a cache. */
export interface RenewingCredentials extends Credentials {
  reject(value: string, context: CredentialsContext, call?: CredentialsCall): Promise<boolean>;
  currentToken(context: CredentialsContext): string | undefined;
  /** Lets the next call ask for a token at once, whatever failed before. */
  retryNow(context: CredentialsContext): void;
}

/** Why there was no token, and when to ask again. */
interface FailedRenewal {
  readonly error: unknown;
  readonly at: number;
  readonly retryAt: number;
}

/** The token of one client. */
interface Cache {
  /** The header; undefined where the deployment asks for none. */
  value?: string | undefined;
  /** When it was asked for. */
  askedAt: number;
  expiresAt: number;
  renewAt: number;
  readonly renewal: SingleFlight<string | undefined>;
  failures: number;
  failure?: FailedRenewal | undefined;
}

/** A request for a token that hangs must not hold up every later call. */
export const tokenTimeoutMs = 30_000;

/** How long a call waits for the request of another one before it asks by itself. */
const patienceMs = 5_000;
const renewFrom = 0.75;
const jitter = 0.1;
// A token's times are whole seconds: its last second may not be there.
const roundingMs = 1_000;
const firstBackoffMs = 1_000;
// Beside a token that is still good there is time; without one people wait.
const longestBackoffMs = 60_000;
const longestWaitMs = 5_000;
const longestRetryAfterMs = 60_000;
// Credentials that were refused will be refused again until somebody changes them.
const refusedWaitMs = 30_000;

/** How long nobody asks for a token after a failure, where there is none to go on with. */
function waitMs(error: unknown, failures: number): number {
  const { status = 0, retryAfterMs = 0 } = isHttpError(error) ? error : {};
  if (status === 401 || status === 403) return refusedWaitMs;
  const backoffMs = Math.min(longestWaitMs, firstBackoffMs * 2 ** failures);
  return Math.max(backoffMs, Math.min(retryAfterMs, longestRetryAfterMs));
}

/** The failure once more, for a call that did not ask. */
function repeated({ error, at, retryAt }: FailedRenewal, now: number): CredentialsError {
  const seconds = (ms: number): string => `${Math.max(0, Math.ceil(ms / 1_000))} s`;
  const why = isArangoServicesError(error) ? error.message : 'asking for a token failed';
  return new CredentialsError(`${why} (${seconds(now - at)} ago; asked again in ${seconds(retryAt - now)})`, {}, error);
}

/**
 * Keeps a token of a source for each client. The calls themselves renew it: past 75% of the lifetime (up to 85%, at
 * random) a call takes the current token and starts the renewal, of which there is one at a time. No timer runs between
 * calls. Lifetimes are counted on the client's clock from the moment that a token was asked for.
 *
 * A renewal that fails keeps the current token while it is valid, and the next try waits (1 s, doubled up to 60 s,
 * jittered). Without a valid token calls reject at once with the last failure until the next try: after 401 and 403 in
 * 30 s, else in 1 s, doubled up to 5 s, or when `Retry-After` (up to 60 s) says.
 */
export function renewing(source: TokenSource): RenewingCredentials {
  const caches = new WeakMap<CredentialsContext, Cache>();

  const cacheOf = (context: CredentialsContext): Cache => {
    let cache = caches.get(context);
    if (cache === undefined) {
      const renewal = new SingleFlight<string | undefined>(patienceMs);
      const never = Number.NEGATIVE_INFINITY;
      cache = { askedAt: never, expiresAt: never, renewAt: 0, failures: 0, renewal };
      caches.set(context, cache);
    }
    return cache;
  };

  const ask = async (cache: Cache, { clock, connection }: CredentialsContext): Promise<string | undefined> => {
    const startedAt = clock.now();
    try {
      const { token, lifetimeMs = Number.POSITIVE_INFINITY } = await source(connection);
      // A request that took too long was given up. If it answers after all, its token is older than the current one.
      if (startedAt < cache.askedAt) return cache.value;
      cache.askedAt = startedAt;
      cache.value = token === '' ? undefined : `Bearer ${token}`;
      cache.expiresAt = startedAt + Math.max(lifetimeMs - roundingMs, lifetimeMs * renewFrom);
      cache.renewAt = startedAt + lifetimeMs * (renewFrom + jitter * Math.random());
      cache.failures = 0;
      cache.failure = undefined;
      return cache.value;
    } catch (thrown) {
      // What bootstrap credentials failed with.
      const error = (isCredentialsError(thrown) && thrown.cause) || thrown;
      const at = clock.now();
      cache.failure = { error, at, retryAt: at + waitMs(error, cache.failures) };
      const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** cache.failures++);
      cache.renewAt = at + backoffMs * (0.5 + Math.random() / 2);
      throw error;
    }
  };

  const renew = (cache: Cache, context: CredentialsContext) => cache.renewal.run(() => ask(cache, context));
  /** Gives another token than the rejected one. A call with retries waits for the next try, others reject at once. */
  const nextToken = async (context: CredentialsContext, call?: CredentialsCall, rejected = '') => {
    for (let left = call?.retries ?? 0; ; left--) {
      const cache = cacheOf(context);
      const now = context.clock.now();
      const { failure } = cache;
      // Another call may have renewed it.
      if (now < cache.expiresAt && cache.value !== rejected) return cache.value;
      try {
        if (failure && now < failure.retryAt) throw repeated(failure, now);
        return await renew(cache, context);
      } catch (error) {
        const { error: why, retryAt = 0 } = cache.failure ?? {};
        const passes = left > 0 && isArangoServicesError(why) && retryDelayMs(why, 0);
        // Timers may fire up to a millisecond early.
        if (!passes || !(await pause(retryAt - context.clock.now() + 1, call?.deadline))) throw error;
      }
    }
  };

  return {
    authorize(context, call) {
      const cache = cacheOf(context);
      const now = context.clock.now();
      if (!(now < cache.expiresAt)) return nextToken(context, call);
      if (now >= cache.renewAt && !cache.renewal.underWay) {
        // Whoever needs the next token hears of a failure.
        const beside = renew(cache, context).catch(() => undefined);
        call?.waitUntil?.(beside);
      }
      return cache.value;
    },
    async reject(value, context, call) {
      // A call that was sent before the last renewal says nothing about the current token.
      if (cacheOf(context).value === value) await nextToken(context, call, value);
      return true;
    },
    currentToken(context) {
      const { value, expiresAt } = cacheOf(context);
      return context.clock.now() < expiresAt ? value : undefined;
    },
    forget(context) {
      // A renewal under way commits to what nobody looks at any more.
      caches.delete(context);
    },
    retryNow(context) {
      cacheOf(context).failure = undefined;
    },
  };
}
