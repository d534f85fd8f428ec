import { byCodePoint } from '../../base/lib/code-points.js';
import { anyText, optional, type ReadersOf, strictObject, transform } from '../../base/lib/readers.js';
import { type Policy, type Role, validatePolicy } from '../../policy/index.js';
import { superAdmin } from '../../policy/model/fresh-deployment.js';
import { compactPolicy } from '../../policy/model/normalize.js';
import { keeperOf, nameFault, operatorPrefix, predefined } from '../../policy/model/predefined-names.js';
import { yamlLines } from '../format/yaml-text.js';
import { checkState } from '../model/check-state.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings, bindingItem, type ItemName } from '../model/plan-change.js';
import { readInput } from '../model/read-argument.js';
import { type CustomResourceKind, type Reference, resourceVersion } from '../model/resource-kinds.js';
import { describeIssue, type Omitted, ownerFault, sortBindings, sorted } from '../model/writable.js';
import { deploymentFault, ResourceNames, resourceNameFault } from './resource-names.js';

/** Options of {@link exportCustomResources}. */
export interface ResourceOptions {
  /** The name of the ArangoDeployment. */
  readonly deployment: string;
  /** The namespace of the deployment and of all its resources. Default: kubectl's current namespace. */
  readonly namespace?: string | undefined;
}

const readDeploymentName = transform(anyText, (name, reading) => {
  const fault = deploymentFault(name);
  return fault === undefined ? name : reading.report<string>(fault);
});

export const resourceReaders = {
  deployment: readDeploymentName,
  namespace: optional(readDeploymentName),
} satisfies ReadersOf<ResourceOptions>;

export const readResourceOptions = strictObject(resourceReaders);

/** A policy whose name changes when the operator creates it. */
export interface RenamedPolicy {
  readonly from: string;
  readonly to: string;
}

/** Custom resources as text, and the parts of the state that are left out. */
export interface ExportedResources {
  /** YAML with one document per resource. */
  readonly text: string;
  /** Policies that the operator creates under another name. Roles in the text refer to the new names. */
  readonly renamed: readonly RenamedPolicy[];
  /** Items that custom resources cannot express, or that the platform or its operator manages. */
  readonly omitted: readonly Omitted[];
}

/** The number of levels written as blocks: the fields, those of the spec, those of its policy, and the statements. */
const openLevels = 4;

const scopeAdvice = 'which a custom resource cannot give to a role: narrow the bindings to the role instead';
const lost = 'is to a role that is left out';

/** Tells why a policy cannot be exported: another program manages its name. */
function keeperProblem(name: string): string | undefined {
  if (name.startsWith(predefined)) return 'belongs to the platform';
  return name.startsWith(operatorPrefix) && name.endsWith(':policy') ? 'belongs to a token' : undefined;
}

/** A custom resource as a YAML document. */
export interface ResourceDocument {
  readonly kind: CustomResourceKind;
  readonly text: string;
}

/** Joins documents into the text of one file. */
export const joinDocuments = (documents: readonly ResourceDocument[]): string =>
  documents.map(({ text }) => text).join('---\n');

