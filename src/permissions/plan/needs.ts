import type { NeededPermission } from '../../base/errors.js';
import type { Change, Content, Stage } from '../model/change.js';

// The permissions that the calls of a plan need. Source: docs/wire.md, "RBAC management".

/** The management actions that plans need; the caller's permissions are compared for these only. */
export const managementActions = [
  ...['List', 'Get', 'Create', 'Update', 'Delete'].flatMap((verb) => [`rbac:${verb}Policy`, `rbac:${verb}Role`]),
  ...['ListUserRoleBinding', 'AssignUserRole', 'RemoveUserRole', 'ReplaceUserRoleScope'].map((name) => `rbac:${name}`),
];

/** The permission to read an item: `apply` reads it before each write, and once more at the end. */
function needsToRead(change: Change): NeededPermission {
  if (change.kind === 'binding') return { action: 'rbac:ListUserRoleBinding', resource: change.user };
  return { action: change.kind === 'policy' ? 'rbac:GetPolicy' : 'rbac:GetRole', resource: change.name };
}

/** The permission to write an item whose current content is `before`. */
export function needsToWrite(change: Change, before: Content, content: Content): NeededPermission {
  if (change.kind === 'binding') {
    const action = !content ? 'RemoveUserRole' : before ? 'ReplaceUserRoleScope' : 'AssignUserRole';
    return { action: `rbac:${action}`, resource: change.user };
  }
  const verb = !content ? 'Delete' : before ? 'Update' : 'Create';
  return { action: `rbac:${verb}${change.kind === 'policy' ? 'Policy' : 'Role'}`, resource: change.name };
}

/** A permission that a call needs, with the change that the call belongs to. */
export interface Need extends NeededPermission {
  readonly change: number;
}

/** The permissions that the calls of each stage need, in the same order. */
export function needsOf(changes: readonly Change[], stages: readonly Stage[]): readonly (readonly Need[])[][] {
  const contents = changes.map(({ before }) => before);
  return stages.map((stage) =>
    stage.map(({ change: at, content }) => {
      // The cast: steps name changes of their plan.
      const change = changes[at] as Change;
      const write = needsToWrite(change, contents[at] ?? null, content);
      contents[at] = content;
      return [needsToRead(change), write].map((need) => ({ ...need, change: at }));
    }),
  );
}
