import type { Clock } from '../connection/credentials.js';
import { findSubtle } from '../jwt/keys.js';
import { readDuration } from '../lib/duration.js';
import {
  accepting,
  listOf,
  optional,
  optionsOf,
  type Reader,
  type ReadOptions,
  readFields,
  readFlag,
  strictObject,
  transform,
} from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { CallerRules } from './caller.js';
import type { CacheLimits } from './decision-cache.js';
import { parseOrigin } from './request.js';
import type { Authenticate } from './source.js';

/** What `createGuard` takes. */
export interface GuardOptions {
  /** Named in the `WWW-Authenticate` of a 401. Default none. */
  readonly realm?: string | undefined;
  /**
   * Takes the session cookie where a request has no `Authorization`. What changes something (anything but GET, HEAD and
   * OPTIONS) must then come from a page of this service: `Sec-Fetch-Site: same-origin`, or an `Origin` that is the
   * request's own or one of `origins`. Default false.
   */
  readonly cookies?: boolean | undefined;
  /**
   * More origins whose pages may use the cookie, for services behind proxies: `['https://shop.example.com']`. Default
   * none.
   */
  readonly origins?: readonly string[] | undefined;
  /** Has `check` and `checkMany` say who the caller is; with a client it is one more request. Default false. */
  readonly identify?: boolean | undefined;
  /**
   * Keeps decisions, Allow and Deny, by a digest of the token and never beyond its `exp`. A permission that is taken
   * away, and a session that ends, count that much later. Default: none are kept.
   */
  readonly cache?:
    | {
        /** How long, as a duration like `'5s'`. */
        readonly ttl: string;
        /** How many answers at the most; the oldest goes first. Default 10 000. */
        readonly max?: number | undefined;
      }
    | undefined;
  /**
   * Whom a token belongs to; a source that is no client needs it. Default: the source's own `authenticate`, a client's
   * `validate`.
   */
  readonly authenticate?: Authenticate | undefined;
  /** The time for the cache, in milliseconds since 1970; a mock's clock fits. Default `Date`. */
  readonly clock?: Clock | undefined;
}

/** Checked options of a guard. */
export interface GuardSettings extends CallerRules {
  readonly realm: string | undefined;
  readonly identify: boolean;
  readonly cache: CacheLimits | undefined;
  readonly authenticate: Authenticate | undefined;
  readonly now: () => number;
}

const readRealm = accepting<string>(
  'printable ASCII without " and \\',
  (value) => typeof value === 'string' && /^[ !#-[\]-~]+$/.test(value),
);

const readOrigin = accepting<string>(
  'an origin like "https://shop.example.com", without a path',
  (value) => typeof value === 'string' && parseOrigin(value) === value,
);

const readMax = accepting<number>(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

const readCache: Reader<CacheLimits> = transform(
  strictObject({ ttl: readDuration, max: optional(readMax, 10_000) }),
  ({ ttl, max }, reading) =>
    findSubtle() === undefined
      ? reading.report('needs crypto.subtle, which this platform does not have')
      : { ttlMs: ttl, max },
);

const guardReaders = {
  realm: readRealm,
  cookies: readFlag,
  origins: listOf(readOrigin),
  identify: readFlag,
  cache: readCache,
  authenticate: accepting<Authenticate>('a function', (value) => typeof value === 'function'),
  clock: accepting<Clock>('an object with now()', (value) => hasMethod(value, 'now')),
};

/** @throws InvalidArgumentError naming the option. */
export function readOptions(options: unknown): GuardSettings {
  const read: ReadOptions<typeof guardReaders> = readFields(options, 'options', optionsOf(guardReaders));
  const { realm, cookies = false, origins = [], identify = false, cache, authenticate, clock } = read;
  return { realm, cookies, origins, identify, cache, authenticate, now: () => (clock ?? Date).now() };
}
