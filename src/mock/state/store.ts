import { byCodePoint } from '../../base/lib/code-points.js';
import { createEvaluator, type Evaluator, type Policy } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../../policy/pool/pool-items.js';
import type { Settings } from '../config/mock-config.js';
import { type Changes, createChanges, type SavedChanges } from './changes.js';
import { createTable, type Table, type TableState } from './table.js';
import { toWirePolicy, toWireRole, type WirePolicy, type WireRole } from './wire-items.js';

/** A binding with its name in the pool streams. */
interface Bound {
  readonly name: string;
  readonly user: string;
  readonly item: { readonly role: string; readonly scope: WirePolicy };
}

/** One kind of the state, for the pool streams. */
export interface Pool<T> {
  /** All items, in the order of the index. */
  current(): PoolItem<T>[];
  readonly changes: Changes<T>;
}

/** The state of one mock. Copied on write, so snapshots are cheap. */
export interface Store {
  readonly users: Table<string>;
  readonly policies: Table<WirePolicy>;
  readonly roles: Table<WireRole>;
  /** The tokens of the sessions of mode SSO, by the value of their cookie. */
  readonly sessions: Table<string>;
  /** The tokens that the gateway created last, by user and groups. */
  readonly rendered: Table<string>;
  /** The content of the pool streams. */
  readonly pool: { readonly [K in PoolKind]: Pool<PoolContent[K]> };
  /** Roles and scopes of the bindings that count for a user, sorted by binding name. */
  bindingsOf(user: string): readonly Bound['item'][];
  /** True if the binding exists. With bindings by name, it may be another user's with the same name `user:role`. */
  isBound(user: string, role: string): boolean;
  /**
   * Binds a user to a role within a scope, and replaces the binding that `isBound` finds. Returns the write's index.
   */
  bind(user: string, role: string, scope: WirePolicy): number;
  /** Deletes the binding that `isBound` finds. Returns the write's index. */
  unbind(user: string, role: string): number;
  /** The evaluator over these policies, roles and bindings. */
  evaluator(): Evaluator;
  /** Tokens are revoked by their signed part. */
  revoke(signed: string): void;
  isRevoked(signed: string): boolean;
  /** Undoes a revocation. */
  reinstate(signed: string): void;
  save(): StoreState;
  load(state: StoreState): void;
}

/** The saved state. */
interface StoreState {
  readonly tables: readonly TableState<unknown>[];
  readonly changes: readonly SavedChanges<unknown>[];
  readonly evaluator: Evaluator;
}

/** The changes that the pool streams send. */
const createPoolChanges = () => ({
  policies: createChanges<WirePolicy>(),
  roles: createChanges<WireRole>(),
  bindings: createChanges<PoolBinding>(),
});

/** Creates empty tables; those of policies and roles report their changes. */
const createTables = ({ policies, roles }: ReturnType<typeof createPoolChanges>) => ({
  users: createTable<string>(),
  policies: createTable(policies.add),
  roles: createTable(roles.add),
  bindings: createTable<Bound>(),
  revoked: createTable<true>(),
  sessions: createTable<string>(),
  rendered: createTable<string>(),
});

/**
 * Fills a store from settings.
 * @throws PolicyError in documented fidelity, with the path of each error.
 */
export function createStore({ fidelity, users, policies, roles, bindings }: Settings): Store {
  const changes = createPoolChanges();
  const tables = createTables(changes);
  const { bindings: table } = tables;
  /** The table's key for a binding; unless bindings go by name, it is unique for each user and role. */
  const keyOf = (user: string, role: string): string =>
    evaluationRules[fidelity].bindingsByName ? `${user}:${role}` : JSON.stringify([user, role]);
  const putBinding = (user: string, role: string, scope: WirePolicy): number => {
    const binding = { name: `${user}:${role}`, user, item: { role, scope } };
    const index = table.set(keyOf(user, role), binding);
    changes.bindings.add({ name: binding.name, index, item: binding.item });
    return index;
  };
  for (const [name, password] of users) tables.users.set(name, password);
  for (const [name, policy] of policies) tables.policies.set(name, toWirePolicy(policy));
  for (const [name, role] of roles) tables.roles.set(name, toWireRole(role));
  const scoped: { user: string; role: string; scope: Policy | null }[] = [];
  for (const { user, role, scope } of bindings) {
    const wire = scope == null ? undefined : toWirePolicy(scope);
    scoped.push({ user, role, scope: wire ?? null });
    // A binding without a scope grants nothing, and the management API cannot create one.
    if (wire !== undefined) putBinding(user, role, wire);
  }
  let evaluator = createEvaluator(
    { policies: tables.policies.all(), roles: tables.roles.all(), bindings: scoped },
    { fidelity },
  );
  const bind = (user: string, role: string, scope: WirePolicy): number => {
    evaluator.setBinding({ user, role, scope });
    return putBinding(user, role, scope);
  };
  const list = Object.values(tables) as Table<unknown>[]; // Each table gets its own state back.
  const changeList = Object.values(changes) as Changes<unknown>[]; // The same.
  const find = (user: string, role: string): Bound | undefined => table.get(keyOf(user, role));
  const boundItems = (): PoolItem<PoolBinding>[] =>
    table.byIndex().flatMap(({ index, item: bound }) => (bound ? { name: bound.name, index, item: bound.item } : []));
  return {
    ...tables,
    pool: {
      policies: { current: tables.policies.byIndex, changes: changes.policies },
      roles: { current: tables.roles.byIndex, changes: changes.roles },
      bindings: { current: boundItems, changes: changes.bindings },
    },
    bindingsOf: (user) =>
      evaluator
        .bindings(user)
        .flatMap((one) => find(one.user, one.role) ?? [])
        .sort((a, b) => byCodePoint(a.name, b.name))
        .map(({ item }) => item),
    isBound: (user, role) => find(user, role) !== undefined,
    bind,
    unbind(user, role) {
      evaluator.deleteBinding(user, role);
      const name = `${user}:${role}`;
      const index = table.delete(keyOf(user, role));
      changes.bindings.add({ name, index, item: undefined });
      // The pool reports a deletion by name alone, so other bindings with this name are sent again.
      for (let end = name.indexOf(':'); end >= 0; end = name.indexOf(':', end + 1)) {
        const other = find(name.slice(0, end), name.slice(end + 1));
        if (other !== undefined) bind(other.user, other.item.role, other.item.scope);
      }
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
