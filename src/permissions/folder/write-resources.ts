import { counted } from '../../base/lib/counted.js';
import { printable } from '../../base/lib/text/printable.js';
import type { Permissions } from '../files/collect-files.js';
import { byPlace, PermissionsError } from '../model/permissions-error.js';
import { allBindings, describeItem, itemPaths } from '../model/plan-change.js';
import type { CustomResourceKind } from '../model/resource-kinds.js';
import type { Omitted } from '../model/writable.js';
import {
  isLeftOutWithRole,
  joinDocuments,
  type ResourceOptions,
  writeDocuments,
} from '../resources/export-resources.js';

/** The files of a folder of custom resources. */
export interface WrittenResources {
  /** Texts by file name: `policies.yaml`, `roles.yaml`, `user-bindings.yaml`, `group-bindings.yaml`; no empty ones. */
  readonly files: ReadonlyMap<string, string>;
  /** Settings that do not reach the services as written, as sentences. */
  readonly notes: readonly string[];
}

/** The first line of each written file. Only files that begin with it are overwritten. */
const mark = '# Custom resources that arango-services writes from a file of permissions; change that file instead.\n';

/** True for a file that `writeResources` has written. */
export const isWritten = (text: string): boolean => text.startsWith(mark);

const fileOf: Readonly<Partial<Record<CustomResourceKind, string>>> = {
  ArangoPermissionPolicy: 'policies.yaml',
  ArangoPermissionRole: 'roles.yaml',
  ArangoPermissionPolicyRoleBinding: 'roles.yaml',
  ArangoPermissionRoleUserBinding: 'user-bindings.yaml',
  ArangoPermissionRoleGroupBinding: 'group-bindings.yaml',
};

/** The names of the files, sorted as they are written. */
export const writtenNames: readonly string[] = [...new Set(Object.values(fileOf))];

/** Throws if an item cannot be written as a custom resource, with the place of each. */
function refuse(desired: Permissions, omitted: readonly Omitted[]): void {
  const faults = omitted.filter((omission) => !isLeftOutWithRole(omission));
  if (faults.length === 0) return;
  const pathOf = itemPaths(desired);
  const start = { file: desired.files[0] ?? '', line: 1, column: 1 };
  const issues = faults.map((fault) => ({
    ...(desired.locate(pathOf(fault)) ?? start),
    message: printable(`the ${describeItem(fault)} ${fault.reason}`),
  }));
  throw new PermissionsError(issues.sort(byPlace(desired.files)));
}

/** Counts the policies, roles and scopes that have a description, their own or one of a statement. */
function countDescribed({ policies, roles, ...state }: Permissions): number {
  const isDescribed = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, field]) =>
      key === 'description' ? field !== '' && field !== undefined : isDescribed(field),
    );
  return [...policies.values(), ...roles.values(), ...allBindings(state)].filter(isDescribed).length;
}

function notesOf(desired: Permissions, renamed: number): string[] {
  const described = countDescribed(desired);
  return [
    ...(renamed > 0
      ? [`The operator gives ${counted(renamed, 'name')} of policies the prefix managed:operator:.`]
      : []),
    ...(described > 0
      ? [`Descriptions of ${counted(described, 'item')} stay in the resources: the services do not get them.`]
      : []),
  ];
}

/**
 * Writes files of permissions as a folder of custom resources, for a deployment whose operator owns permissions. Equal
 * content gives equal texts, sorted by name. Reading them back gives the same policies, roles and bindings, except that
 * descriptions are lost and names of policies begin with `managed:operator:`.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for an invalid deployment or namespace, and with an issue for each item
 *   that no custom resource can hold: a name that Kubernetes does not accept, a role with a scope, an item of the
 *   platform.
 *
 * @example
 * ```ts
 * import { readPermissions, writeResources } from 'arango-services/permissions';
 *
 * const texts = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const desired = await readPermissions('permissions.yaml', { read: (file) => texts.get(file) ?? '' });
 * const { files } = writeResources(desired, { deployment: 'main', namespace: 'shop' });
 * console.log([...files.keys()]); // [ 'policies.yaml' ]
 * ```
 */
export function writeResources(desired: Permissions, options: ResourceOptions): WrittenResources {
  const { documents, renamed, omitted } = writeDocuments(desired, options);
  refuse(desired, omitted);
  // The cast: a state holds no tokens, and every other kind has a file.
  const byFile = Map.groupBy(documents, ({ kind }) => fileOf[kind] as string);
  const files = new Map([...byFile].map(([file, some]) => [file, `${mark}${joinDocuments(some)}`]));
  return { files, notes: notesOf(desired, renamed.length) };
}
