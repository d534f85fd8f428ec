import type { Fidelity } from '../policy/index.js';
import { type PoolItem, type PoolKind, poolKinds } from '../pool/items.js';
import { Copy } from './copy.js';
import { type Failure, outOfRangeCode, ownFailure, toReplicaFailure } from './failure.js';
import type { PoolSession } from './session.js';
import { Slices } from './slices.js';

/** Who hears what becomes of the copy. */
interface SyncListener {
  /** A whole state was read: `copy` is what decisions are made from. Its streams of changes begin now. */
  swapped(copy: Copy): void;
  /** Changes of a kind were taken in. */
  changed(kind: PoolKind, items: readonly PoolItem[]): void;
  /** The service was heard of a kind. */
  heard(kind: PoolKind): void;
  failed(failure: Failure): void;
  /** Whether the changes cannot be followed, so that everything is read again at growing intervals. */
  rereading(on: boolean): void;
}

/** What a sync works with. */
export interface SyncSettings {
  readonly session: PoolSession;
  readonly fidelity: Fidelity;
  /** Whether bindings of several users may go by one name. */
  readonly sharesNames: boolean;
  readonly origin: string | undefined;
  readonly listener: SyncListener;
}

// After so much silence the service is to send an empty message. The deployment's own client asks for the same.
const timeoutMs = 15_000;
// A stream of changes that is silent for longer is dead, also where the connection still answers pings.
const followSilenceMs = 20_000;
const readSilenceMs = 60_000;
const retry = { firstMs: 250, longestMs: 15_000 };
const reread = { firstMs: 1_000, longestMs: 60_000 };

class SilenceError extends Error {
  /** DEADLINE_EXCEEDED */
  readonly code = 4;
}

/** Waits; the signal ends the wait early. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Times between tries: doubled from one to the next, and somewhere in their upper half. */
class Backoff {
  #failures = 0;

  next(): number {
    const ms = Math.min(retry.longestMs, retry.firstMs * 2 ** this.#failures++);
    return ms * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/**
 * Reads everything, follows the changes, and reads everything again where they cannot be followed; until the signal
 * aborts.
 */
export async function sync(settings: SyncSettings, signal: AbortSignal): Promise<void> {
  const { listener } = settings;
  const backoff = new Backoff();
  // How often everything was read and then a kind could not be followed at once, and which kind.
  let again = 0;
  let stuck: PoolKind | undefined;
  const onFollowed = (kind: PoolKind): void => {
    if (kind !== stuck) return;
    again = 0;
    stuck = undefined;
    listener.rereading(false);
  };
  while (!signal.aborted) {
    let copy: Copy;
    try {
      copy = await readAll(settings, signal);
    } catch (error) {
      if (signal.aborted) return;
      listener.failed(failureOf(settings, error));
      await pause(backoff.next(), signal);
      continue;
    }
    backoff.reset();
    listener.swapped(copy);
    const round = new AbortController();
    const end = (): void => round.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    const followers = poolKinds.map((kind) => followChanges(settings, { copy, kind }, round.signal, onFollowed));
    const lost = await Promise.race(followers);
    if (lost !== undefined) {
      listener.failed(lost.failure);
      again = lost.followed ? 1 : again + 1;
      stuck = lost.kind;
      // At once the first time; where it happens at once again, it would go on for ever.
      listener.rereading(again > 1);
      // The other kinds are followed meanwhile.
      if (again > 1) await pause(Math.min(reread.longestMs, reread.firstMs * 2 ** (again - 2)), signal);
    }
    round.abort();
    signal.removeEventListener('abort', end);
    await Promise.all(followers);
  }
}

const failureOf = ({ origin }: SyncSettings, error: unknown): Failure => toReplicaFailure(error, origin);

/** The whole state, read beside the one that decides. The event loop gets its turn meanwhile. */
async function readAll({ session, fidelity, sharesNames, listener }: SyncSettings, signal: AbortSignal): Promise<Copy> {
  const copy = new Copy(fidelity, sharesNames);
  const stop = new AbortController();
  const end = (): void => stop.abort(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const slices = new Slices();
  const read = async (kind: PoolKind): Promise<void> => {
    const overdue = () => new SilenceError(`reading the ${kind}: nothing was heard for ${readSilenceMs / 1_000} s`);
    for await (const items of session.open({ kind }, stop.signal, readSilenceMs, overdue)) {
      listener.heard(kind);
      await slices.each(items, (item) => copy.apply(kind, item));
    }
    listener.heard(kind);
  };
  try {
    await Promise.all(poolKinds.map(read));
    return copy;
  } finally {
    signal.removeEventListener('abort', end);
    // Where one of them failed, the others need not go on.
    stop.abort();
  }
}

/** Why the changes of a kind cannot be followed, and whether anything of them was heard before. */
interface Lost {
  readonly kind: PoolKind;
  readonly failure: Failure;
  readonly followed: boolean;
}

/** What is followed. */
interface Followed {
  readonly copy: Copy;
  readonly kind: PoolKind;
}

/**
 * Follows the changes of a kind, through broken streams, until everything has to be read again or the signal aborts.
 */
async function followChanges(
  settings: SyncSettings,
  following: Followed,
  signal: AbortSignal,
  onFollowed: (kind: PoolKind) => void,
): Promise<Lost | undefined> {
  const { session, listener } = settings;
  const backoff = new Backoff();
  const { copy, kind } = following;
  let followed = false;
  const overdue = () => new SilenceError(`following the ${kind}: nothing was heard for ${followSilenceMs / 1_000} s`);
  while (!signal.aborted) {
    try {
      const changes = { start: copy.indexes[kind], timeoutMs };
      for await (const message of session.open({ kind, changes }, signal, followSilenceMs, overdue)) {
        if (signal.aborted) return undefined;
        const items = [...message];
        const problem = take(following, items);
        if (problem !== undefined) return { kind, failure: ownFailure(outOfRangeCode, problem), followed };
        if (!followed) onFollowed(kind);
        followed = true;
        backoff.reset();
        listener.heard(kind);
        if (items.length > 0) listener.changed(kind, items);
      }
      if (signal.aborted) return undefined;
      listener.failed(ownFailure(14, `the stream of the ${kind} ended`));
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = failureOf(settings, error);
      if (failure.grpcCode === outOfRangeCode) return { kind, failure, followed };
      listener.failed(failure);
    }
    await pause(backoff.next(), signal);
  }
  return undefined;
}

/**
 * Takes changes in, each exactly once and in order: a stream begins at the newest item of the state that was read, so
 * that what was made and deleted since then comes once more. Returns why that cannot be.
 */
function take({ copy, kind }: Followed, items: readonly PoolItem[]): string | undefined {
  for (const item of items) {
    const known = copy.indexes[kind];
    // The same change once more.
    if (item.index === known) continue;
    if (item.index !== known + 1) return `the index of the ${kind} went from ${known} to ${item.index}`;
    copy.apply(kind, item);
  }
  return undefined;
}
