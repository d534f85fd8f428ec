import { samePolicy } from '../../policy/index.js';
import { barePolicy } from '../model/operator-items.js';
import type { FilePlace, PermissionsIssue } from '../model/permissions-error.js';
import { type BindingItem, bindingItem, describeItem, describeOwner } from '../model/plan-change.js';
import type { Reference } from '../model/resource-kinds.js';
import type { CustomResource } from '../resources/read-resources.js';
import type { Permissions } from './collect-files.js';

const keyOf = ({ kind, namespace, name }: CustomResource): string => JSON.stringify([kind, namespace, name]);
const nameOf = ({ name, direct }: Reference): string => name ?? direct ?? '';

/** The binding that a resource makes; undefined for other kinds. */
function boundBy({ kind, spec }: CustomResource): BindingItem | undefined {
  if (kind === 'ArangoPermissionRoleUserBinding') return bindingItem({ user: spec.userName, role: nameOf(spec.role) });
  if (kind !== 'ArangoPermissionRoleGroupBinding') return undefined;
  return bindingItem({ group: spec.groupName, role: nameOf(spec.role) });
}

/** Describes a change that the operator does not carry out. */
function problemOf(before: CustomResource, after: CustomResource): string | undefined {
  const [from, to] = [before.spec.deployment.name, after.spec.deployment.name];
  if (from !== to) return `was for the deployment ${JSON.stringify(from)}: a change has no effect, make a new resource`;
  const [had, has] = [boundBy(before), boundBy(after)];
  if (had && has) {
    const isOwner = describeOwner(had) === describeOwner(has);
    if (isOwner && had.role === has.role) return undefined;
    const changed = isOwner ? 'role' : had.group === undefined ? 'userName' : 'groupName';
    return `has another ${changed}: the ${describeItem(had)} stays, remove it`;
  }
  if (before.kind === 'ArangoPermissionToken' && after.kind === before.kind) {
    const [had, has] = [before, after].map(({ spec: { scope } }) => scope && barePolicy(scope));
    return samePolicy(had, has) ? undefined : 'has another scope, which does not reach its binding: make a new token';
  }
  return undefined;
}

/**
 * Finds changes between two versions of custom resources that the operator carries out only in part: if the `userName`,
 * `groupName` or role of a binding changes, the old binding stays; a changed scope of a token does not reach the
 * services; a changed deployment has no effect. Each finding has its place in the later version.
 *
 * @example
 * ```ts
 * import { findStaleResources, readPermissions } from 'arango-services/permissions';
 *
 * const read = () => '';
 * const [before, after] = [await readPermissions('old.yaml', { read }), await readPermissions('new.yaml', { read })];
 * for (const { file, line, message } of findStaleResources(before, after)) console.log(file, line, message);
 * ```
 */
export function findStaleResources(before: Permissions, after: Permissions): readonly PermissionsIssue[] {
  const old = new Map(before.resources.map((resource) => [keyOf(resource), resource]));
  return after.resources.flatMap((resource) => {
    const earlier = old.get(keyOf(resource));
    const message = earlier && problemOf(earlier, resource);
    if (message === undefined) return [];
    const { file, line, column }: FilePlace = resource;
    return [{ file, line, column, message }];
  });
}
