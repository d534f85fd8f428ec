import { normalizePolicy, type Policy } from '../../policy/index.js';
import { predefinedRoles } from '../../policy/model/fresh-deployment.js';
import { operatorPrefix, predefined } from '../../policy/model/predefined-names.js';
import type { CollectedFiles } from '../format/collected-files.js';
import { bindingKey } from '../model/binding-key.js';
import { barePolicy } from '../model/operator-items.js';
import type { OperatorItems } from '../model/permissions-state.js';
import { type AnyBinding, type BindingItemOwner, bindingItem, describeItem } from '../model/plan-change.js';
import type { CustomResourceKind, Reference } from '../model/resource-kinds.js';
import { ownerFault } from '../model/writable.js';
import type { FoundResource } from './read-resources.js';

type Found<Kind extends CustomResourceKind> = Extract<FoundResource, { readonly kind: Kind }>;
type Field = readonly (string | number)[];

const nothing: Policy = normalizePolicy({ statements: [] });
const quote = (text: string): string => JSON.stringify(text);

/** Reads a name from the status, which the cluster writes. */
function nameIn(status: unknown, field: string): string | undefined {
  // The casts: a status may hold anything, and reading a field of any other value gives undefined.
  const at = (status as Readonly<Record<string, { readonly name?: unknown } | null>> | null | undefined)?.[field];
  return typeof at?.name === 'string' ? at.name : undefined;
}

/** Derives the items that the operator makes of custom resources, and finds their traps. */
class ResourceCollector {
  readonly #all: CollectedFiles;
  readonly #resources: readonly FoundResource[];
  readonly #names: ReadonlyMap<CustomResourceKind, ReadonlySet<string>>;
  readonly #policies: string[] = [];
  /** The names of the policies of each role. */
  readonly #roles = new Map<string, Set<string>>();
  readonly #bindings: (BindingItemOwner & { readonly role: string })[] = [];
  readonly #tokens: string[] = [];
  readonly #tokenResources: readonly Found<'ArangoPermissionToken'>[];

