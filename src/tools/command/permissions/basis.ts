import { createHash } from 'node:crypto';
import { stableJson } from '../../../base/lib/stable-json.js';
import { expectedItems, isAsLeft } from '../../../permissions/apply/apply-record.js';
import type { ItemContent, PermissionsState, Plan, PlanChange, RecordEntry } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import { allBindings, describeItem, ownerOf } from '../../../permissions/model/plan-change.js';

type Pairs<T> = readonly (readonly [name: string, value: T])[];

/** The state that a plan was made from, as far as it is needed to see later that it is still the same. */
export interface Basis {
  /** The services' indexes. */
  readonly policies: Pairs<number>;
  readonly roles: Pairs<number>;
  /** A hash of the bindings of each user, without those that the plan changes. */
  readonly bindings: Pairs<string>;
  /** A hash of the bindings of each group, likewise. Default: none. */
  readonly groupBindings?: Pairs<string> | undefined;
}

function changedBindings({ changes }: Plan): ReadonlySet<string> {
  return new Set(changes.flatMap((change) => (change.kind === 'binding' ? [bindingKey(change)] : [])));
}

const hash = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);

function hashBindings(kind: 'user' | 'group', state: PermissionsState, plan: Plan): Map<string, string> {
  const changed = changedBindings(plan);
  const byOwner = new Map<string, string[]>();
  for (const binding of allBindings(state)) {
    const { role, scope } = binding;
    const owner = ownerOf(binding)[kind];
    if (owner === undefined) continue;
    const texts = byOwner.get(owner) ?? [];
    byOwner.set(owner, texts);
    if (!changed.has(bindingKey(binding))) texts.push(stableJson([role, scope ?? null]));
  }
  return new Map([...byOwner].map(([owner, texts]) => [owner, hash(texts.sort())]));
}

/** Keeps what a plan was made from. */
export const basisOf = (state: PermissionsState, plan: Plan): Basis => ({
  policies: [...(state.indexes?.policies ?? [])],
  roles: [...(state.indexes?.roles ?? [])],
  bindings: [...hashBindings('user', state, plan)],
  ...(state.groupBindings && { groupBindings: [...hashBindings('group', state, plan)] }),
});

/** Finds the items of changes in a state. */
export function itemsOf(
  state: PermissionsState,
): (change: PlanChange) => { content: ItemContent; index?: number | undefined } {
  const bindings = new Map(allBindings(state).map((binding) => [bindingKey(binding), binding] as const));
  return (change) => {
    if (change.kind !== 'binding') {
      const kind = change.kind === 'policy' ? 'policies' : 'roles';
      return { content: state[kind].get(change.name) ?? null, index: state.indexes?.[kind].get(change.name) };
    }
    const binding = bindings.get(bindingKey(change));
    return { content: binding ? (binding.scope ?? { statements: [] }) : null };
  };
}

/** The items of a plan that are neither as they were nor as the calls of its record left them. */
function findChanged(plan: Plan, state: PermissionsState, entries: readonly RecordEntry[]): string[] {
  const itemOf = itemsOf(state);
  const expected = expectedItems(plan, entries);
  return plan.changes.flatMap((change, at) => {
    const now = itemOf(change);
    return expected[at]?.some((left) => isAsLeft(change, now, left)) ? [] : [`the ${describeItem(change)}`];
  });
}

/** The names with different values in two lists. */
function differing<T>(before: Pairs<T>, after: ReadonlyMap<string, T>, missing?: T): string[] {
  const had = new Map(before);
  const names = new Set([...had.keys(), ...after.keys()]);
  return [...names].filter((name) => (had.get(name) ?? missing) !== (after.get(name) ?? missing));
}

/**
 * Names everything that was written since a plan was made: also items that the plan does not change, because the access
 * that it shows was computed with them. Only the calls of its record do not count, so that a run can be continued.
 */
export function findStale(
  plan: Plan,
  basis: Basis,
  state: PermissionsState,
  entries: readonly RecordEntry[] = [],
): string[] {
  const changed = { policies: new Set<string>(), roles: new Set<string>() };
  for (const change of plan.changes) {
    if (change.kind !== 'binding') changed[change.kind === 'policy' ? 'policies' : 'roles'].add(change.name);
  }
  const none: ReadonlyMap<string, number> = new Map();
  const others = (['policies', 'roles'] as const).flatMap((kind) =>
    differing(basis[kind], state.indexes?.[kind] ?? none)
      .filter((name) => !changed[kind].has(name))
      .map((name) => `the ${describeItem({ kind: kind === 'policies' ? 'policy' : 'role', name })}`),
  );
  const owners = (['user', 'group'] as const).flatMap((kind) => {
    const before = kind === 'user' ? basis.bindings : (basis.groupBindings ?? []);
    return differing(before, hashBindings(kind, state, plan), hash([])).map(
      (name) => `${kind} ${JSON.stringify(name)}`,
    );
  });
  return [...findChanged(plan, state, entries), ...others, ...owners.map((owner) => `bindings of ${owner}`)];
}
