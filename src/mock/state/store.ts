import { byCodePoint } from '../../lib/code-points.js';
import { createEvaluator, type Evaluator, type Policy } from '../../policy/index.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../../pool/items.js';
import type { Settings } from '../config/settings.js';
import { type Changes, createChanges, type SavedChanges } from './changes.js';
import { toWirePolicy, toWireRole, type WirePolicy, type WireRole } from './normalize.js';
import { createTable, inOrder, type Table, type TableState } from './table.js';

/** A binding as the pool has it. */
interface Bound extends PoolItem<PoolBinding> {
  readonly item: { readonly role: string; readonly scope: WirePolicy };
}

/** One kind of the state as the pool streams have it. */
export interface Pool<T> {
  /** All there is, in the order of the index. */
  current(): PoolItem<T>[];
  readonly changes: Changes<T>;
}

/** The state of one mock. Snapshots share it until it is written to again, so they cost nothing. */
export interface Store {
  readonly users: Table<string>;
  readonly policies: Table<WirePolicy>;
  readonly roles: Table<WireRole>;
  /** By user, then by role; the inner maps are replaced, never changed. */
  readonly bindings: Table<ReadonlyMap<string, Bound>>;
  /** What the pool streams stream. */
  readonly pool: { readonly [K in PoolKind]: Pool<PoolContent[K]> };
  /** A user's scopes by role, sorted by role. */
  bindingsOf(user: string): readonly (readonly [string, WirePolicy])[];
  /** Gives a user a role inside a scope. Returns the write's index. */
  bind(user: string, role: string, scope: WirePolicy): number;
  /** Takes a role from a user. Returns the write's index. */
  unbind(user: string, role: string): number;
  /** Decides over exactly these policies, roles and bindings. */
  evaluator(): Evaluator;
  /** Tokens are revoked by their signed part. */
  revoke(signed: string): void;
  isRevoked(signed: string): boolean;
  /** Takes a token back from the revoked ones. */
  reinstate(signed: string): void;
  save(): StoreState;
  load(state: StoreState): void;
}

/** What `save` keeps. */
interface StoreState {
  readonly tables: readonly TableState<unknown>[];
  readonly changes: readonly SavedChanges<unknown>[];
  readonly evaluator: Evaluator;
}

/**
 * Fills a store from settings.
 * @throws PolicyError in documented fidelity, with the path of each fault.
 */
export function createStore({ fidelity, users, policies, roles, bindings }: Settings): Store {
  const changes = {
    policies: createChanges<WirePolicy>(),
    roles: createChanges<WireRole>(),
    bindings: createChanges<PoolBinding>(),
  };
  const tables = {
    users: createTable<string>(),
    policies: createTable(changes.policies.add),
    roles: createTable(changes.roles.add),
    bindings: createTable<ReadonlyMap<string, Bound>>(),
    revoked: createTable<true>(),
  };
  const { bindings: table } = tables;
  const putBinding = (user: string, role: string, scope: WirePolicy): number => {
    const bound = new Map(table.get(user));
    const index = table.set(user, bound);
    bound.delete(role);
    const binding = { name: `${user}:${role}`, index, item: { role, scope } };
    bound.set(role, binding);
    changes.bindings.add(binding);
    return index;
  };
  for (const [name, password] of users) tables.users.set(name, password);
  for (const [name, policy] of policies) tables.policies.set(name, toWirePolicy(policy));
  for (const [name, role] of roles) tables.roles.set(name, toWireRole(role));
  const scoped: { user: string; role: string; scope: Policy | null }[] = [];
  for (const { user, role, scope } of bindings) {
    const own = scope == null ? undefined : toWirePolicy(scope);
    scoped.push({ user, role, scope: own ?? null });
    // A binding without a scope gives nothing and the management API cannot make one.
    if (own !== undefined) putBinding(user, role, own);
  }
  let evaluator = createEvaluator(
    { policies: tables.policies.all(), roles: tables.roles.all(), bindings: scoped },
    { fidelity },
  );
  const list = Object.values(tables) as Table<unknown>[]; // Each table gets back what it gave.
  const changeList = Object.values(changes) as Changes<unknown>[]; // The same.
  const boundItems = (): PoolItem<PoolBinding>[] => {
    const items: Bound[] = [];
    for (const bound of table.values()) items.push(...bound.values());
    return items.sort(inOrder);
  };
  return {
    ...tables,
    pool: {
      policies: { current: tables.policies.byIndex, changes: changes.policies },
      roles: { current: tables.roles.byIndex, changes: changes.roles },
      bindings: { current: boundItems, changes: changes.bindings },
    },
    bindingsOf: (user) =>
      Array.from(table.get(user) ?? [], ([role, { item }]) => [role, item.scope] as const).sort(([a], [b]) =>
        byCodePoint(a, b),
      ),
    bind(user, role, scope) {
      evaluator.setBinding({ user, role, scope });
      return putBinding(user, role, scope);
    },
    unbind(user, role) {
      evaluator.deleteBinding(user, role);
      const left = new Map(table.get(user));
      left.delete(role);
      const index = left.size === 0 ? table.delete(user) : table.set(user, left);
      changes.bindings.add({ name: `${user}:${role}`, index, item: undefined });
      return index;
    },
    evaluator: () => evaluator,
    revoke: (signed) => void tables.revoked.set(signed, true),
    isRevoked: (signed) => tables.revoked.has(signed),
    reinstate(signed) {
      if (tables.revoked.has(signed)) tables.revoked.delete(signed);
    },
    save: () => ({
      tables: list.map((one) => one.save()),
      changes: changeList.map((one) => one.save()),
      evaluator: evaluator.clone(),
    }),
    load(state) {
      for (const [i, saved] of state.tables.entries()) list[i]?.load(saved);
      for (const [i, saved] of state.changes.entries()) changeList[i]?.load(saved);
      evaluator = state.evaluator.clone();
    },
  };
}
