import { byCodePoint } from '../../base/lib/code-points.js';
import type { HeldBindings, OwnedBinding } from '../../policy/evaluate/held-bindings.js';
import type { Evaluator } from '../../policy/index.js';
import type { PoolBinding, PoolItem } from '../../policy/pool/pool-items.js';
import { type Changes, createChanges } from './changes.js';
import { createTable, type Table } from './table.js';
import { toWirePolicy, type WirePolicy } from './wire-items.js';

/** A binding with its name in the pool streams. */
interface Bound {
  readonly name: string;
  /** The user or group. */
  readonly owner: string;
  readonly item: { readonly role: string; readonly scope: WirePolicy };
}

/** The roles of users, or those of groups. */
export interface BoundRoles {
  /** Roles and scopes of the bindings that count for a user or group, sorted by binding name. */
  of(owner: string): readonly Bound['item'][];
  /** True if the binding exists. With bindings by name, it may be another owner's with the same name `owner:role`. */
  has(owner: string, role: string): boolean;
  /** Binds within a scope, and replaces the binding that `has` finds. Returns the write's index. */
  set(owner: string, role: string, scope: WirePolicy): number;
  /** Deletes the binding that `has` finds. Returns the write's index. */
  delete(owner: string, role: string): number;
  /** All bindings, in the order of the index. */
  current(): PoolItem<PoolBinding>[];
  readonly changes: Changes<PoolBinding>;
  readonly table: Table<Bound>;
}

/**
 * Creates the bindings of users or groups.
 * @param byName true if there is one binding per name `owner:role`.
 * @param evaluators the evaluator of the moment, and the same for a write.
 */
export function createBoundRoles(
  { of, set, delete: remove }: HeldBindings,
  byName: boolean,
  configured: readonly OwnedBinding[],
  { evaluator, writing }: Readonly<Record<'evaluator' | 'writing', () => Evaluator>>,
): BoundRoles {
  const table = createTable<Bound>();
  const changes = createChanges<PoolBinding>();
  /** The table's key for a binding; unless bindings go by name, it is unique for each owner and role. */
  const keyOf = (owner: string, role: string): string => (byName ? `${owner}:${role}` : JSON.stringify([owner, role]));
  const put = (owner: string, role: string, scope: WirePolicy): number => {
    const binding = { name: `${owner}:${role}`, owner, item: { role, scope } };
    const index = table.set(keyOf(owner, role), binding);
    changes.add({ name: binding.name, index, item: binding.item });
    return index;
  };
  const find = (owner: string, role: string): Bound | undefined => table.get(keyOf(owner, role));
  const bind = (owner: string, role: string, scope: WirePolicy): number => {
    set(writing(), { owner, role, scope });
    return put(owner, role, scope);
  };
  // A binding without a scope grants nothing, and the management API cannot create one.
  for (const { owner, role, scope } of configured) if (scope != null) put(owner, role, toWirePolicy(scope));
  return {
    of: (owner) =>
      of(evaluator(), owner)
        .flatMap((binding) => find(binding.owner, binding.role) ?? [])
        .sort((a, b) => byCodePoint(a.name, b.name))
        .map(({ item }) => item),
    has: (owner, role) => find(owner, role) !== undefined,
    set: bind,
    delete(owner, role) {
      remove(writing(), owner, role);
      const name = `${owner}:${role}`;
      const index = table.delete(keyOf(owner, role));
      changes.add({ name, index, item: undefined });
      // The pool reports a deletion by name alone, so other bindings with this name are sent again.
      for (let end = name.indexOf(':'); end >= 0; end = name.indexOf(':', end + 1)) {
        const other = find(name.slice(0, end), name.slice(end + 1));
        if (other !== undefined) bind(other.owner, other.item.role, other.item.scope);
      }
      return index;
    },
    current: () =>
      table.byIndex().flatMap(({ index, item: bound }) => (bound ? { name: bound.name, index, item: bound.item } : [])),
    changes,
    table,
  };
}
