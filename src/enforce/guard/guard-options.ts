import { InvalidArgumentError } from '../../base/errors.js';
import { findSubtle } from '../../base/jwt/keys.js';
import { readClock } from '../../base/lib/clock.js';
import { readDuration } from '../../base/lib/duration.js';
import {
  accepting,
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readFields,
  readFlag,
  readFunction,
  strictObject,
  transform,
  wholeNumber,
  withMethods,
} from '../../base/lib/readers.js';
import { isCredentialHeader } from '../../base/secrets/names.js';
import type { Clock } from '../../client/connection/credentials-contract.js';
import { timeoutOption } from '../../client/connection/deadline.js';
import type { OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Decider } from '../../policy/model/decider.js';
import type { Authenticate } from '../../policy/model/subject.js';
import type { CallerRules } from './caller.js';
import type { CacheLimits } from './decision-cache.js';
import { parseOrigin } from './guarded-request.js';
import type { OnShadow } from './shadow.js';

/** Options of `createGuard`. */
export interface GuardOptions {
  /** The realm in the `WWW-Authenticate` header of a 401. Default none. */
  readonly realm?: string | undefined;
  /**
   * Accepts the session cookie if a request has no `Authorization` header. Requests other than GET, HEAD and OPTIONS,
   * and WebSocket upgrades, must then come from a page of this service: `Sec-Fetch-Site: same-origin`, or an `Origin`
   * that is the request's own or one of `origins`. Default false.
   */
  readonly cookies?: boolean | undefined;
  /**
   * Other origins whose pages may use the cookie, for services behind proxies: `['https://shop.example.com']`. Default
   * none.
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * Makes `check` and `checkMany` of a guard over a client identify the caller, by one more request. A guard over a
   * `Decider` always does. Default false.
   */
  readonly identify?: boolean | undefined;
  /**
   * Caches answers, keyed by a digest of the token and never beyond its `exp`. Over a client, it caches decisions
   * (Allow and Deny) and the owners of tokens, so a revoked permission or an ended session takes effect up to `ttl`
   * late. Over a `Decider`, it caches only the owners of tokens, never a decision. Default: no caching.
   */
  readonly cache?:
    | {
        /** The lifetime of an answer, as a duration like `'5s'`. */
        readonly ttl: string;
        /** The maximum number of answers; the oldest is evicted first. Default 10 000. */
        readonly max?: number | undefined;
      }
    | undefined;
  /**
   * Identifies the owner of a token; required for a source other than a client, unless it has its own `authenticate`. A
   * result without a user is a superuser only with `superuser: true`, or a subject with roles if it has groups; any
   * other gets a 401, and what is not an object a 503. Default: the source's own `authenticate`, a client's `validate`.
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Milliseconds for a decision, whatever the source's own timeout is; then the access is a 503. Default 5000; 0 and
   * Infinity mean none.
   */
  readonly timeout?: number | undefined;
  /**
   * Gets each decision of `check` and `checkMany`, also those from the cache, like `record` of a decision log. A guard
   * over a client then identifies the caller, as with `identify`. A request without a valid token and a failed call
   * are not decisions. What the hook throws is ignored. Default none.
   */
  readonly onDecision?: OnDecision | undefined;
  /**
   * A second decider, which is asked each question of `check` and `checkMany` after the answer: an evaluator, a replica
   * or its overlay, the client of a PDP, `client.authorization`. Its answer is compared and never enforced, and it
   * neither delays nor fails the guard's. It gets the user or the superuser, never the token. A guard over a client
   * identifies the caller for it, after the answer. The decisions that `onDecision` is told wait for it, at most
   * `shadowTimeoutMs`. Default none.
   */
  readonly shadow?: Decider | undefined;
  /**
   * Called with each decision as `onDecision`, but always at the time of the answer, within the span of the request,
   * and so without the answer of a shadow. What the hook throws is ignored. Default none.
   */
  readonly onAnswer?: OnDecision | undefined;
  /** Called with each decision that the shadow disagrees with. What the hook throws is ignored. Default none. */
  readonly onShadow?: OnShadow | undefined;
  /** Milliseconds for an answer of the shadow, from 1 to 60 000; then it counts as failed. Default 1000. */
  readonly shadowTimeoutMs?: number | undefined;
  /**
   * The maximum number of checks that wait for the shadow; the questions of further ones are dropped and counted.
   * Default 1000.
   */
  readonly shadowLimit?: number | undefined;
  /**
   * A request header whose value is the `revision` of a write, or several with commas between them: decisions on the
   * request reflect these writes, as with `atLeast` of a question. Any caller can then make its own request wait, at
   * most `timeout`. Needs a replica as the source. Default none: no header counts.
   */
  readonly revisionHeader?: string | undefined;
  /** The clock of the cache, in milliseconds since 1970; a mock's clock works, too. Default `Date`. */
  readonly clock?: Clock | undefined;
}

