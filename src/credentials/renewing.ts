import type { AuthorizedSender, Credentials, CredentialsContext } from '../connection/credentials.js';

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
  reject(value: string, context: CredentialsContext): Promise<boolean>;
  currentToken(context: CredentialsContext): string | undefined;
}

/** The token of one client. */
interface Cache {
  /** The header; undefined where the deployment asks for none. */
  value?: string | undefined;
  expiresAt: number;
  renewAt: number;
  renewal?: Promise<string | undefined> | undefined;
  failures: number;
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
export function renewing(source: TokenSource): RenewingCredentials {
  const caches = new WeakMap<CredentialsContext, Cache>();

  const cacheOf = (context: CredentialsContext): Cache => {
    let cache = caches.get(context);
    if (cache === undefined) {
      cache = { expiresAt: Number.NEGATIVE_INFINITY, renewAt: 0, failures: 0 };
      caches.set(context, cache);
    }
    return cache;
  };

  const run = async (cache: Cache, { clock, connection }: CredentialsContext): Promise<string | undefined> => {
    const startedAt = clock.now();
    try {
      const { token, lifetimeMs = Number.POSITIVE_INFINITY } = await source(connection);
      cache.value = token === '' ? undefined : `Bearer ${token}`;
      cache.expiresAt = startedAt + Math.max(lifetimeMs - roundingMs, lifetimeMs * renewFrom);
      cache.renewAt = startedAt + lifetimeMs * (renewFrom + jitter * Math.random());
      cache.failures = 0;
      return cache.value;
    } catch (error) {
      const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** cache.failures++);
      cache.renewAt = clock.now() + backoffMs * (0.5 + Math.random() / 2);
      throw error;
    }
  };

  /** Joins the renewal under way, or starts one. */
  const renew = (cache: Cache, context: CredentialsContext): Promise<string | undefined> => {
    cache.renewal ??= run(cache, context).finally(() => {
      cache.renewal = undefined;
    });
    return cache.renewal;
  };

  return {
    authorize(context) {
      const cache = cacheOf(context);
      const now = context.clock.now();
      if (!(now < cache.expiresAt)) return renew(cache, context);
      // Whoever needs the next token hears of a failure.
      if (now >= cache.renewAt && cache.renewal === undefined) renew(cache, context).catch(() => undefined);
      return cache.value;
    },
    async reject(value, context) {
      const cache = cacheOf(context);
      // A call that was sent before the last renewal says nothing about the token that is held now.
      if (cache.value === value) await renew(cache, context);
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
  };
}
