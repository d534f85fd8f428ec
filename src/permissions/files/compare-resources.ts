import { samePolicy } from '../../policy/index.js';
import { barePolicy } from '../model/operator-items.js';
import type { FilePlace, PermissionsIssue } from '../model/permissions-error.js';
import type { Reference } from '../model/resource-kinds.js';
import type { CustomResource } from '../resources/read-resources.js';
import type { Permissions } from './collect-files.js';

const keyOf = ({ kind, namespace, name }: CustomResource): string => JSON.stringify([kind, namespace, name]);
const nameOf = ({ name, direct }: Reference): string => name ?? direct ?? '';

/** Describes a change that the operator does not carry out. */
function problemOf(before: CustomResource, after: CustomResource): string | undefined {
  const [from, to] = [before.spec.deployment.name, after.spec.deployment.name];
  if (from !== to) return `was for the deployment ${JSON.stringify(from)}: a change has no effect, make a new resource`;
  if (before.kind === 'ArangoPermissionRoleUserBinding' && after.kind === before.kind) {
    const [user, role] = [before.spec.userName, nameOf(before.spec.role)];
    if (user === after.spec.userName && role === nameOf(after.spec.role)) return undefined;
    const changed = user === after.spec.userName ? 'role' : 'userName';
    const old = `the binding of user ${JSON.stringify(user)} to role ${JSON.stringify(role)}`;
    return `has another ${changed}: ${old} stays, remove it`;
  }
  if (before.kind === 'ArangoPermissionToken' && after.kind === before.kind) {
    const [had, has] = [before, after].map(({ spec: { scope } }) => scope && barePolicy(scope));
    return samePolicy(had, has) ? undefined : 'has another scope, which does not reach its binding: make a new token';
  }
  return undefined;
}

/**
 * Finds changes between two versions of custom resources that the operator carries out only in part: if the `userName`
 * or role of a user's binding changes, the old binding stays; a changed scope of a token does not reach the services; a
 * changed deployment has no effect. Each finding has its place in the later version.
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
