import { hashOf } from '../../base/lib/hash.js';
import { ownField } from '../../base/lib/values.js';
import { type EvaluationRules, evaluationRules } from '../model/fidelity.js';
import type {
  Binding,
  Decision,
  EvaluatorBatch,
  EvaluatorQuestion,
  Fidelity,
  GroupBinding,
  ManyDecisions,
  Policy,
  PolicyState,
  Role,
} from '../model/model.js';
import { type Fields, isPlainAlone } from '../model/plain.js';
import { sharedDecision, sumUp } from '../model/shared-decision.js';
import { nameOf, type TakenBinding } from './binding.js';
import { toChain } from './binding-chain.js';
import { Grant, type PolicyNode } from './compile.js';
import { ownFields } from './evaluation-request.js';
import type { Evaluator, PolicyFault } from './evaluator.js';
import type { Loader } from './load.js';
import { PolicyContent } from './policy-content.js';

const granted = /* @__PURE__ */ sharedDecision('Allow', 'Access Granted');
const denied = /* @__PURE__ */ sharedDecision('Deny', 'Permission denied');
const superuser = /* @__PURE__ */ sharedDecision('Allow', 'Superuser Allowed');

/** Bindings as their callers set them. */
const toBindings = <K extends 'user' | 'group'>(kind: K, bindings: readonly TakenBinding[]) =>
  bindings.map(
    ({ owner, role, scope }) =>
      // The cast: a computed name has the type string.
      ({ [kind]: owner, role, ...(scope && { scope: scope.source }) }) as Readonly<Record<K, string>> &
        Omit<Binding, 'user'>,
  );

/** Decides from maps of compiled policies and roles, and of bindings by their users and groups. */
export class IndexedEvaluator implements Evaluator {
  declare readonly fidelity: Fidelity;
  readonly #loader: Loader;
  readonly #content: PolicyContent;
  readonly #rules: EvaluationRules;

  constructor(loader: Loader, content = new PolicyContent(evaluationRules[loader.fidelity].bindingsByName)) {
    this.fidelity = loader.fidelity;
    this.#loader = loader;
    this.#content = content;
    this.#rules = evaluationRules[loader.fidelity];
  }

  evaluate(request: EvaluatorQuestion): Decision {
    // Two calls, so that V8 optimizes the first one for plain requests.
    if (isPlainAlone(request)) return this.#decide(request, request);
    const fields = ownFields(request);
    return this.#decide(fields, fields);
  }

  isAllowed(request: EvaluatorQuestion): boolean {
    return this.evaluate(request).allowed;
  }

  evaluateMany(request: EvaluatorBatch): ManyDecisions {
    const subject = ownFields(request);
    const items = ownField(request, 'items');
    return sumUp(Array.isArray(items) ? Array.from(items, (item) => this.#decide(subject, ownFields(item))) : []);
  }

  setPolicy(name: string, policy: Policy): void {
    this.#content.policies.set(
      name,
      this.#loader.take((loader) => loader.policy(name, policy)),
    );
    this.#content.cache.forgetPolicy(name);
  }

  deletePolicy(name: string): boolean {
    this.#content.cache.forgetPolicy(name);
    return this.#content.policies.delete(name);
  }

  setRole(name: string, role: Role): void {
    this.#content.roles.set(
      name,
      this.#loader.take((loader) => loader.role(name, role)),
    );
    this.#content.cache.forgetRole(name);
  }

  deleteRole(name: string): boolean {
    this.#content.cache.forgetRole(name);
    return this.#content.roles.delete(name);
  }

  setBinding(binding: Binding): void {
    this.#bind('user', binding);
  }

  deleteBinding(user: string, role: string): boolean {
    return this.#content.user.bind(user, role);
  }

  setGroupBinding(binding: GroupBinding): void {
    this.#bind('group', binding);
  }

  deleteGroupBinding(group: string, role: string): boolean {
    return this.#content.group.bind(group, role);
  }

  policy(name: string): Policy | undefined {
    return this.#content.policies.get(name)?.source;
  }

  role(name: string): Role | undefined {
    return this.#content.roles.get(name)?.source;
  }

  policies(): readonly string[] {
    return this.#content.policies.names();
  }

  roles(): readonly string[] {
    return this.#content.roles.names();
  }

  users(): readonly string[] {
    return this.#content.user.names();
  }

  groups(): readonly string[] {
    return this.#content.group.names();
  }

