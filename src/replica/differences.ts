import { CopyOnWriteMap } from '../lib/copy-on-write-map.js';
import { quietly } from '../lib/quietly.js';
import { type PoolKind, poolKinds } from '../pool/items.js';
import type { ReplicaEvents } from './events.js';
import { sameContent } from './held.js';
import type { Listeners } from './listeners.js';
import type { Content, Contents, PolicyCopy } from './policy-copy.js';
import { Slices } from './slices.js';

/** The number of pairs of equal contents that are remembered. */
const mostPairs = 1_000;

/** Compares contents, and remembers those that are equal: many bindings share one scope. */
function makeCompare(): typeof sameContent {
  const equal = new Map<unknown, unknown>();
  return (one, other) => {
    if (one && equal.get(one) === other) return true;
    if (!sameContent(one, other)) return false;
    if (equal.size === mostPairs) equal.clear();
    equal.set(one, other);
    return true;
  };
}

/**
 * Compares two states in slices that leave the event loop its turns, and tells the names of each kind that were added,
 * removed or changed; each name once, in no particular order, and no kind without any. Rejects if the signal aborts.
 */
export async function compareContents(
  before: Contents,
  after: Contents,
  signal: AbortSignal,
  tell: (kind: PoolKind, names: readonly string[]) => void,
): Promise<void> {
  const slices = new Slices();
  const isSame = makeCompare();
  const each = <T>(items: Iterable<T>, take: (item: T) => void) =>
    slices.each(items, (item) => {
      signal.throwIfAborted();
      take(item);
    });
  for (const kind of poolKinds) {
    // These maps, unlike a Map, never grow as a whole.
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
    if (names.length > 0) tell(kind, names);
  }
}

/** Tells listeners what differs between states that were read one after the other. */
export class Differences {
  readonly #listeners: Listeners<ReplicaEvents>;
  readonly #signal: AbortSignal;
  #done: Promise<unknown> = Promise.resolve();

  constructor(listeners: Listeners<ReplicaEvents>, signal: AbortSignal) {
    this.#listeners = listeners;
    this.#signal = signal;
  }

  /** Fulfilled when nothing is compared any more. */
  get done(): Promise<unknown> {
    return this.#done;
  }

  /** Compares these two after those before them; not at all without listeners. */
  tell(before: PolicyCopy, after: PolicyCopy): void {
    if (!this.#listeners.has('change')) return;
    const states = [before.contents(), after.contents()] as const;
    const tell = (kind: PoolKind, names: readonly string[]) => this.#listeners.tell('change', () => ({ kind, names }));
    const compared = this.#done.then(() => compareContents(...states, this.#signal, tell));
    // Fails only if the replica is closed.
    this.#done = quietly(() => compared);
  }
}
