import { comparePartly } from '../../policy/analysis/compare-partly.js';
import type { Evaluator } from '../../policy/index.js';
import { bindingKey } from '../model/binding-key.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings, type ItemContent, type PlanChange } from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import { withChanges } from './effects.js';

/** The maximum number of changes that are compared one by one; beyond it, all that create or update an item count. */
const mostCompared = 100;

/** Returns a function that finds the content of an item in a state. */
function contentsOf(state: PermissionsState): (item: PlanChange) => ItemContent {
  const bindings = new Map(allBindings(state).map((item) => [bindingKey(item), item.scope ?? { statements: [] }]));
  return (item) => {
    if (item.kind === 'binding') return bindings.get(bindingKey(item)) ?? null;
    return (item.kind === 'policy' ? state.policies : state.roles).get(item.name) ?? null;
  };
}

/**
 * Marks the changes that give back what was revoked by hand: the files have not changed the item since `before`, the
 * deployment has, and the change gives access, alone or with others of its kind.
 */
export function markRestoring(
  changes: readonly PlanChange[],
  before: PermissionsState,
  start: Evaluator,
  maxWork: number | undefined,
): readonly PlanChange[] {
  const contentOf = contentsOf(before);
  const drifted = changes.filter((change) => sameContent(change.kind, contentOf(change), change.after));
  if (drifted.length === 0) return changes;
  const gains = (from: readonly PlanChange[], to: readonly PlanChange[]) => {
    const [old, now] = [withChanges(start, from), withChanges(start, to)];
    const { gained, notCompared, rolesNotCompared } = comparePartly(old, now, { maxWork });
    return gained.length > 0 || (notCompared ?? rolesNotCompared) !== undefined;
  };
  const restores = (change: PlanChange) => {
    if (change.kind === 'binding' && change.action === 'create') return true;
    if (drifted.length > mostCompared) return change.action !== 'delete';
    return (
      gains([], [change]) ||
      gains(
        drifted.filter((other) => other !== change),
        drifted,
      )
    );
  };
  const restoring = new Set(drifted.filter(restores));
  return changes.map((change) => (restoring.has(change) ? { ...change, restores: true } : change));
}
