import type { PoolItem } from '../../policy/pool/pool-items.js';

/** The number of changes kept of each kind. */
const mostChanges = 1_024;

/** Saved changes. The list is not written to. */
export type SavedChanges<T> = { readonly list: readonly PoolItem<T>[]; readonly newest: number };

/** The last changes of one kind (policies, roles or bindings), in the order of their index. */
export interface Changes<T> {
  add(change: PoolItem<T>): void;
  /** The first `most` changes after an index, none after the newest; undefined if some of them were dropped. */
  after(start: number, most: number): readonly PoolItem<T>[] | undefined;
  /** The index of the newest change. */
  newest(): number;
  /** Calls `listener` after each change; returns a function that removes the listener. */
  watch(listener: () => void): () => void;
  save(): SavedChanges<T>;
  load(saved: SavedChanges<T>): void;
}

/** Creates the empty list of changes of one kind. */
export function createChanges<T>(): Changes<T> {
  let list: PoolItem<T>[] = [];
  let newest = 0;
  let shared = false;
  const listeners = new Set<() => void>();
  return {
    add(change) {
      if (shared || list.length >= 2 * mostChanges) list = list.slice(-mostChanges);
      shared = false;
      list.push(change);
      newest = change.index;
      for (const listener of listeners) listener();
    },
    after(start, most) {
      if (newest - start > mostChanges) return undefined;
      const from = list.length - (newest - start);
      return start >= newest ? [] : list.slice(from, from + most);
    },
    newest: () => newest,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    save() {
      shared = true;
      return { list, newest };
    },
    load(saved) {
      // The cast: the list is copied before it is written to.
      list = saved.list as PoolItem<T>[];
      newest = saved.newest;
      shared = true;
    },
  };
}
