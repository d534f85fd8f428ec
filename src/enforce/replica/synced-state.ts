import type { Fidelity } from '../../policy/index.js';
import type { PoolItem, PoolKind } from '../../policy/pool/pool-items.js';
import { instant } from './liveness.js';
import { PolicyCopy } from './policy-copy.js';

/** A complete state, with the newest item of each kind, which the service repeats to confirm the history. */
export class SyncedState {
  readonly copy: PolicyCopy;
  /** The time at which the read started. The service had this state then or later, apart from later changes. */
  readonly readAt = instant();
  /** The connection over which the state was read, if the transport tells. */
  connection: unknown;
  readonly #newest: { [K in PoolKind]?: PoolItem } = {};

  constructor(fidelity: Fidelity, sharesNames: boolean) {
    this.copy = new PolicyCopy(fidelity, sharesNames);
  }

  /** The item with the highest index of a kind. */
  newest(kind: PoolKind): PoolItem | undefined {
    return this.#newest[kind];
  }

  /** Applies an item that is read, or a change, and remembers it if it is the newest of its kind. */
  apply(kind: PoolKind, item: PoolItem, isChange = false): void {
    if (item.index >= (this.#newest[kind]?.index ?? 0)) this.#newest[kind] = item;
    this.copy.apply(kind, item, isChange);
  }
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Compares contents like protobuf: a field with its default value equals a missing field. */
export function equalFields(a: unknown, b: unknown): boolean {
  if (a === b || (isDefault(a) && isDefault(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // The casts: both are objects; any of their fields may be missing.
  const [mine, theirs] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name of Object.keys(mine)) if (!equalFields(mine[name], theirs[name])) return false;
  for (const name of Object.keys(theirs)) if (!Object.hasOwn(mine, name) && !isDefault(theirs[name])) return false;
  return true;
}

/** True if two items are the same change: name, index and content. */
export const sameItem = (a: PoolItem, b: PoolItem): boolean =>
  a.index === b.index &&
  a.name === b.name &&
  (a.item === undefined) === (b.item === undefined) &&
  equalFields(a.item, b.item);
