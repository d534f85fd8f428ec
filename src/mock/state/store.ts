import { byCodePoint } from '../../lib/code-points.js';
import { createEvaluator, type Evaluator, type Policy } from '../../policy/index.js';
import type { Settings } from '../config/settings.js';
import { normalizePolicy, normalizeRole, type WirePolicy, type WireRole } from './normalize.js';
import { createTable, type Table, type TableState } from './table.js';

/** The state of one mock. Snapshots share it until it is written to again, so they cost nothing. */
export interface Store {
  readonly users: Table<string>;
  readonly policies: Table<WirePolicy>;
  readonly roles: Table<WireRole>;
  /** By user, then by role; the inner maps are replaced, never changed. */
  readonly bindings: Table<ReadonlyMap<string, WirePolicy>>;
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
  readonly evaluator: Evaluator;
}

/** Fills a store from settings. @throws PolicyError in documented fidelity, with the path of each fault. */
export function createStore({ fidelity, users, policies, roles, bindings }: Settings): Store {
  const tables = {
    users: createTable<string>(),
    policies: createTable<WirePolicy>(),
    roles: createTable<WireRole>(),
    bindings: createTable<ReadonlyMap<string, WirePolicy>>(),
    revoked: createTable<true>(),
  };
  for (const [name, password] of users) tables.users.set(name, password);
  for (const [name, policy] of policies) tables.policies.set(name, normalizePolicy(policy));
  for (const [name, role] of roles) tables.roles.set(name, normalizeRole(role));
  const scoped: { user: string; role: string; scope: Policy | null }[] = [];
  for (const { user, role, scope } of bindings) {
    const own = scope == null ? undefined : normalizePolicy(scope);
    scoped.push({ user, role, scope: own ?? null });
    // A binding without a scope gives nothing and the management API cannot make one.
    if (own !== undefined) tables.bindings.set(user, new Map(tables.bindings.get(user)).set(role, own));
  }
  let evaluator = createEvaluator(
    { policies: tables.policies.all(), roles: tables.roles.all(), bindings: scoped },
    { fidelity },
  );
  const list = Object.values(tables) as Table<unknown>[]; // Each table gets back what it gave.
  const { bindings: table } = tables;
  return {
    ...tables,
    bindingsOf: (user) => [...(table.get(user) ?? [])].sort(([a], [b]) => byCodePoint(a, b)),
    bind(user, role, scope) {
      evaluator.setBinding({ user, role, scope });
      return table.set(user, new Map(table.get(user)).set(role, scope));
    },
    unbind(user, role) {
      evaluator.deleteBinding(user, role);
      const left = new Map(table.get(user));
      left.delete(role);
      return left.size === 0 ? table.delete(user) : table.set(user, left);
    },
    evaluator: () => evaluator,
    revoke: (signed) => void tables.revoked.set(signed, true),
    isRevoked: (signed) => tables.revoked.has(signed),
    reinstate(signed) {
      if (tables.revoked.has(signed)) tables.revoked.delete(signed);
    },
    save: () => ({ tables: list.map((table) => table.save()), evaluator: evaluator.clone() }),
    load(state) {
      for (const [i, table] of list.entries()) {
        const saved = state.tables[i];
        if (saved !== undefined) table.load(saved);
      }
      evaluator = state.evaluator.clone();
    },
  };
}