/** Writes a state as custom resources. */
class ResourceWriter {
  readonly omitted: Omitted[] = [];
  readonly renamed: RenamedPolicy[] = [];
  readonly documents: ResourceDocument[] = [];
  readonly #options: ResourceOptions;
  readonly #names = new ResourceNames();
  /** The resource names of policies, by policy name. */
  readonly #policies = new Map<string, string>();
  readonly #roles = new Set<string>();

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  policies(policies: ReadonlyMap<string, Policy>): void {
    for (const [name, policy] of sorted(policies)) {
      const resource = name.startsWith(operatorPrefix) ? name.slice(operatorPrefix.length) : name;
      const item = { kind: 'policy', name } as const;
      const isTwice = resource !== name && policies.has(resource);
      const problem =
        keeperProblem(name) ??
        resourceNameFault(resource) ??
        (isTwice ? `has the same resource as the policy ${JSON.stringify(resource)}: rename one` : undefined) ??
        describeIssue(validatePolicy(policy));
      if (this.#omit(item, problem)) continue;
      this.#policies.set(name, resource);
      if (resource === name) this.renamed.push({ from: name, to: `${operatorPrefix}${name}` });
      this.#write('ArangoPermissionPolicy', resource, { policy: compactPolicy(policy) });
    }
  }

  roles(roles: ReadonlyMap<string, Role>): void {
    for (const [name, role] of sorted(roles)) {
      const isPredefined = name.startsWith(predefined);
      const item = { kind: 'role', name } as const;
      const unknown = role.policies.find((policy) => !this.#policies.has(policy));
      const problem =
        (name === superAdmin ? 'belongs to the platform' : undefined) ??
        (keeperOf(name) === 'the operator' ? 'belongs to a token' : undefined) ??
        (isPredefined ? undefined : resourceNameFault(name)) ??
        (role.scope ? `has a scope, ${scopeAdvice}` : undefined) ??
        (unknown === undefined
          ? undefined
          : `names the policy ${JSON.stringify(unknown)}, which has no resource: write it in the file`);
      if (this.#omit(item, problem)) continue;
      if (!isPredefined) {
        this.#roles.add(name);
        this.#write('ArangoPermissionRole', name, { ...(role.description && { description: role.description }) });
      }
      for (const policy of [...new Set(role.policies)].sort(byCodePoint)) {
        // The cast: roles with other policies were omitted before.
        const resource = this.#policies.get(policy) as string;
        const reference: Reference = isPredefined ? { direct: name } : { name };
        const fields = { policy: { name: resource }, role: reference };
        this.#write(
          'ArangoPermissionPolicyRoleBinding',
          this.#names.of('ArangoPermissionPolicyRoleBinding', name, resource),
          fields,
        );
      }
    }
  }

  bindings({ roles, ...state }: PermissionsState): void {
    for (const binding of sortBindings(allBindings(state))) {
      const { role, scope } = binding;
      const item = bindingItem(binding);
      const [kind, field, owner] =
        item.group === undefined
          ? (['ArangoPermissionRoleUserBinding', 'userName', item.user] as const)
          : (['ArangoPermissionRoleGroupBinding', 'groupName', item.group] as const);
      const isLost = roles.has(role) && !this.#roles.has(role) && !role.startsWith(predefined);
      const problem =
        (role === superAdmin
          ? 'is to the role of the platform that custom resources cannot bind: use apply'
          : undefined) ??
        (keeperOf(role) === 'the operator' ? 'belongs to a token' : undefined) ??
        ownerFault(item) ??
        nameFault(role) ??
        (isLost ? lost : undefined) ??
        describeIssue(validatePolicy(scope ?? { statements: [] }));
      if (this.#omit(item, problem)) continue;
      const reference: Reference = this.#roles.has(role) ? { name: role } : { direct: role };
      const fields = { role: reference, [field]: owner, scope: compactPolicy(scope ?? { statements: [] }) };
      this.#write(kind, this.#names.of(kind, owner, role), fields);
    }
  }

  #omit(item: ItemName, problem: string | undefined): boolean {
    if (problem !== undefined) this.omitted.push({ ...item, reason: problem });
    return problem !== undefined;
  }

  #write(kind: CustomResourceKind, name: string, fields: object): void {
    const { deployment, namespace } = this.#options;
    const spec = { deployment: { name: deployment }, ...fields };
    const resource = { apiVersion: resourceVersion, kind, metadata: { name, namespace }, spec };
    this.documents.push({ kind, text: `${yamlLines(resource, 0, openLevels).join('\n')}\n` });
  }
}

/**
 * Writes a state as custom resources of the operator; equal states give equal texts. After `kubectl apply` the
 * deployment makes the same decisions: reading the text gives the same policies, roles and bindings, without
 * descriptions. The services then store a policy as `managed:operator:<name>`. If a custom resource cannot express a
 * role because of its name, its scope or one of its policies, the whole role is left out, with the bindings to it: a
 * partial role could allow more. `omitted` lists these items, and items of tokens and of the platform.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for an invalid deployment or namespace.
 *
 * @example
 * ```ts
 * import { exportCustomResources, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice', 'bob'] });
 * const { text, omitted } = exportCustomResources(state, { deployment: 'main', namespace: 'shop' });
 * console.log(text, omitted.length);
 * ```
 */
export function exportCustomResources(state: PermissionsState, options: ResourceOptions): ExportedResources {
  checkState(state, ['deployment', 'namespace']);
  const { documents, renamed, omitted } = writeDocuments(state, options);
  return { text: joinDocuments(documents), renamed, omitted };
}

/** True for a binding that is left out only because its role is left out. */
export const isLeftOutWithRole = ({ reason }: Omitted): boolean => reason === lost;

/** Writes a state as documents: policies, then roles, then bindings. */
export function writeDocuments(
  state: PermissionsState,
  options: ResourceOptions,
): Omit<ExportedResources, 'text'> & { readonly documents: readonly ResourceDocument[] } {
  readInput(options, 'options', readResourceOptions);
  const writer = new ResourceWriter(options);
  writer.policies(state.policies);
  writer.roles(state.roles);
  writer.bindings(state);
  return writer;
}