  bindings(user?: string): readonly Binding[] {
    return toBindings('user', this.#content.user.of(user));
  }

  groupBindings(group?: string): readonly GroupBinding[] {
    return toBindings('group', this.#content.group.of(group));
  }

  faults(user: string | undefined, groups: readonly string[] = []): readonly PolicyFault[] {
    const { user: users, group: bound, policies } = this.#content;
    const faults: PolicyFault[] = [];
    const named = groups.map((group) => bound.of(group));
    if (user !== undefined) named.unshift(users.of(user));
    for (const { role, scope } of named.flat()) {
      for (const policy of this.role(role)?.policies ?? []) {
        for (const issue of policies.get(policy)?.faults ?? []) faults.push({ ...issue, role, policy });
      }
      for (const issue of scope?.faults ?? []) faults.push({ ...issue, role });
    }
    return faults;
  }

  clone(): Evaluator {
    return new IndexedEvaluator(this.#loader.forClone(), new PolicyContent(this.#rules.bindingsByName, this.#content));
  }

  /** Fills a new evaluator. Validates everything first, so that an error lists all issues. */
  load(state: PolicyState): void {
    const { policies, roles } = this.#content;
    this.#loader.take((loader) => {
      for (const [name, policy] of loader.named<Policy>('policies', state)) {
        policies.set(name, loader.policy(name, policy));
      }
      for (const [name, role] of loader.named<Role>('roles', state)) roles.set(name, loader.role(name, role));
      for (const kind of ['user', 'group'] as const) {
        for (const node of loader.bindings(kind, state)) this.#content[kind].bind(node.owner, node.role, node, true);
      }
    });
  }

  #bind(kind: 'user' | 'group', binding: Binding | GroupBinding): void {
    const node = this.#loader.take((loader) => loader.binding(kind, binding, ['binding']));
    if (node) this.#content[kind].bind(node.owner, node.role, node);
  }

  /** The grants for a question that is not cached; undefined for a user without bindings, which is never cached. */
  #compile(user: string, action: string, resource: string): Grant | undefined {
    const { user: users, cache } = this.#content;
    const hash = users.isShared(user) ? undefined : hashOf(user);
    const last = hash === undefined ? toChain(users.of(user)) : users.owners.get(user, hash);
    return last && cache.compile(user, last, action, resource, hash);
  }

  /**
   * True if a role of the request or a binding of one of its groups allows. In sidecar fidelity a role of the user that
   * is named `group:role` hides the binding of a group with that name. Source: docs/wire.md, "Groups".
   */
  #namesAllow(user: string, names: readonly unknown[], action: string, resource: string): boolean {
    const { user: users, group: groups, roles, cache } = this.#content;
    const { rolesCount } = this.#rules;
    const allows = (role: string, scope: PolicyNode | null | undefined) =>
      scope !== null && Grant.of(action, cache.node(role, action), scope, null)?.allows(resource);
    // Asked last, because such roles are rare.
    const isHidden = (name: string) =>
      !rolesCount &&
      roles.get(name) &&
      users.of(user).some(({ role, scope }) => role === name && scope?.faults.length === 0);
    for (let i = 0; i < names.length; i++) {
      // Reading a hole of an array would return an inherited element.
      const name: unknown = Object.hasOwn(names, i) && names[i];
      if (typeof name !== 'string' || name === '') continue;
      const role = rolesCount && roles.get(name);
      if (role && allows(name, role.scope)) return true;
      if (groups.of(name).some((held) => allows(held.role, held.scope) && !isHidden(nameOf(held)))) return true;
    }
    return false;
  }

  #decide({ user, roles, superuser: asSuperuser }: Fields, { action, resource }: Fields): Decision {
    if (user === undefined && roles === undefined) return asSuperuser === true ? superuser : denied;
    // TypeScript does not bind JavaScript callers: a value that is not a string matches nothing. An empty action
    // matches nothing either, not even "*".
    if (typeof action !== 'string' || action === '' || typeof resource !== 'string') return denied;
    if (typeof user === 'string') {
      let grant: Grant | null | undefined =
        this.#content.cache.find(user, action) ?? this.#compile(user, action, resource);
      for (; grant; grant = grant.next) if (grant.allows(resource)) return granted;
    }
    // The groups of an empty user count only at the observed services.
    const counts = Array.isArray(roles) && !(this.#rules.rolesCount && user === '');
    return counts && this.#namesAllow(typeof user === 'string' ? user : '', roles, action, resource) ? granted : denied;
  }
}
