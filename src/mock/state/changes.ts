import type { PoolItem } from '../../pool/items.js';

/** So many changes of each kind are kept. */
const kept = 1_024;

/** What `save` keeps. Nobody writes to the list. */
export interface SavedChanges<T> {
  readonly list: readonly PoolItem<T>[];
  readonly newest: number;
}

/**
 * The last changes of one kind (policies, roles or bindings), in the order of their index, which grows by one with
 * each.
 */
export interface Changes<T> {
  add(change: PoolItem<T>): void;
  /**
   * The first changes after an index, at most so many; none for an index beyond the newest, undefined if not all of
   * those after it are kept.
   */
  after(start: number, most: number): readonly PoolItem<T>[] | undefined;
  /**
   * Calls `listener` after each change.
   * @returns what ends it.
   */
  watch(listener: () => void): () => void;
  save(): SavedChanges<T>;
  load(saved: SavedChanges<T>): void;
}

/** Makes the empty list of changes of one kind. */
export function createChanges<T>(): Changes<T> {
  let list: PoolItem<T>[] = [];
  let newest = 0;
  let shared = false;
  const listeners = new Set<() => void>();
  return {
    add(change) {
      if (shared || list.length >= 2 * kept) list = list.slice(-kept);
      shared = false;
      list.push(change);
      newest = change.index;
      for (const listener of listeners) listener();
    },
    after(start, most) {
      if (newest - start > kept) return undefined;
      const from = list.length - (newest - start);
      return start >= newest ? [] : list.slice(from, from + most);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    save() {
      shared = true;
      return { list, newest };
    },
    load(saved) {
      // The cast: it is not written to before it is copied.
      list = saved.list as PoolItem<T>[];
      newest = saved.newest;
      shared = true;
    },
  };
}
