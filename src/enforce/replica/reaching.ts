/// <reference lib="esnext.disposable" preserve="true" />

import { AbortError, TimeoutError } from '../../base/errors.js';
import { type Resolvers, withResolvers } from '../../base/lib/fallbacks.js';
import {
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  refuseKind,
  strictObject,
  wholeNumber,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { race, scopedController } from '../../base/lib/wait.js';
import { signalOption } from '../../client/connection/deadline.js';
import { readRevision, type Write } from '../../policy/model/read-revision.js';
import type { PoolKind } from '../../policy/pool/pool-items.js';
import type { PolicyCopy } from './policy-copy.js';
import { ReplicaError } from './replica-error.js';
import type { ReplicaFailure } from './replica-failure.js';
import { notReady } from './waiting.js';

/** A write: what a call of `policies`, `roles` or `bindings` returned, or its `revision`. */
export type Written = string | { readonly revision: string };

/** The limits of a wait for a write. */
export interface ReachedOptions {
  /** The timeout in milliseconds, from 1 to 600 000. Default 30 000. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const readReachedOptions = strictObject({
  timeout: optional(wholeNumber('milliseconds', 1, 600_000), 30_000),
  signal: optional(signalOption),
} satisfies ReadersOf<ReachedOptions>);

/** Reads one write. Other fields of what a call returned are ignored. */
const readOne: Reader<Write> = (value, reading) => {
  if (typeof value === 'string') return readRevision(value, reading);
  if (!isObject(value)) return refuseKind(reading, 'what a write returned, or its revision', value);
  const revision = Object.hasOwn(value, 'revision') ? value.revision : undefined;
  return reading.at('revision', revision, readRevision);
};

const readMany = listOf(readOne, 100);

/** Reads one write or a list of them. */
const readWritten: Reader<readonly Write[]> = (value, reading) =>
  Array.isArray(value) ? readMany(value, reading) : [readOne(value, reading)];

/** The copy that decides, and whether it may. */
interface CopyNow {
  readonly copy: PolicyCopy;
  /** False before the first confirmed state. */
  readonly decides: boolean;
  readonly lastError: ReplicaFailure | undefined;
}

/** A pending call for one write. */
interface Waiter extends Resolvers<void> {
  readonly write: Write;
  /** The time of the call, on the monotonic clock. */
  readonly since: number;
  /** True once the service has shown, since the call, that the copy has its history with all changes so far. */
  confirmed: boolean;
}

/** A message on a stream confirms the copy only if it came this long after the call: it may have been under way. */
const settleMs = 1_000;

/** The most writes in `#old`. */
const mostOld = 1_000;

/**
 * The pending calls of `reached`. Once the copy has reached the index of a write, it holds the write if it has the
 * write's digest for this index. If it has another digest or has dropped it, the call waits until the service confirms
 * the copy: the deployment may have been restored, so that the copy has another history.
 */
export class Reaching {
  readonly #waiters = new Set<Waiter>();
  readonly #now: () => CopyNow;
  /** Writes whose digests the copy has dropped, and which the service confirmed. */
  #old = new Set<string>();

  constructor(now: () => CopyNow) {
    this.#now = now;
  }

  /**
   * Waits until the copy holds all of these writes.
   * @throws InvalidArgumentError, ReplicaError, TimeoutError, AbortError
   */
  async reached(written: unknown, options: ReachedOptions): Promise<void> {
    const writes = readArgument(written, 'written', readWritten);
    const { timeout, signal } = readFields(options, 'options', readReachedOptions);
    using all = scopedController(...(signal ? [signal] : []));
    try {
      await Promise.all(writes.map((write) => this.#wait(write, timeout, all.signal)));
    } finally {
      // After a failure nothing waits for the other writes.
      all.abort();
    }
  }

  async #wait(write: Write, timeout: number, signal: AbortSignal): Promise<void> {
    if (this.#judge(write, false) === true) return;
    const waiter = { ...withResolvers<void>(), write, since: performance.now(), confirmed: false };
    this.#waiters.add(waiter);
    const overdue = () => this.#overdue(waiter, timeout);
    try {
      await race(waiter.promise, { signal, ms: timeout, overdue });
    } catch (error) {
      throw signal.aborted && error === signal.reason ? new AbortError({}, error) : error;
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** The copy was replaced by a state that was read from this time on. */
  swapped(readAt: number): void {
    this.#old = new Set();
    for (const waiter of this.#waiters) if (readAt > waiter.since) waiter.confirmed = true;
    this.look();
  }

  /** The service has confirmed the history of a kind, with all changes so far. */
  heard(kind: PoolKind): void {
    if (this.#waiters.size === 0) return;
    const now = performance.now();
    for (const waiter of this.#waiters) {
      if (waiter.write.kind !== kind) continue;
      if (now >= waiter.since + settleMs) waiter.confirmed = true;
      this.#look(waiter);
    }
  }

  /** Looks at all pending calls: the copy may decide now. */
  look(): void {
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  /** Rejects all pending calls. */
  close(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  #look(waiter: Waiter): void {
    const { write, confirmed } = waiter;
    const isHeld = this.#judge(write, confirmed);
    if (isHeld === true) waiter.resolve();
    else if (isHeld === false) {
      waiter.reject(otherHistory(`the write ${write.index} of the ${write.kind} is another one there`));
    }
  }

  /** True if the copy holds a write, false if it never will, undefined if that is not known yet. */
  #judge(write: Write, confirmed: boolean): boolean | undefined {
    const { copy, decides } = this.#now();
    const { kind, index, digest } = write;
    if (!decides || copy.indexes[kind] < index) return undefined;
    const isKnown = copy.recent.has(write);
    if (isKnown === false) return confirmed ? false : undefined;
    if (isKnown) return true;
    const key = `${kind} ${index} ${digest}`;
    if (confirmed) this.#remember(key);
    return this.#old.has(key) || undefined;
  }

  #remember(key: string): void {
    if (this.#old.size >= mostOld) this.#old.clear();
    this.#old.add(key);
  }

  /** The error for a write that did not come in time. */
  #overdue({ write: { kind, index }, confirmed }: Waiter, timeout: number): Error {
    const { copy, decides, lastError } = this.#now();
    const newest = copy.indexes[kind];
    if (!decides && lastError !== undefined) return notReady(lastError, ` within ${timeout} ms`);
    return confirmed && newest < index
      ? otherHistory(`the newest write of the ${kind} is ${newest} there, not ${index}, even ${timeout} ms later`)
      : new TimeoutError({}, timeout);
  }
}

const otherHistory = (what: string): ReplicaError =>
  new ReplicaError(
    'OTHER_HISTORY',
    `the service does not have this write: ${what}; it was made in another deployment, or this one was restored`,
  );
