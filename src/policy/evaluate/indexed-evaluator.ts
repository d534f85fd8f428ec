import { CopyOnWriteMap } from '../../base/lib/copy-on-write-map.js';
import { hashOf } from '../../base/lib/hash.js';
import { ownField } from '../../base/lib/values.js';
import { evaluationRules } from '../model/fidelity.js';
import type {
  Binding,
  Decision,
  EvaluatorBatch,
  EvaluatorQuestion,
  Fidelity,
  ManyDecisions,
  Policy,
  PolicyState,
  Role,
} from '../model/model.js';
import { type Fields, isPlainAlone } from '../model/plain.js';
import { sharedDecision, sumUp } from '../model/shared-decision.js';
import type { TakenBinding } from './binding.js';
import { toChain, toList, usersAbove } from './binding-chain.js';
import { Grant, type PolicyNode, type RoleNode } from './compile.js';
import { ownFields } from './evaluation-request.js';
import type { Evaluator, PolicyFault } from './evaluator.js';
import { GrantCache } from './grant-cache.js';
import type { Loader } from './load.js';

const granted = /* @__PURE__ */ sharedDecision('Allow', 'Access Granted');
const denied = /* @__PURE__ */ sharedDecision('Deny', 'Permission denied');
const superuser = /* @__PURE__ */ sharedDecision('Allow', 'Superuser Allowed');

/** Decides from maps of compiled policies and roles, and of bindings by their users. */
export class IndexedEvaluator implements Evaluator {
  declare readonly fidelity: Fidelity;
  readonly #loader: Loader;
  readonly #policies: CopyOnWriteMap<PolicyNode>;
  readonly #roles: CopyOnWriteMap<RoleNode>;
  /**
   * For each owner, the end of the linked list of bindings. In documented fidelity the owner is the user. In sidecar
   * fidelity there is one binding per name `user:role`; it applies to every user that is a prefix of the name, up to a
   * `:`, and the longest of these users is its owner. Source: docs/wire.md, "Names of bindings".
   */
  readonly #owners: CopyOnWriteMap<TakenBinding>;
  /**
   * Owners' prefixes, up to a `:`, for which a binding was ever set: their bindings may come from several owners.
   * Undefined if there are none.
   */
  #above: CopyOnWriteMap<true> | undefined;
  readonly #cache: GrantCache;

  constructor(
    loader: Loader,
    policies = new CopyOnWriteMap<PolicyNode>(),
    roles = new CopyOnWriteMap<RoleNode>(),
    owners = new CopyOnWriteMap<TakenBinding>(),
  ) {
    this.fidelity = loader.fidelity;
    this.#loader = loader;
    this.#policies = policies;
    this.#roles = roles;
    this.#owners = owners;
    this.#cache = new GrantCache(policies, roles);
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
    const asked = ownField(request, 'items');
    return sumUp(Array.isArray(asked) ? Array.from(asked, (item) => this.#decide(subject, ownFields(item))) : []);
  }

  setPolicy(name: string, policy: Policy): void {
    this.#policies.set(
      name,
      this.#loader.take((loader) => loader.policy(name, policy)),
    );
    this.#cache.forgetPolicy(name);
  }

  deletePolicy(name: string): boolean {
    this.#cache.forgetPolicy(name);
    return this.#policies.delete(name);
  }

  setRole(name: string, role: Role): void {
    this.#roles.set(
      name,
      this.#loader.take((loader) => loader.role(name, role)),
    );
    this.#cache.forgetRole(name);
  }

  deleteRole(name: string): boolean {
    this.#cache.forgetRole(name);
    return this.#roles.delete(name);
  }

  setBinding(binding: Binding): void {
    const node = this.#loader.take((loader) => loader.binding(binding, ['binding']));
    if (node) this.#bind(node.user, node.role, node);
  }

  deleteBinding(user: string, role: string): boolean {
    return this.#bind(user, role);
  }

  policy(name: string): Policy | undefined {
    return this.#policies.get(name)?.source;
  }

  role(name: string): Role | undefined {
    return this.#roles.get(name)?.source;
  }

  policies(): readonly string[] {
    return this.#policies.names();
  }

  roles(): readonly string[] {
    return this.#roles.names();
  }

