import { CopyOnWriteMap } from '../../base/lib/copy-on-write-map.js';
import { quietly } from '../../base/lib/quietly.js';
import { type PoolKind, poolKinds } from '../../policy/pool/pool-items.js';
import type { Listeners } from './listeners.js';
import type { Content, Contents, PolicyCopy } from './policy-copy.js';
import type { ReplicaEvents } from './replica-events.js';
import { Slices } from './slices.js';
import { equalFields } from './synced-state.js';

/** The number of cached pairs of equal contents. */
const mostPairs = 1_000;

/** Compares contents and caches equal pairs, because many bindings share one scope. */
function makeCompare(): typeof equalFields {
  const equal = new Map<unknown, unknown>();
  return (before, after) => {
    if (before && equal.get(before) === after) return true;
    if (!equalFields(before, after)) return false;
    if (equal.size === mostPairs) equal.clear();
    equal.set(before, after);
    return true;
  };
}

/**
 * Compares two states in slices that yield to the event loop. Returns the names of each kind that were added, removed
 * or changed, each once and in no particular order; kinds without changes are omitted. Rejects if the signal aborts.
 */
export async function compareContents(
  before: Contents,
  after: Contents,
  signal: AbortSignal,
  notify: (kind: PoolKind, names: readonly string[]) => void,
): Promise<void> {
  const slices = new Slices();
  const isSame = makeCompare();
  const each = <T>(items: Iterable<T>, take: (item: T) => void) =>
    slices.each(items, (item) => {
      signal.throwIfAborted();
      take(item);
    });
  for (const kind of poolKinds) {
    // Unlike a Map, these maps never copy all entries to grow.
    const [missing, changed] = [new CopyOnWriteMap<Content>(), new CopyOnWriteMap<true>()];
    await each(before[kind], (content) => missing.set(content.key, content));
    await each(after[kind], ({ key, name, content }) => {
      const old = missing.get(key);
      missing.delete(key);
      if (!old || !isSame(old.content, content)) changed.set(name, true);
    });
    await each(missing.entries(), ([, { name }]) => changed.set(name, true));
    const names: string[] = [];
    await each(changed.entries(), ([name]) => names.push(name));
    if (names.length > 0) notify(kind, names);
  }
}

/** Emits the differences between consecutive full reads. */
export class Differences {
  readonly #listeners: Listeners<ReplicaEvents>;
  readonly #signal: AbortSignal;
  #done: Promise<unknown> = Promise.resolve();

  constructor(listeners: Listeners<ReplicaEvents>, signal: AbortSignal) {
    this.#listeners = listeners;
    this.#signal = signal;
  }

  /** Resolves when no comparison is running. */
  get done(): Promise<unknown> {
    return this.#done;
  }

  /** Queues a comparison of two states; skipped if there are no listeners. */
  add(before: PolicyCopy, after: PolicyCopy): void {
    if (!this.#listeners.has('change')) return;
    const states = [before.contents(), after.contents()] as const;
    const notify = (kind: PoolKind, names: readonly string[]) =>
      this.#listeners.emit('change', () => ({ kind, names }));
    const compared = this.#done.then(() => compareContents(...states, this.#signal, notify));
    // The comparison rejects only if the replica is closed.
    this.#done = quietly(() => compared);
  }
}
