import type { Write } from '../../policy/model/read-revision.js';
import { digestOf } from '../../policy/model/revision.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../../policy/pool/pool-items.js';

/** The number of writes of each kind that are kept, as the services keep them. */
const mostWrites = 1_024;

/** A write that was read with the state, or a change as its digest. */
type KeptWrite = PoolItem | { readonly index: number; readonly digest: string };

function digestOfItem(kind: PoolKind, { name, item }: PoolItem): string {
  // The casts: the item is of its kind.
  if (kind === 'bindings' || kind === 'groupBindings')
    return digestOf({ name, scope: (item as PoolBinding | undefined)?.scope });
  return digestOf({ name, item: item as PoolContent['policies' | 'roles'] | undefined });
}

/** Remembers the last writes of each kind, to tell the history of one deployment from another. */
export class RecentWrites {
  readonly #writes: Readonly<Record<PoolKind, KeptWrite[]>> = {
    policies: [],
    roles: [],
    bindings: [],
    groupBindings: [],
  };

  /**
   * Adds a write. Changes are kept as digests, because many of them may replace the same large item; items of the state
   * share their content with it.
   */
  add(kind: PoolKind, item: PoolItem, isChange: boolean): void {
    const { index } = item;
    this.#writes[kind][index % mostWrites] = isChange ? { index, digest: digestOfItem(kind, item) } : item;
  }

  /** True if the index has this write, false if it has another one; undefined if its write was dropped. */
  has({ kind, index, digest }: Write): boolean | undefined {
    const latest = this.#writes[kind][index % mostWrites];
    if (latest?.index !== index) return undefined;
    return digest === ('digest' in latest ? latest.digest : digestOfItem(kind, latest));
  }
}
