import { checkedClock } from '../../base/lib/clock.js';
import { readDuration } from '../../base/lib/duration.js';
import {
  accepting,
  anyText,
  filled,
  isWithin,
  listOf,
  oneOf,
  optional,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFlag,
  strictObject,
  transform,
  withMethods,
} from '../../base/lib/readers.js';

import { hasMethod } from '../../base/lib/values.js';
import type { PlatformVersion } from '../../mock/platform-version.js';
import type { Fidelity } from '../../policy/index.js';
import { type AuthorizationType, authorizationTypes } from '../../policy/model/authorization-type.js';
import type { PoolTransport } from '../../policy/pool/pool-items.js';
import type { DeploymentSettings } from './deployment-settings.js';
import type { ConformanceClock } from './pace.js';

/** A difference that is known: it is reported, and does not count. */
export interface KnownDifference {
  /** The name of the check, as a report has it; a `*` at its end stands for any rest. */
  readonly check: string;
  /** The part of the answer, as a report has it. Default: every part. */
  readonly at?: string | undefined;
  /** Why the difference is accepted, for people. */
  readonly reason?: string | undefined;
}

/** Options of {@link checkConformance}. */
export interface ConformanceOptions {
  /**
   * The settings that the deployment is expected to have. Those that are missing are found out: the ones that fit best.
   */
  readonly settings?: Partial<DeploymentSettings> | undefined;
  /** Users whose bindings are read, so that decisions about them are compared. Default: those of `streams`. */
  readonly users?: readonly string[] | undefined;
  /**
   * The deployment's secret, or its private ES256 key as PEM. With it more tokens can be tried: expired ones, and those
   * of other users. It is not sent.
   */
  readonly secret?: string | undefined;
  /**
   * The pool streams: `poolTransport(address)` of `arango-services/replica`, or `mockPool(mock)` of
   * `arango-services/mock/node`. They also name all users.
   */
  readonly streams?: PoolTransport | undefined;
  /** True for questions that write, below names with a random prefix, which are removed at the end. Default false. */
  readonly write?: boolean | undefined;
  /** The most questions a second. Default 20. */
  readonly rate?: number | undefined;
  /** Differences that do not count. */
  readonly known?: readonly KnownDifference[] | undefined;
  /** Ends the run early: what was written is removed, and the report says `stopped`. */
  readonly signal?: AbortSignal | undefined;
  /** The clock of pauses, for tests. Default: the system's. */
  readonly clock?: ConformanceClock | undefined;
}

const seconds: Reader<string> = (value, reading) => {
  readDuration(value, reading);
  // The cast: a duration was read from a text.
  return value as string;
};

const readSettings: Reader<Partial<DeploymentSettings>> = transform(
  optionsOf({
    fidelity: oneOf<Fidelity>('documented', 'sidecar'),
    platform: oneOf<PlatformVersion>('1.4.4', 'recorded', 'next'),
    authentication: readFlag,
    type: oneOf<AuthorizationType>(...authorizationTypes),
    central: readFlag,
    cookies: readFlag,
    passive: readFlag,
    ttl: strictObject({ min: seconds, max: seconds, default: seconds }),
  } satisfies ReadersOf<DeploymentSettings>),
  // The cast: settings without those that are undefined.
  (settings) =>
    Object.fromEntries(
      Object.entries(settings).filter(([, setting]) => setting !== undefined),
    ) as Partial<DeploymentSettings>,
);

const readKnown = strictObject({
  check: filled(anyText),
  at: optional(anyText),
  reason: optional(anyText),
} satisfies ReadersOf<KnownDifference>);

const readStreams = accepting<PoolTransport>('a transport like mockPool(mock)', (value) => hasMethod(value, 'open'));

export const readConformanceOptions = optionsOf({
  settings: readSettings,
  users: listOf(anyText),
  secret: filled(anyText),
  streams: readStreams,
  write: readFlag,
  rate: accepting<number>('a number of questions a second, more than 0', (value) =>
    isWithin(value, Number.MIN_VALUE, Number.POSITIVE_INFINITY),
  ),
  known: listOf(readKnown, Number.POSITIVE_INFINITY),
  signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener'),
  clock: transform(withMethods<ConformanceClock>('an object with now() and sleep()', 'now', 'sleep'), (clock) => ({
    ...checkedClock(clock),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
  })),
} satisfies ReadersOf<ConformanceOptions>);
