import { type Policy, type Role, samePolicy } from '../../policy/index.js';
import { sameRole } from '../../policy/model/normalize.js';
import type { PermissionKind } from './permissions-state.js';
import type { ItemContent } from './plan-change.js';

/** Compares normalized contents: the order of lists and duplicates do not matter. */
export function sameContent(kind: PermissionKind, a: ItemContent, b: ItemContent): boolean {
  if (!a || !b) return a === b;
  // The casts: both are of this kind.
  return kind === 'role' ? sameRole(a as Role, b as Role) : samePolicy(a as Policy, b as Policy);
}
