import type {
  AuthorizedSender,
  Credentials,
  CredentialsCall,
  CredentialsContext,
  WaitUntil,
} from '../connection/credentials-contract.js';
import { pause, retryDelayMs } from '../connection/pause.js';
import { CredentialsError, isArangoServicesError, isCredentialsError, isHttpError } from '../errors.js';
import { backoffMs } from '../lib/backoff.js';
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

/** A request for a token that hangs must not hold up every later call. */
export const tokenTimeoutMs = 30_000;

/** How long a call waits for the request of another one before it asks by itself. */
const patienceMs = 5_000;
const never = Number.NEGATIVE_INFINITY;
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
  return Math.max(backoffMs(failures, firstBackoffMs, longestWaitMs), Math.min(retryAfterMs, longestRetryAfterMs));
}

/** The token of one client. Times are on the client's clock. */
class TokenCache {
  /** The header; undefined where the deployment asks for none. */
  value: string | undefined;
  readonly #source: TokenSource;
  readonly #context: CredentialsContext;
  readonly #renewal = new SingleFlight<string | undefined>(patienceMs);
  #askedAt = never;
  #expiresAt = never;
  #renewAt = never;
  #failures = 0;
  /** Why there was no token the last time, when, and when to ask again. */
  #failure: unknown;
  #failedAt = never;
  #retryAt = never;

  constructor(source: TokenSource, context: CredentialsContext) {
    this.#source = source;
    this.#context = context;
  }

  get isValid(): boolean {
    return this.#now() < this.#expiresAt;
  }

  /** Gives another header than the rejected one, which another call may have renewed already. */
  next(rejected: string): Promise<string | undefined> | string | undefined {
    if (this.isValid && this.value !== rejected) return this.value;
    const now = this.#now();
    if (now >= this.#retryAt) return this.#renew();
    const seconds = (ms: number): string => `${Math.max(0, Math.ceil(ms / 1_000))} s`;
    const why = isArangoServicesError(this.#failure) ? this.#failure.message : 'asking for a token failed';
    const when = `${seconds(now - this.#failedAt)} ago; asked again in ${seconds(this.#retryAt - now)}`;
    throw new CredentialsError(`${why} (${when})`, {}, this.#failure);
  }

  /** Gives the header, and renews it when it is time; who needs the next one hears of a failure. */
  current(waitUntil: WaitUntil | undefined): string | undefined {
    if (this.#now() >= this.#renewAt && !this.#renewal.underWay) {
      const beside = this.#renew().catch(() => undefined);
      waitUntil?.(beside);
    }
    return this.value;
  }

  /** Gives the milliseconds until the next try; undefined when it would fail in the same way. */
  get retryDelayMs(): number | undefined {
    if (!isArangoServicesError(this.#failure) || retryDelayMs(this.#failure, 0) === undefined) return undefined;
    // Timers may fire up to a millisecond early.
    return this.#retryAt - this.#now() + 1;
  }

  retryNow(): void {
    this.#failure = undefined;
    this.#retryAt = never;
  }

  #now(): number {
    return this.#context.clock.now();
  }

  #renew(): Promise<string | undefined> {
    return this.#renewal.run(() => this.#ask());
  }

  async #ask(): Promise<string | undefined> {
    const startedAt = this.#now();
    try {
      const { token, lifetimeMs = Number.POSITIVE_INFINITY } = await this.#source(this.#context.connection);
      // A request that took too long was given up. If it answers after all, its token is older than the current one.
      if (startedAt >= this.#askedAt) {
        this.#askedAt = startedAt;
        this.value = token === '' ? undefined : `Bearer ${token}`;
        this.#expiresAt = startedAt + Math.max(lifetimeMs - roundingMs, lifetimeMs * renewFrom);
        this.#renewAt = startedAt + lifetimeMs * (renewFrom + jitter * Math.random());
        this.#failures = 0;
        this.retryNow();
      }
      return this.value;
    } catch (error) {
      // What bootstrap credentials failed with.
      const failure = (isCredentialsError(error) && error.cause) || error;
      const at = this.#now();
      this.#failure = failure;
      this.#failedAt = at;
      this.#retryAt = at + waitMs(failure, this.#failures);
      this.#renewAt = at + backoffMs(this.#failures++, firstBackoffMs, longestBackoffMs, 0.5);
      throw failure;
    }
  }
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
  const caches = new WeakMap<CredentialsContext, TokenCache>();

  const cacheOf = (context: CredentialsContext): TokenCache => {
    const cache = caches.get(context) ?? new TokenCache(source, context);
    caches.set(context, cache);
    return cache;
  };

  /** Gives another token than the rejected one. A call with retries waits for the next try, others reject at once. */
  const nextToken = async (context: CredentialsContext, call?: CredentialsCall, rejected = '') => {
    for (let left = call?.retries ?? 0; ; left--) {
      const cache = cacheOf(context);
      try {
        return await cache.next(rejected);
      } catch (error) {
        if (left <= 0 || !(await pause(cache.retryDelayMs, call?.deadline))) throw error;
      }
    }
  };

  return {
    authorize(context, call) {
      const cache = cacheOf(context);
      return cache.isValid ? cache.current(call?.waitUntil) : nextToken(context, call);
    },
    async reject(value, context, call) {
      // A call that was sent before the last renewal says nothing about the current token.
      if (cacheOf(context).value === value) await nextToken(context, call, value);
      return true;
    },
    currentToken(context) {
      const cache = cacheOf(context);
      return cache.isValid ? cache.value : undefined;
    },
    forget(context) {
      // A renewal under way commits to what nobody looks at any more.
      caches.delete(context);
    },
    retryNow(context) {
      cacheOf(context).retryNow();
    },
  };
}