/** The validated options of a guard. */
export interface GuardSettings extends CallerRules {
  readonly realm: string | undefined;
  readonly identify: boolean;
  readonly cache: CacheLimits | undefined;
  readonly authenticate: Authenticate | undefined;
  readonly timeout: number;
  readonly onDecision: OnDecision | undefined;
  readonly onAnswer: OnDecision | undefined;
  /** True if a hook gets each decision, for which the caller is identified. */
  readonly emits: boolean;
  readonly shadow: Decider | undefined;
  readonly onShadow: OnShadow | undefined;
  readonly shadowTimeoutMs: number;
  readonly shadowLimit: number;
  /** In lower case. */
  readonly revisionHeader: string | undefined;
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

/** Headers with another meaning for a guard, beside those of credentials. */
const notForRevisions = new Set(['host', 'origin', 'sec-fetch-site', 'upgrade']);

const readMax = accepting<number>(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

const readCache: Reader<CacheLimits> = transform(
  strictObject({
    ttl: readDuration,
    max: optional(readMax, 10_000),
  } satisfies ReadersOf<NonNullable<GuardOptions['cache']>>),
  ({ ttl, max }, reading) =>
    findSubtle() === undefined ? reading.report('needs crypto.subtle, which this runtime lacks') : { ttlMs: ttl, max },
);

const readHeaderName = transform(
  accepting<string>(
    'the name of a header',
    (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(value),
  ),
  (name, reading) =>
    notForRevisions.has(name.toLowerCase()) || isCredentialHeader(name.toLowerCase())
      ? reading.report<string>('expected a header of its own, like "x-revision"')
      : name.toLowerCase(),
);

const readAuthenticate = readFunction as Reader<Authenticate>;

// Every option becomes an own property, so that options from a polluted prototype do not count.
export const readGuardOptions = strictObject({
  realm: optional(readRealm),
  cookies: optional(readFlag, false),
  origins: optional(listOf(readOrigin), []),
  identify: optional(readFlag, false),
  cache: optional(readCache),
  authenticate: optional(readAuthenticate),
  timeout: optional(timeoutOption, 5_000),
  onDecision: optional(readFunction as Reader<OnDecision>),
  onAnswer: optional(readFunction as Reader<OnDecision>),
  shadow: optional(withMethods<Decider>('a decider with evaluate and evaluateMany', 'evaluate', 'evaluateMany')),
  onShadow: optional(readFunction as Reader<OnShadow>),
  shadowTimeoutMs: optional(wholeNumber('milliseconds', 1, 60_000), 1_000),
  shadowLimit: optional(wholeNumber('a whole number', 1, 100_000), 1_000),
  revisionHeader: optional(readHeaderName),
  clock: optional(readClock),
} satisfies ReadersOf<GuardOptions>);

/** @throws InvalidArgumentError naming the option. */
export function readOptions(options: unknown): GuardSettings {
  const { clock = Date, ...settings } = readFields(options, 'options', readGuardOptions);
  if (settings.onShadow !== undefined && settings.shadow === undefined) {
    throw new InvalidArgumentError('onShadow', 'needs a shadow');
  }
  return { ...settings, emits: Boolean(settings.onDecision ?? settings.onAnswer), now: () => clock.now() };
}
