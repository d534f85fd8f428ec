import type { Reason } from '../../policy/analysis/analysis-types.js';
import { formatReason } from '../../policy/analysis/format-regions.js';
import { describeScope } from '../../policy/model/scope-forms.js';
import { bindingKey } from '../model/binding-key.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings } from '../model/plan-change.js';

/** A reason, with the scope of its binding. */
export interface ScopedReason extends Reason {
  /** The scope as a phrase like `database shop`, if it has the form that `scopeOf` gives. */
  readonly scope?: string | undefined;
}

/** Returns a function that adds the scopes of the bindings of a user and of groups to reasons. */
export function scopesOf(state: PermissionsState) {
  const byKey = Map.groupBy(allBindings(state), bindingKey);
  return (because: readonly Reason[], user: string | undefined, groups: readonly string[]): ScopedReason[] =>
    because.map((reason) => {
      const { via, role = '' } = reason;
      const owners = { binding: [{ user }], group: [...new Set(groups)].map((group) => ({ group })) };
      const bound = via === 'binding' || via === 'group' ? owners[via] : [];
      const bindings = bound.flatMap((owner) => byKey.get(bindingKey({ ...owner, role })) ?? []);
      const scope = bindings.flatMap((binding) => describeScope(binding.scope) ?? []).join('; ');
      return scope === '' ? reason : { ...reason, scope };
    });
}

/** The lines of reasons; equal ones are given once. */
export const linesOfReasons = (because: readonly ScopedReason[]): string[] => [
  ...new Set(because.map((reason) => `by ${formatReason(reason)}${reason.scope ? ` (${reason.scope})` : ''}`)),
];
