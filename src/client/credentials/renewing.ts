import { isArangoServicesError } from '../../base/arango-services-error.js';
import { isCredentialsError } from '../../base/error-guards.js';
import { CredentialsError, type HttpError } from '../../base/errors.js';
import { backoffMs } from '../../base/lib/backoff.js';
import { quietly } from '../../base/lib/quietly.js';
import { SingleFlight } from '../../base/lib/single-flight.js';
import type {
  AuthorizedSender,
  Credentials,
  CredentialsCall,
  CredentialsContext,
  WaitUntil,
} from '../connection/credentials-contract.js';
import { pause, retryDelayMs } from '../connection/retries.js';
import { firstBackoffMs, renewAfterMs, renewalBackoffMs, usableMs } from './renewal-times.js';
import { TokenNews } from './token-news.js';

/** A new token from its source. */
interface FreshToken {
  /** Empty if the deployment requires none. */
  readonly token: string;
  /** The remaining lifetime; undefined if it does not expire. */
  readonly lifetimeMs?: number | undefined;
}

/** Requests a token, over a connection without credentials. */
export type TokenSource = (connection: AuthorizedSender) => Promise<FreshToken>;

/** Credentials with a token cache per client. */
export interface RenewingCredentials extends Credentials {
  forget(context: CredentialsContext): void;
  reject(value: string, context: CredentialsContext, call?: CredentialsCall): Promise<boolean>;
  currentToken(context: CredentialsContext): string | undefined;
  /** Ends the backoff, so that the next call requests a token at once. */
  retryNow(context: CredentialsContext): void;
  onToken: TokenNews['onToken'];
}

/** How long a call waits for an in-flight token request before it sends its own. */
const patienceMs = 5_000;
const never = Number.NEGATIVE_INFINITY;
const longestWaitMs = 5_000;
const longestRetryAfterMs = 60_000;
// Rejected credentials stay rejected until they are changed.
const refusedWaitMs = 30_000;

/** The delay before the next token request after a failure, while there is no valid token. */
function waitMs(error: unknown, failures: number): number {
  const { status = 0, retryAfterMs = 0 } = Object(error) as Partial<HttpError>;
  if (status === 401 || status === 403) return refusedWaitMs;
  return Math.max(backoffMs(failures, firstBackoffMs, longestWaitMs), Math.min(retryAfterMs, longestRetryAfterMs));
}

/** The cached token of one client. Times are on the client's clock. */
class TokenCache {
  /** The header value; undefined if the deployment requires none. */
  declare value: string | undefined;
  readonly #source: TokenSource;
  readonly #context: CredentialsContext;
  readonly #news: TokenNews;
  readonly #renewal = new SingleFlight<string | undefined>(patienceMs);
  #askedAt = never;
  #expiresAt = never;
  #renewAt = never;
  #failures = 0;
  /** The last failure, and the time of the next attempt. */
  #failure: unknown;
  #retryAt = never;

  constructor(source: TokenSource, context: CredentialsContext, news: TokenNews) {
    this.#source = source;
    this.#context = context;
    this.#news = news;
  }

  get isValid(): boolean {
    return this.isGoodFor(0);
  }

  /** Tells whether the token stays valid that long; one with a shorter lifetime, whether it is not due for renewal. */
  isGoodFor(ms: number): boolean {
    const now = this.#now();
    return now + ms < this.#expiresAt || (ms > this.#expiresAt - this.#askedAt && now < this.#renewAt);
  }

  /** Returns a header other than the rejected one; another call may have renewed it already. */
  next(rejected: string): Promise<string | undefined> | string | undefined {
    if (this.isValid && this.value !== rejected) return this.value;
    const now = this.#now();
    if (now >= this.#retryAt) return this.#renew();
    const why = isArangoServicesError(this.#failure) ? this.#failure.message : 'asking for a token failed';
    const seconds = Math.ceil((this.#retryAt - now) / 1_000);
    throw new CredentialsError(`${why} (next attempt in ${seconds} s)`, {}, this.#failure);
  }

  /** Returns the header and renews it when due. The next call that needs a token gets the error of a failed renewal. */
  current(waitUntil: WaitUntil | undefined): string | undefined {
    if (this.#now() >= this.#renewAt && !this.#renewal.underWay) {
      const beside = quietly(() => this.#renew());
      waitUntil?.(beside);
    }
    return this.value;
  }

  /** The delay until the next attempt, in milliseconds; undefined if retrying is pointless. */
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
      // A late response to an abandoned request must not replace a newer token.
      if (startedAt >= this.#askedAt) {
        this.#askedAt = startedAt;
        this.value = token === '' ? undefined : `Bearer ${token}`;
        this.#expiresAt = startedAt + usableMs(lifetimeMs);
        this.#renewAt = startedAt + renewAfterMs(lifetimeMs);
        this.#failures = 0;
        this.retryNow();
        if (this.value) this.#news.emit(this.#context, this.value);
      }
      return this.value;
    } catch (error) {
      // Unwraps the failure of the bootstrap credentials.
      const failure = (isCredentialsError(error) && error.cause) || error;
      const at = this.#now();
      this.#failure = failure;
      this.#retryAt = at + waitMs(failure, this.#failures);
      this.#renewAt = at + renewalBackoffMs(this.#failures++);
      throw failure;
    }
  }
}

/**
 * Caches one token of a source per client. Calls trigger the renewal: past 75% of the lifetime (up to 85%, at random) a
 * call uses the current token and starts a renewal in the background, one at a time. No timer runs between calls.
 * Lifetimes are measured on the client's clock, from the time of the token request.
 *
 * If a renewal fails, the current token is used while it is valid, and the next attempt backs off (1 s, doubled up to
 * 60 s, jittered). Without a valid token, calls reject at once with the last failure until the next attempt: 30 s after
 * a 401 or 403, else 1 s, doubled up to 5 s, or the `Retry-After` (up to 60 s) if that is longer.
 */
export function renewing(source: TokenSource): RenewingCredentials {
  const caches = new WeakMap<CredentialsContext, TokenCache>();
  const news = new TokenNews();

  const cacheOf = (context: CredentialsContext): TokenCache => {
    const cache = caches.get(context) ?? new TokenCache(source, context, news);
    caches.set(context, cache);
    return cache;
  };

  /** Returns a token other than the rejected one. Calls with retries wait for the next attempt, others reject. */
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
      const { goodForMs = 0 } = call ?? {};
      return cache.isGoodFor(goodForMs) ? cache.current(call?.waitUntil) : nextToken(context, call, cache.value);
    },
    async reject(value, context, call) {
      // A call sent before the last renewal says nothing about the current token.
      if (cacheOf(context).value === value) await nextToken(context, call, value);
      return true;
    },
    currentToken(context) {
      const cache = cacheOf(context);
      return cache.isValid ? cache.value : undefined;
    },
    onToken: news.onToken,
    forget(context) {
      // An in-flight renewal writes to the discarded cache.
      caches.delete(context);
    },
    retryNow(context) {
      cacheOf(context).retryNow();
    },
  };
}
