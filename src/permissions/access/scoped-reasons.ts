import { formatReason } from '../../policy/analysis/format-regions.js';
import type { Reason } from '../../policy/analysis/index.js';
import { describeScope } from '../../policy/model/scope-forms.js';
import type { PermissionsState } from '../model/permissions-state.js';

/** A reason, with the scope of its binding. */
export interface ScopedReason extends Reason {
  /** The scope as a phrase like `database shop`, if it has the form that `scopeOf` gives. */
  readonly scope?: string | undefined;
}

/** Adds the scopes of the bindings of a user and of groups to reasons. */
export function addScopes(
  because: readonly Reason[],
  { bindings, groupBindings = [] }: PermissionsState,
  user: string | undefined,
  groups: readonly string[],
): readonly ScopedReason[] {
  const bound = {
    binding: bindings.filter((one) => one.user === user),
    group: groupBindings.filter(({ group }) => groups.includes(group)),
    request: [],
    superuser: [],
  };
  return because.map((reason) => {
    const own = bound[reason.via].filter(({ role }) => role === reason.role);
    const scope = own.flatMap((binding) => describeScope(binding.scope) ?? []).join('; ');
    return scope === '' ? reason : { ...reason, scope };
  });
}

/** The lines of reasons; equal ones are given once. */
export const linesOfReasons = (because: readonly ScopedReason[]): string[] => [
  ...new Set(because.map((reason) => `by ${formatReason(reason)}${reason.scope ? ` (${reason.scope})` : ''}`)),
];