  users(): readonly string[] {
    const users = this.#owners.names();
    if (!this.#above) return users;
    return [...new Set(users.flatMap((owner) => [owner, ...usersAbove(owner)]))].sort();
  }

  bindings(user?: string): readonly Binding[] {
    const found =
      user === undefined
        ? this.#owners.names().flatMap((owner) => toList(this.#owners.get(owner)))
        : this.#bindingsOf(user);
    return found.map(({ user, role, scope }) => ({ user, role, ...(scope && { scope: scope.source }) }));
  }

  faults(user: string): readonly PolicyFault[] {
    const found: PolicyFault[] = [];
    for (const { role, scope } of this.#bindingsOf(user)) {
      for (const policy of this.role(role)?.policies ?? []) {
        for (const issue of this.#policies.get(policy)?.faults ?? []) found.push({ ...issue, role, policy });
      }
      for (const issue of scope?.faults ?? []) found.push({ ...issue, role });
    }
    return found;
  }

  clone(): Evaluator {
    const [policies, roles, owners] = [this.#policies.clone(), this.#roles.clone(), this.#owners.clone()];
    const copy = new IndexedEvaluator(this.#loader.forClone(), policies, roles, owners);
    copy.#above = this.#above?.clone();
    return copy;
  }

  /** Fills a new evaluator. Validates everything first, so that an error lists all issues. */
  load(state: PolicyState): void {
    this.#loader.take((loader) => {
      for (const [name, policy] of loader.named<Policy>('policies', state)) {
        this.#policies.set(name, loader.policy(name, policy));
      }
      for (const [name, role] of loader.named<Role>('roles', state)) this.#roles.set(name, loader.role(name, role));
      let i = 0;
      for (const binding of loader.bindings(state)) {
        const node = loader.binding(binding, ['bindings', i++]);
        if (node) this.#bind(node.user, node.role, node, true);
      }
    });
  }

  /** A user's bindings, oldest first; if they come from several owners, sorted by role. */
  #bindingsOf(user: string): TakenBinding[] {
    if (!this.#above?.get(user)) return toList(this.#owners.get(user));
    const found: TakenBinding[] = [];
    for (const [owner, last] of this.#owners.entries()) {
      if (`${owner}:`.startsWith(`${user}:`)) for (const one of toList(last)) found.push(one);
    }
    return found.sort((a, b) => (a.role < b.role || (a.role === b.role && a.user < b.user) ? -1 : 1));
  }

  /**
   * Replaces the binding with this name, or deletes it. With `isMore` another binding to the same role is added as an
   * alternative (documented fidelity). Returns false if there was nothing to delete.
   */
  #bind(user: string, role: string, binding?: TakenBinding, isMore?: boolean): boolean {
    const byName = evaluationRules[this.fidelity].bindingsByName;
    const owner = byName && role.includes(':') ? `${user}:${role.slice(0, role.lastIndexOf(':'))}` : user;
    let isFound = !!binding;
    this.#owners.update(owner, (last) => {
      let chain: TakenBinding | undefined;
      if (isMore && !byName) chain = last;
      else if (last) {
        const name = `${user}:${role}`;
        for (const one of toList(last)) {
          if (`${one.user}:${one.role}` === name) isFound = true;
          else chain = { ...one, next: chain };
        }
      }
      if (!isFound) return last;
      if (!binding) return chain;
      binding.next = chain;
      return binding;
    });
    if (!isFound) return false;
    this.#cache.forgetUser(owner);
    for (const above of byName ? usersAbove(owner) : []) {
      this.#above ??= new CopyOnWriteMap();
      this.#above.set(above, true);
      this.#cache.forgetUser(above);
    }
    return true;
  }

  /** The grants for a question that is not cached; undefined for a user without bindings, which is never cached. */
  #compile(user: string, action: string, resource: string): Grant | undefined {
    const isAbove = this.#above?.get(user);
    const hash = isAbove ? undefined : hashOf(user);
    const last = isAbove ? toChain(this.#bindingsOf(user)) : this.#owners.get(user, hash);
    return last && this.#cache.compile(user, last, action, resource, hash);
  }

  #decide({ user, roles, superuser: asSuperuser }: Fields, { action, resource }: Fields): Decision {
    if (user === undefined && roles === undefined) return asSuperuser === true ? superuser : denied;
    // TypeScript does not bind JavaScript callers: a value that is not a string matches nothing. An empty action
    // matches nothing either, not even "*".
    if (typeof action !== 'string' || action === '' || typeof resource !== 'string') return denied;
    if (typeof user === 'string') {
      let grant: Grant | null | undefined = this.#cache.find(user, action) ?? this.#compile(user, action, resource);
      for (; grant; grant = grant.next) if (grant.allows(resource)) return granted;
    }
    if (Array.isArray(roles) && user !== '' && evaluationRules[this.fidelity].rolesCount) {
      for (let i = 0; i < roles.length; i++) {
        // Reading a hole of an array would return an inherited element.
        const name: unknown = Object.hasOwn(roles, i) && roles[i];
        const role = typeof name === 'string' && this.#roles.get(name);
        if (!role) continue;
        const node = this.#cache.node(name, action);
        if (Grant.of(action, node, role.scope, null)?.allows(resource)) return granted;
      }
    }
    return denied;
  }
}
