import type { Clock } from '../connection/credentials.js';
import { findSubtle } from '../jwt/keys.js';
import { readDuration } from '../lib/duration.js';
import {
  accepting,
  listOf,
  optional,
  type Reader,
  readFields,
  readFlag,
  strictObject,
  transform,
} from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { Authenticate } from '../policy/subject.js';
import type { CallerRules } from './caller.js';
import type { CacheLimits } from './decision-cache.js';
import { parseOrigin } from './request.js';

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
  /**
   * Has `check` and `checkMany` of a guard over a client say who the caller is, by one more request. A guard over a
   * `Decider` always does. Default false.
   */
  readonly identify?: boolean | undefined;
  /**
   * Keeps answers by a digest of the token and never beyond its `exp`. Over a client: decisions, Allow and Deny, and
   * the owners of tokens, so that a permission that is taken away, and a session that ends, count that much later. Over
   * a `Decider`: the owners of tokens alone, and never a decision. Default: nothing is kept.
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
   * Says whom a token belongs to; a source other than a client needs it, unless it knows by itself. An answer without a
   * user is a superuser's only if it says `superuser: true`, and a subject by its roles if it has groups; any other is
   * answered 401. Default: the source's own `authenticate`, a client's `validate`.
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

/** Reads an `authenticate` of the caller. */
const readAuthenticate = accepting<Authenticate>('a function', (value) => typeof value === 'function');

// Every option becomes an own field: options from a polluted prototype must not count.
const readGuardOptions = strictObject({
  realm: optional(readRealm),
  cookies: optional(readFlag, false),
  origins: optional(listOf(readOrigin), []),
  identify: optional(readFlag, false),
  cache: optional(readCache),
  authenticate: optional(readAuthenticate),
  clock: optional(accepting<Clock>('an object with now()', (value) => hasMethod(value, 'now'))),
});

/** @throws InvalidArgumentError naming the option. */
export function readOptions(options: unknown): GuardSettings {
  const { clock = Date, ...settings } = readFields(options, 'options', readGuardOptions);
  return { ...settings, now: () => clock.now() };
}
