import type { Policy, Role, Statement } from '../../policy/index.js';
import { sortedUnique } from '../../policy/model/normalize.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings, bindingItem, type ItemContent, type ItemName, itemKey } from '../model/plan-change.js';

// Compares items by what they decide.

/** A text that is equal for statements that decide alike, whatever their descriptions. */
export const textOfStatement = ({ effect, actions, resources }: Statement): string =>
  JSON.stringify([effect, sortedUnique(actions), sortedUnique(resources)]);

/** A text that is equal for policies that decide alike; empty for a missing one. */
export const textOfPolicy = (policy: Policy | null | undefined): string =>
  policy ? JSON.stringify(sortedUnique(policy.statements.map(textOfStatement))) : '';

/** A text that is equal for policies, roles and scopes that decide alike, whatever their descriptions. */
function textOfContent(content: ItemContent): string {
  if (content === null || 'statements' in content) return textOfPolicy(content);
  const { policies, scope } = content as Role;
  return JSON.stringify([sortedUnique(policies), textOfPolicy(scope)]);
}

/** A change of an item of files. */
export type EditedItem = ItemName & { readonly action: 'create' | 'update' | 'delete' };

/** The content of each item, by its key. */
export function contentsOf(
  state: PermissionsState,
): ReadonlyMap<string, { readonly item: ItemName; readonly content: ItemContent }> {
  const named = (kind: 'policy' | 'role', map: ReadonlyMap<string, Policy | Role>) =>
    [...map].map(([name, content]) => ({ item: { kind, name } as const, content }));
  const bound = allBindings(state).map((binding) => ({ item: bindingItem(binding), content: binding.scope ?? null }));
  const all = [...named('policy', state.policies), ...named('role', state.roles), ...bound];
  return new Map(all.map((entry) => [itemKey(entry.item), entry]));
}

/** Finds the items that differ, whatever their descriptions. */
export function differencesOf(before: PermissionsState, after: PermissionsState): EditedItem[] {
  const [had, has] = [contentsOf(before), contentsOf(after)];
  const removed = [...had].flatMap(([key, { item }]) => (has.has(key) ? [] : { ...item, action: 'delete' as const }));
  const others = [...has].flatMap(([key, { item, content }]): EditedItem[] => {
    const old = had.get(key);
    if (old === undefined) return [{ ...item, action: 'create' }];
    return textOfContent(old.content) === textOfContent(content) ? [] : [{ ...item, action: 'update' }];
  });
  return [...removed, ...others];
}
