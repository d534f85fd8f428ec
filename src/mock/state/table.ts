import { byCodePoint } from '../../base/lib/code-points.js';
import { CopyOnWriteMap } from '../../base/lib/copy-on-write-map.js';
import type { PoolItem } from '../../policy/pool/pool-items.js';

/** The saved state of a table. The map is not written to. */
export type TableState<T> = { readonly rows: CopyOnWriteMap<TableRow<T>>; readonly counter: number };

type TableRow<T> = { readonly item: T; readonly index: number };

/** Compares items by index, for the oldest write first. */
const inOrder = (a: PoolItem<unknown>, b: PoolItem<unknown>): number => a.index - b.index;

/** Values by name with one index counter, which grows with every write, deletes included. */
export interface Table<T> {
  get(name: string): T | undefined;
  has(name: string): boolean;
  /** The counter's value when this name was written last. */
  index(name: string): number;
  /** Returns the write's index. */
  set(name: string, item: T): number;
  /** Returns the write's index, even if there was nothing to delete. */
  delete(name: string): number;
  /** Sorted by code point. */
  names(): readonly string[];
  all(): ReadonlyMap<string, T>;
  values(): Iterable<T>;
  /** Ordered by their last write. */
  byIndex(): PoolItem<T>[];
  save(): TableState<T>;
  load(state: TableState<T>): void;
}

/** Creates an empty table. Calls `written` on each write. */
export function createTable<T>(written?: (change: PoolItem<T>) => void): Table<T> {
  let rows = new CopyOnWriteMap<TableRow<T>>();
  let counter = 0;
  let sorted: readonly string[] | undefined;

  return {
    get: (name) => rows.get(name)?.item,
    has: (name) => rows.get(name) !== undefined,
    index: (name) => rows.get(name)?.index ?? 0,
    set(name, item) {
      counter += 1;
      if (rows.get(name) === undefined) sorted = undefined;
      rows.set(name, { item, index: counter });
      written?.({ name, index: counter, item });
      return counter;
    },
    delete(name) {
      counter += 1;
      if (rows.delete(name)) sorted = undefined;
      written?.({ name, index: counter, item: undefined });
      return counter;
    },
    names() {
      sorted ??= Array.from(rows.entries(), ([name]) => name).sort(byCodePoint);
      return sorted;
    },
    *values() {
      for (const [, { item }] of rows.entries()) yield item;
    },
    all: () => new Map(Array.from(rows.entries(), ([name, { item }]) => [name, item])),
    byIndex: () => Array.from(rows.entries(), ([name, row]) => ({ name, ...row })).sort(inOrder),
    save: () => ({ rows: rows.clone(), counter }),
    load(state) {
      rows = state.rows.clone();
      counter = state.counter;
      sorted = undefined;
    },
  };
}
