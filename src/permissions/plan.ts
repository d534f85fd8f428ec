import { type Comparison, compare } from '../analysis/index.js';
import { createEvaluator, type Evaluator, type Fidelity, type Policy } from '../policy/index.js';
import type { Change, Stage } from './change.js';
import { findChanges, type Kept } from './changes.js';
import { type Component, splitComponents } from './components.js';
import { after, Effects, type Meanwhile, write } from './effects.js';
import { PermissionsError } from './error.js';
import type { Manage, PermissionsState } from './model.js';
import type { OperatorChanges } from './operated.js';
import type { Permissions } from './read-permissions.js';
import { type SearchBudget, searchOrder } from './search.js';
import { type Ordered, orderStages, type PlanOrder, type RoleLists } from './stages.js';

/** Options of {@link plan}. */
export interface PlanOptions {
  /** Deletes items that `manage` owns and the desired state lacks. Default false. */
  readonly prune?: boolean | undefined;
  /** Patterns of the names that are owned. Default: those of the desired state if it was read from files, else none. */
  readonly manage?: Partial<Manage> | undefined;
  /**
   * The order to prefer if every order affects access on the way: `revoke-first` (default) never allows more than one
   * of the two states does, but may interrupt access; `grant-first` keeps all access that it can, but may allow more
   * meanwhile.
   */
  readonly order?: PlanOrder | undefined;
  /** The fidelity by whose rules access is computed, default `documented`. */
  readonly fidelity?: Fidelity | undefined;
  /** The most comparisons of patterns, as in `compare`. */
  readonly maxWork?: number | undefined;
}

/** The changes from one state to another, in the order of calls. Plain data: it can be stored as JSON. */
export interface Plan {
  readonly changes: readonly Change[];
  /** The calls. Those of one stage may run concurrently; between stages `apply` waits. */
  readonly stages: readonly Stage[];
  /** Items that `manage` owns and the desired state lacks, but that are not deleted. */
  readonly kept: readonly Kept[];
  /** The access gained and lost by the whole plan. */
  readonly access: Comparison;
  /** Access that differs from both states while the plan is applied. */
  readonly meanwhile: Meanwhile;
  /** The changes of custom resources, which belong to the operator. They are in no stage: use kubectl. */
  readonly operator: OperatorChanges;
  /** The users that `access` and `meanwhile` cover: those whose bindings are known. */
  readonly users: readonly string[] | 'all';
}

/** States that one plan may look at in search of an order. */
const mostStates = 4_096;

const listsOf = (state: Evaluator, names: Iterable<string>): RoleLists => {
  const found = new Map<string, readonly string[]>();
  for (const name of names) {
    const role = state.role(name);
    if (role) found.set(name, role.policies);
  }
  return found;
};

/** Chooses the order of the calls of one component. */
class Planner {
  readonly #changes: readonly Change[];
  readonly #start: Evaluator;
  readonly #end: Evaluator;
  readonly #effects: Effects;
  readonly #preferred: readonly PlanOrder[];
  readonly #budget: SearchBudget = { states: mostStates };

  constructor(changes: readonly Change[], start: Evaluator, end: Evaluator, order: PlanOrder, effects: Effects) {
    this.#changes = changes;
    this.#start = start;
    this.#end = end;
    this.#effects = effects;
    this.#preferred = order === 'grant-first' ? ['grant-first', 'revoke-first'] : ['revoke-first', 'grant-first'];
  }

  stagesOf(component: Component): readonly Stage[] {
    const { changes, reach } = component;
    const find = (name: string): readonly (Policy | null)[] =>
      [this.#start, this.#end].map((state) => state.policy(name) ?? null);
    // A role is reached if it changes, or if one of its policies does.
    const lists = { before: listsOf(this.#start, reach.roles), after: listsOf(this.#end, reach.roles) };
    let fallback: Ordered | undefined;
    for (const order of this.#preferred) {
      const ordered = orderStages(changes, order, find, lists);
      if (this.#checkpoints(ordered).every((state) => this.#effects.isClean(state, reach))) return ordered.stages;
      fallback ??= ordered;
    }
    const found = searchOrder(component, this.#changes, this.#start, this.#effects, this.#budget);
    if (found) return found;
    // The cast: there are two orders, so the first of them is the fallback.
    const kept = fallback as Ordered;
    for (const state of this.#checkpoints(kept)) this.#effects.collect(state, reach);
    return kept.stages;
  }

  #checkpoints({ stages, checks }: Ordered): Evaluator[] {
    return checks.map((last) => after(this.#start, this.#changes, stages.slice(0, last + 1)));
  }
}

/** Merges the stages of components, which run side by side. */
function zip(all: readonly (readonly Stage[])[]): Stage[] {
  const count = all.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: count }, (_, i) => all.flatMap((stages) => stages[i] ?? []));
}

const readManage = ({ policies = [], roles = [], users = [] }: Partial<Manage> = {}): Manage => ({
  policies,
  roles,
  users,
});

function withChanges(state: Evaluator, changes: readonly Change[]): Evaluator {
  const evaluator = state.clone();
  for (const change of changes) write(evaluator, change, change.after);
  return evaluator;
}

/**
 * Plans the calls that turn one state into another. While they are made, no user is allowed anything that neither state
 * allows (`order: 'revoke-first'`), and users keep all access that both states allow, if an order of the calls is found
 * that keeps it; otherwise `meanwhile` lists the differences. Pure: nothing is sent.
 *
 * @throws PermissionsError (code `PERMISSIONS`) if a name cannot be stored, belongs to the platform, or is a user whose
 *   bindings are not known; PolicyError (code `POLICY`) for a state that does not validate; AnalysisError (code
 *   `ANALYSIS`) above `maxWork`.
 *
 * @example
 * ```ts
 * import { apply, formatPlan, plan, readPermissions, readState } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const desired = await readPermissions('permissions.yaml', { read: (file) => files.get(file) ?? '' });
 * const changes = plan(await readState(client, { users: desired.users }), desired);
 * console.log(formatPlan(changes));
 * await apply(client, changes);
 * ```
 */
export function plan(
  current: PermissionsState,
  desired: PermissionsState | Permissions,
  { prune = false, manage, order = 'revoke-first', fidelity = 'documented', maxWork }: PlanOptions = {},
): Plan {
  if (order !== 'revoke-first' && order !== 'grant-first') {
    throw new PermissionsError('order: expected revoke-first or grant-first');
  }
  const owned = readManage(manage ?? ('manage' in desired ? desired.manage : undefined));
  const { changes, kept, operated } = findChanges(current, desired, owned, prune);
  const start = createEvaluator(current, { fidelity });
  const end = withChanges(start, changes);
  const effects = new Effects(start, end, maxWork);
  const planner = new Planner(changes, start, end, order, effects);
  const stages = zip(splitComponents(changes, [start, end]).map((component) => planner.stagesOf(component)));
  const access = compare(start, end, { maxWork });
  const operator = {
    changes: operated,
    access: operated.length > 0 ? compare(end, withChanges(end, operated), { maxWork }) : { gained: [], lost: [] },
    tokens: desired.operator?.tokens ?? [],
  };
  return { changes, stages, kept, access, meanwhile: effects.collected(), operator, users: current.users };
}
