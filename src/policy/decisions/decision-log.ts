import { InvalidArgumentError } from '../../base/errors.js';
import { encodeText, toHex } from '../../base/jwt/bytes.js';
import { findSubtle, requireSubtle } from '../../base/jwt/keys.js';
import { readSecret } from '../../base/jwt/secret.js';
import { readClock } from '../../base/lib/clock.js';
import { asyncDispose } from '../../base/lib/fallbacks.js';
import {
  accepting,
  asGiven,
  expected,
  isWithin,
  listOf,
  oneOf,
  optional,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFields,
  readFunction,
  readName,
  strictObject,
  transform,
  wholeNumber,
} from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { Bytes, WebKey } from '../../base/lib/web-types.js';
import type { MadeDecision } from '../decision-line/made-decision.js';
import { DecisionQueue } from './decision-queue.js';
import { type LineOutput, type LineStream, outputOf } from './line-output.js';

/** The maximum number of cached hashes. */
const most = 10_000;

/** Creates the function that hashes users: HMAC-SHA-256 in hexadecimal digits, the last ones kept. */
function createUserHash(secret: Bytes): (user: string) => Promise<string> | string {
  const hashes = new Map<string, string>();
  let imported: Promise<WebKey> | undefined;

  async function compute(user: string): Promise<string> {
    const subtle = requireSubtle();
    imported ??= subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const hash = toHex(await subtle.sign('HMAC', await imported, encodeText(user)));
    if (hashes.size >= most) hashes.clear();
    hashes.set(user, hash);
    return hash;
  }

  return (user) => hashes.get(user) ?? compute(user);
}

/** Options of `decisionLog`: one of `write` and `stream` is required. */
export interface DecisionLogOptions {
  /** Writes whole lines; the next ones wait for the promise that it returns. */
  readonly write?: ((lines: string) => unknown) | undefined;
  /** A stream that takes the lines. It stays open when the log is closed. */
  readonly stream?: LineStream | undefined;
  /**
   * The share of Allows that is logged, from 0 to 1. Denials, failures and decisions with a `shadow` are always
   * logged. Default 1.
   */
  readonly sample?: number | undefined;
  /** Fields to log that are left out otherwise: `context`. Default none. */
  readonly include?: readonly 'context'[] | undefined;
  /**
   * Writes a keyed hash of the user (HMAC-SHA-256, hexadecimal) instead of the name. Equal names have equal hashes as
   * long as the key is the same. Resources may hold names, too: they are logged as they are.
   */
  readonly hashUsers?:
    | {
        /** The secret; random, at least 32 bytes. */
        readonly key: string | Uint8Array;
      }
    | undefined;
  /** The service that asks, for decisions that name none. */
  readonly service?: string | undefined;
  /** The number of decisions that wait to be written; more are dropped and counted. Default 10 000. */
  readonly buffer?: number | undefined;
  /** The clock of the lines, in milliseconds since 1970; a mock's clock works, too. Default `Date`. */
  readonly clock?: Pick<typeof Date, 'now'> | undefined;
  /** Called with the error of `write` or of the stream. What it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A log of decisions. */
export interface DecisionLog {
  /**
   * Takes a decision. Synchronous, never waits and never throws; needs no `this`, so that it fits as `onDecision`.
   * After `close` it only counts.
   */
  readonly record: (decision: MadeDecision) => void;
  /** The number of decisions that were not written so far: no room, a failed write, a line of more than 1 MiB. */
  readonly dropped: number;
  /** Resolves when all decisions so far were written or dropped. */
  flush(): Promise<void>;
  /** Takes no more decisions, and writes those that wait. */
  close(): Promise<void>;
  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** With a shorter key, names could be found by trying keys. */
const leastKeyBytes = 32;

const readHashUsers: Reader<Bytes> = transform(
  strictObject({ key: asGiven } satisfies ReadersOf<NonNullable<DecisionLogOptions['hashUsers']>>),
  ({ key }, reading) => {
    if (findSubtle() === undefined) return reading.report('needs crypto.subtle, which this runtime lacks');
    try {
      const secret = readSecret(key, 'key', 'pass random bytes');
      // The cast: `readSecret` takes nothing else. It pads its result.
      const { byteLength } = typeof key === 'string' ? encodeText(key) : (key as Uint8Array);
      if (byteLength >= leastKeyBytes) return secret;
      throw new InvalidArgumentError('key', `has fewer than ${leastKeyBytes} bytes: easy to guess`);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      return reading.at('key', undefined, () => reading.report<Bytes>(error.problem));
    }
  },
);

const isStream = (value: unknown): boolean =>
  hasMethod(value, 'getWriter') || (hasMethod(value, 'write') && hasMethod(value, 'on'));

const decisionLogReaders = {
  write: optional(readFunction as Reader<LineOutput>),
  stream: optional(accepting<LineStream>('a writable stream', isStream)),
  sample: optional(accepting<number>('a number from 0 to 1', (value) => isWithin(value, 0, 1))),
  include: optional(listOf(oneOf('context'))),
  hashUsers: optional(readHashUsers),
  service: optional(readName),
  buffer: optional(wholeNumber('a whole number', 1, 1_000_000)),
  clock: optional(readClock),
  onError: optional(readFunction as Reader<(error: unknown) => void>),
} satisfies ReadersOf<DecisionLogOptions>;
export const readDecisionLogOptions = optionsOf(decisionLogReaders);

/**
 * Writes decisions as lines that `readDecisions` reads. Formatting and writing happen later, in turns of their own;
 * what does not fit into the buffer, or cannot be written, is counted, and a `gap` line says so as soon as lines can be
 * written again. Only the fields of {@link MadeDecision} are written: no token and no header, and no context unless
 * `include` names it; `masked` points to what was left out.
 * @throws InvalidArgumentError for invalid options.
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 * import { decisionLog } from 'arango-services/decisions';
 *
 * await using log = decisionLog({ stream: createWriteStream('decisions.jsonl', { flags: 'a' }), service: 'orders' });
 * log.record({ subject: { user: 'alice' }, action: 'orders:read', resource: 'order:7', effect: 'Allow' });
 * ```
 */
export function decisionLog(options: DecisionLogOptions): DecisionLog {
  const settings = readFields(options, 'options', readDecisionLogOptions);
  const { write, stream, sample = 1, include = [], buffer = 10_000, clock = Date, hashUsers, onError } = settings;
  const output = write ?? (stream && outputOf(stream));
  if (output === undefined) throw expected('write', 'a function, or a stream as `stream`', write);
  if (write && stream)
    throw new InvalidArgumentError('write', 'expected a function, or a stream as `stream`, got both');
  const queue = new DecisionQueue({
    output,
    rules: { service: settings.service, withContext: include.includes('context') },
    hash: hashUsers && createUserHash(hashUsers),
    buffer,
    now: () => clock.now(),
    onError,
  });
  const close = (): Promise<void> => queue.close();
  return {
    record: (decision) => {
      try {
        const { effect, reason, shadow } = decision;
        if (sample < 1 && effect === 'Allow' && reason !== 'failed' && !shadow && Math.random() >= sample) return;
        queue.add(decision);
      } catch {
        queue.drop(1);
      }
    },
    get dropped() {
      return queue.dropped;
    },
    flush: () => queue.flush(),
    close,
    [asyncDispose]: close,
  };
}