  constructor(all: CollectedFiles, resources: readonly FoundResource[]) {
    this.#all = all;
    this.#resources = resources.filter(({ kind, name, parsed, path }) => {
      const owned = { parsed, path: [...path, 'metadata', 'name'] };
      return all.own(`resource ${kind}`, name, `the ${kind} ${quote(name)}`, owned);
    });
    this.#tokenResources = this.#of('ArangoPermissionToken');
    const names = new Map<CustomResourceKind, Set<string>>();
    for (const { kind, name } of resources) {
      const kindNames = names.get(kind) ?? new Set();
      names.set(kind, kindNames.add(name));
    }
    this.#names = names;
  }

  collect(): OperatorItems {
    for (const policy of this.#of('ArangoPermissionPolicy')) {
      this.#policy(`${operatorPrefix}${policy.name}`, policy.spec.policy, policy, ['spec', 'policy']);
    }
    for (const role of this.#of('ArangoPermissionRole')) this.#role(role.name, role);
    for (const binding of this.#of('ArangoPermissionPolicyRoleBinding')) this.#attach(binding);
    for (const binding of this.#of('ArangoPermissionRoleUserBinding')) {
      this.#bindTo({ user: binding.spec.userName }, binding);
    }
    for (const binding of this.#of('ArangoPermissionRoleGroupBinding')) {
      this.#bindTo({ group: binding.spec.groupName }, binding);
    }
    for (const token of this.#of('ArangoPermissionToken')) this.#token(token);
    for (const [name, policies] of this.#roles) {
      this.#all.roles.set(name, { policies: [...policies].sort(), scope: null, description: '' });
    }
    return {
      policies: this.#policies,
      roles: [...this.#roles.keys()],
      bindings: this.#bindings,
      tokens: this.#tokens,
    };
  }

  #of<Kind extends CustomResourceKind>(kind: Kind): Found<Kind>[] {
    // The cast: the kind was just compared.
    return this.#resources.filter((resource) => resource.kind === kind) as Found<Kind>[];
  }

  #find({ parsed, path }: FoundResource, field: Field, message: string, atKey = false): void {
    this.#all.findings.push(parsed.issueAt([...path, ...field], message, atKey));
  }

  #policy(name: string, policy: Policy, { parsed, path }: FoundResource, field: Field): void {
    if (!this.#all.own('policies', name, `the policy ${quote(name)}`, { parsed, path: [...path, ...field] })) return;
    this.#all.policies.set(name, barePolicy(policy));
    this.#policies.push(name);
  }

  #role(name: string, { parsed, path }: FoundResource): void {
    const owned = { parsed, path: [...path, 'metadata', 'name'] };
    if (this.#all.own('roles', name, `the role ${quote(name)}`, owned)) this.#roles.set(name, new Set());
  }

  #bind(owner: BindingItemOwner, role: string, scope: Policy, { parsed, path }: FoundResource): void {
    const owned = { parsed, path: [...path, 'spec'] };
    const binding = { ...owner, role };
    const key = bindingKey(binding);
    if (!this.#all.own('binding', key, `the ${describeItem(bindingItem(binding))}`, owned)) return;
    // The cast: an owner is a user or a group.
    this.#all.bindings.set(key, { ...binding, scope: barePolicy(scope) } as AnyBinding);
    this.#bindings.push(binding);
  }

  /** Reports a reference to a custom resource that the files lack. */
  #missing(kind: CustomResourceKind, name: string, from: FoundResource, field: Field): void {
    const names = this.#names.get(kind) ?? new Set();
    if (names.has(name)) return;
    this.#find(from, field, `these files have no ${kind} ${quote(name)}${this.#all.suggest(name, names)}`);
  }

  /** Reports a reference to a predefined name that the platform lacks. */
  #unknownPredefined(name: string, from: FoundResource): void {
    if (!name.startsWith(predefined) || predefinedRoles.includes(name)) return;
    const message = `the platform has no role ${quote(name)}${this.#all.suggest(name, predefinedRoles)}`;
    this.#find(from, ['spec', 'role', 'direct'], message);
  }

  /** The name of an attached policy; undefined if the operator will not find it. */
  #policyName({ name, direct }: Reference, from: FoundResource): string | undefined {
    const wanted = name ?? direct ?? '';
    const isThere = this.#names.get('ArangoPermissionPolicy')?.has(wanted) === true;
    if (name !== undefined) this.#missing('ArangoPermissionPolicy', name, from, ['spec', 'policy', 'name']);
    else if (!isThere) {
      const bare = wanted.startsWith(operatorPrefix) ? wanted.slice(operatorPrefix.length) : wanted;
      const policyNames = this.#names.get('ArangoPermissionPolicy') ?? new Set<string>();
      const instead = policyNames.has(bare) ? `; write name: ${bare}` : this.#all.suggest(bare, policyNames);
      const message = `is looked up as the name of an ArangoPermissionPolicy and never found${instead}`;
      this.#find(from, ['spec', 'policy', 'direct'], message);
      return undefined;
    }
    return `${operatorPrefix}${wanted}`;
  }

  #attach(from: Found<'ArangoPermissionPolicyRoleBinding'>): void {
    const { policy, role } = from.spec;
    const name = this.#policyName(policy, from);
    if (role.name !== undefined) this.#missing('ArangoPermissionRole', role.name, from, ['spec', 'role', 'name']);
    const target = role.name ?? role.direct ?? '';
    if (role.direct !== undefined && !target.startsWith(predefined)) {
      const message = 'has no effect: policies are attached to direct roles of the platform only; use name';
      this.#find(from, ['spec', 'role', 'direct'], message);
      return;
    }
    this.#unknownPredefined(target, from);
    if (name === undefined) return;
    if (role.direct !== undefined && !this.#roles.has(target)) this.#role(target, from);
    this.#roles.get(target)?.add(name);
  }

  #bindTo(
    owner: BindingItemOwner,
    from: Found<'ArangoPermissionRoleUserBinding' | 'ArangoPermissionRoleGroupBinding'>,
  ): void {
    const { role, scope } = from.spec;
    const [kind, name] = owner.group === undefined ? ['user', owner.user] : ['group', owner.group];
    const field = ['spec', `${kind}Name`];
    const fault = ownerFault(owner);
    if (fault !== undefined) this.#all.report({ parsed: from.parsed, path: [...from.path, ...field] }, fault);
    if (role.name !== undefined) this.#missing('ArangoPermissionRole', role.name, from, ['spec', 'role', 'name']);
    else this.#unknownPredefined(role.direct ?? '', from);
    const target = role.name ?? role.direct ?? '';
    const [before, bound] = [nameIn(from.status, `${kind}RoleBinding`), nameIn(from.status, 'role')];
    if (before !== undefined && before !== name) {
      this.#find(from, field, `was ${quote(before)}, whose binding to role ${quote(bound ?? target)} stays: remove it`);
    } else if (bound !== undefined && bound !== target) {
      this.#find(from, ['spec', 'role'], `was ${quote(bound)}, and the ${kind}'s binding to it stays: remove it`);
    }
    const { user } = owner;
    const token = user === undefined ? undefined : this.#tokenResources.find(({ name }) => isUserOf(user, name));
    if (token)
      this.#find(from, field, `is the user of the token ${quote(token.name)}: the operator removes the binding`);
    this.#bind(owner, target, scope, from);
  }

  #token(from: Found<'ArangoPermissionToken'>): void {
    const { policy, scope, roles = [] } = from.spec;
    if (roles.length > 0) {
      this.#find(from, ['spec', 'roles'], 'has no effect: the operator does not read the roles of a token', true);
    }
    if (policy && !scope) this.#find(from, ['spec'], 'the token grants nothing, because it has no scope', true);
    const user = nameIn(from.status, 'user');
    if (from.uid === undefined || user === undefined) return void this.#tokens.push(from.name);
    const role = `${operatorPrefix}${from.uid}`;
    this.#role(role, from);
    if (policy) {
      const name = `${role}:policy`;
      this.#policy(name, policy, from, ['spec', 'policy']);
      this.#roles.get(role)?.add(name);
    }
    this.#bind({ user }, role, scope ?? nothing, from);
  }
}

/** True if a name is that of the database user which the operator creates for a token. */
const isUserOf = (user: string, token: string): boolean =>
  user.startsWith(`operator-${token}-`) && /^[a-z0-9]{6}$/.test(user.slice(token.length + 10));

/** Adds the items that the operator makes of custom resources. */
export const collectResources = (all: CollectedFiles, resources: readonly FoundResource[]): OperatorItems =>
  new ResourceCollector(all, resources).collect();
