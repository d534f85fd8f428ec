import { heldBindings, type OwnedBinding, owned } from '../../policy/evaluate/held-bindings.js';
import { createEvaluator, type Evaluator, type Policy } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import type { PoolContent, PoolItem, PoolKind } from '../../policy/pool/pool-items.js';
import type { Settings } from '../config/mock-config.js';
import { type BoundRoles, createBoundRoles } from './bound-roles.js';
import { type Changes, createChanges, type SavedChanges } from './changes.js';
import { createLateView, type LateView } from './late-view.js';
import { createTable, type Table, type TableState } from './table.js';
import { toWirePolicy, toWireRole, type WirePolicy, type WireRole } from './wire-items.js';

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
  /** The roles of users and of groups. */
  readonly bound: Readonly<Record<'user' | 'group', BoundRoles>>;
  /** The evaluator over these policies, roles and bindings. */
  evaluator(): Evaluator;
  /** The same evaluator, for a write. */
  writing(): Evaluator;
  /** The evaluator that decisions see, which may lag behind. */
  seen(): Evaluator;
  readonly late: LateView;
  /** Tokens are revoked by their signed part. */
  revoke(signed: string): void;
  isRevoked(signed: string): boolean;
  /** Undoes a revocation. */
  reinstate(signed: string): void;
  save(): StoreState;
  load(state: StoreState): void;
}

interface StoreState {
  readonly tables: readonly TableState<unknown>[];
  readonly changes: readonly SavedChanges<unknown>[];
  readonly evaluator: Evaluator;
  readonly refreshes: number;
}

/** Creates empty tables; those of policies and roles report their changes. */
const createTables = (policies: Changes<WirePolicy>, roles: Changes<WireRole>) => ({
  users: createTable<string>(),
  policies: createTable(policies.add),
  roles: createTable(roles.add),
  revoked: createTable<true>(),
  sessions: createTable<string>(),
  rendered: createTable<string>(),
});

/** Fills a store from settings, with the mock's clock; throws PolicyError (documented fidelity) with all paths. */
export function createStore(
  { fidelity, lagMs, users, policies, roles, bindings, groupBindings }: Settings,
  now: () => number,
): Store {
  const late = createLateView(lagMs, now);
  const [policyChanges, roleChanges] = [createChanges<WirePolicy>(), createChanges<WireRole>()];
  const tables = createTables(policyChanges, roleChanges);
  for (const [name, password] of users) tables.users.set(name, password);
  for (const [name, policy] of policies) tables.policies.set(name, toWirePolicy(policy));
  for (const [name, role] of roles) tables.roles.set(name, toWireRole(role));
  const inForce = <T extends { readonly scope?: Policy | null | undefined }>({ scope, ...rest }: T) => ({
    ...rest,
    scope: scope == null ? null : toWirePolicy(scope),
  });
  let evaluator = createEvaluator(
    {
      policies: tables.policies.all(),
      roles: tables.roles.all(),
      bindings: bindings.map(inForce),
      groupBindings: groupBindings.map(inForce),
    },
    { fidelity },
  );
  const writing = (): Evaluator => {
    late.keep(evaluator);
    return evaluator;
  };
  const evaluators = { evaluator: () => evaluator, writing };
  const openBound = (kind: 'user' | 'group', configured: readonly OwnedBinding[]): BoundRoles =>
    createBoundRoles(heldBindings[kind], evaluationRules[fidelity].bindingsByName, configured, evaluators);
  const bound = { user: openBound('user', bindings.map(owned)), group: openBound('group', groupBindings.map(owned)) };
  // The casts: each part gets its own state back.
  const tableList = [...Object.values(tables), bound.user.table, bound.group.table] as Table<unknown>[];
  const changeList = [policyChanges, roleChanges, bound.user.changes, bound.group.changes] as Changes<unknown>[];
  return {
    ...tables,
    bound,
    pool: {
      policies: { current: tables.policies.byIndex, changes: policyChanges },
      roles: { current: tables.roles.byIndex, changes: roleChanges },
      bindings: bound.user,
      groupBindings: bound.group,
    },
    evaluator: () => evaluator,
    writing,
    seen: () => late.of(evaluator),
    late,
    revoke: (signed) => void tables.revoked.set(signed, true),
    isRevoked: (signed) => tables.revoked.has(signed),
    reinstate(signed) {
      if (tables.revoked.has(signed)) tables.revoked.delete(signed);
    },
    save: () => ({
      tables: tableList.map((table) => table.save()),
      changes: changeList.map((changes) => changes.save()),
      evaluator: evaluator.clone(),
      refreshes: late.save(),
    }),
    load(state) {
      for (const [i, saved] of state.tables.entries()) tableList[i]?.load(saved);
      for (const [i, saved] of state.changes.entries()) changeList[i]?.load(saved);
      evaluator = state.evaluator.clone();
      late.load(state.refreshes);
    },
  };
}
