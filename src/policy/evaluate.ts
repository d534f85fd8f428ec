import { CopyOnWriteMap } from '../lib/copy-on-write-map.js';
import { type Generation, Grant, type PolicyNode, type RoleNode } from './compile.js';
import { evaluationRules } from './fidelity.js';
import { GrantCache } from './grant-cache.js';
import { type Link, listed, without } from './link.js';
import { Loader } from './load.js';
import type {
  Binding,
  Decision,
  Effect,
  EvaluateManyRequest,
  EvaluationRequest,
  Fidelity,
  Issue,
  ManyDecisions,
  Policy,
  PolicyState,
  Role,
} from './model.js';
import { type Asked, ownFields } from './request.js';

const decide = (effect: Effect, message: string): Decision =>
  Object.freeze({ effect, message, allowed: effect === 'Allow' });
const granted = /* @__PURE__ */ decide('Allow', 'Access Granted');
const denied = /* @__PURE__ */ decide('Deny', 'Permission denied');
const superuser = /* @__PURE__ */ decide('Allow', 'Superuser Allowed');

/** A policy or scope that a user's bindings reach and that is skipped, because it cannot be parsed (sidecar fidelity). */
export interface Fault extends Issue {
  /** The role of the binding. */
  readonly role: string;
  /** The role's policy that is skipped; undefined: the binding's scope is. */
  readonly policy?: string;
}

/**
 * Decides who may do what, from a state of policies, roles and bindings that it holds itself.
 *
 * - Within the policies of one binding an explicit Deny wins over any Allow, whatever the order; nothing that matches is a Deny.
 * - A binding allows where its scope allows and its role's policies allow. A binding without a scope, or to a role that does
 *   not exist, gives nothing. A role skips policies that do not exist.
 * - Bindings are alternatives: any that allows, allows. A Deny in one binding does not reach into another.
 */
export interface Evaluator {
  readonly fidelity: Fidelity;
  /**
   * Decides. Synchronous, allocates nothing for a question asked before; the decisions are shared and frozen. Only own fields
   * of the request count. Whatever is passed, it never throws: what is no request is denied.
   */
  evaluate(request: EvaluationRequest): Decision;
  /** Decides many items for one subject: Allow only if every item is, and a Deny without items. As `evaluate`, it never throws. */
  evaluateMany(request: EvaluateManyRequest): ManyDecisions;
  /** Adds or replaces a policy. @throws PolicyError (code `POLICY`) in documented fidelity; nothing has changed then. */
  setPolicy(name: string, policy: Policy): void;
  /** Removes a policy; roles that name it skip it. False: there was none. */
  deletePolicy(name: string): boolean;
  /** Adds or replaces a role. @throws PolicyError (code `POLICY`) in documented fidelity; nothing has changed then. */
  setRole(name: string, role: Role): void;
  /** Removes a role; bindings that name it stay and give nothing. False: there was none. */
  deleteRole(name: string): boolean;
  /** Gives the user the role in this scope, in place of any binding of this user to this role. @throws PolicyError (code `POLICY`) in documented fidelity; nothing has changed then. */
  setBinding(binding: Binding): void;
  /** Removes what binds the user to the role. False: nothing did. */
  deleteBinding(user: string, role: string): boolean;
  /** The policy as it was set, frozen; in sidecar fidelity without statements where it is skipped. */
  policy(name: string): Policy | undefined;
  /** The role as it was set, frozen. */
  role(name: string): Role | undefined;
  /** The bindings of exactly this user. */
  bindings(user: string): readonly Binding[];
  /**
   * What is skipped for this user, because it cannot be parsed; always empty in documented fidelity. `evaluate` does not
   * look at it. (The observed management API answers 500 `invalid policy statement: <segment>` to such a user.)
   */
  faults(user: string): readonly Fault[];
  /**
   * An independent evaluator with the same state, for snapshots. It costs nothing: both share everything, and what one of them
   * changes later stands above what they share.
   */
  clone(): Evaluator;
}

class IndexedEvaluator implements Evaluator {
  readonly fidelity: Fidelity;
  #policies = new CopyOnWriteMap<PolicyNode>();
  #roles = new CopyOnWriteMap<RoleNode>();
  #users = new CopyOnWriteMap<Link>();
  readonly #recent = new GrantCache();
  /** Stands for one state of all policies and roles; what was compiled under another one is looked at again. */
  #generation: Generation = { actions: new Map() };

  constructor(fidelity: Fidelity) {
    this.fidelity = fidelity;
  }

  evaluate(request: EvaluationRequest): Decision {
    const fields = ownFields(request);
    return this.#decide(fields, fields);
  }

  evaluateMany(request: EvaluateManyRequest): ManyDecisions {
    const subject = ownFields(request);
    const asked: readonly unknown[] = Array.isArray(subject.items) ? subject.items : [];
    const items = Array.from(asked, (item) => this.#decide(subject, ownFields(item)));
    if (items.length === 0) return { ...decide('Deny', 'Missing permission evaluation items'), items };
    const allowed = items.every((item) => item.allowed);
    return { ...(allowed ? granted : decide('Deny', 'One of the requests has been denied')), items };
  }

  setPolicy(name: string, policy: Policy): void {
    const node = this.#take((loader) => loader.policy(name, policy));
    this.#policies.set(name, node);
    this.#changed();
  }

  deletePolicy(name: string): boolean {
    this.#changed();
    return this.#policies.delete(name);
  }

  setRole(name: string, role: Role): void {
    const node = this.#take((loader) => loader.role(name, role));
    this.#roles.set(name, node);
    this.#changed();
  }

  deleteRole(name: string): boolean {
    this.#changed();
    return this.#roles.delete(name);
  }

  setBinding(binding: Binding): void {
    const scope = this.#take((loader) => loader.binding(binding, ['binding']));
    if (scope === undefined) return;
    const { user, role } = binding;
    this.#users.set(user, { role, scope, next: without(this.#users.get(user), role) });
    this.#recent.forget(user);
  }

  deleteBinding(user: string, role: string): boolean {
    const links = this.#users.get(user);
    if (!listed(links).some((link) => link.role === role)) return false;
    const rest = without(links, role);
    if (rest === undefined) this.#users.delete(user);
    else this.#users.set(user, rest);
    this.#recent.forget(user);
    return true;
  }

  policy(name: string): Policy | undefined {
    return this.#policies.get(name)?.source;
  }

  role(name: string): Role | undefined {
    return this.#roles.get(name)?.source;
  }

  bindings(user: string): readonly Binding[] {
    return listed(this.#users.get(user)).map(({ role, scope }) => ({
      user,
      role,
      ...(scope === null ? undefined : { scope: scope.source }),
    }));
  }

  faults(user: string): readonly Fault[] {
    const found: Fault[] = [];
    for (const { role, scope } of listed(this.#users.get(user))) {
      for (const policy of this.role(role)?.policies ?? []) {
        for (const issue of this.#policies.get(policy)?.faults ?? []) found.push({ ...issue, role, policy });
      }
      for (const issue of scope?.faults ?? []) found.push({ ...issue, role });
    }
    return found;
  }

  clone(): Evaluator {
    const copy = new IndexedEvaluator(this.fidelity);
    copy.#policies = this.#policies.clone();
    copy.#roles = this.#roles.clone();
    copy.#users = this.#users.clone();
    copy.#generation = this.#generation;
    return copy;
  }

  /** Fills a new evaluator: everything is checked before anything is refused, so that all faults are named at once. */
  load({ policies = {}, roles = {}, bindings = [] }: PolicyState): void {
    const loader = new Loader(this.fidelity);
    for (const [name, policy] of loader.named('policies', policies))
      this.#policies.set(name, loader.policy(name, policy));
    for (const [name, role] of loader.named('roles', roles)) this.#roles.set(name, loader.role(name, role));
    const users = new Map<string, Link>();
    let i = 0;
    for (const binding of loader.listed('bindings', bindings)) {
      const scope = loader.binding(binding, ['bindings', i++]);
      if (scope === undefined) continue;
      const { user, role } = binding;
      users.set(user, { role, scope, next: users.get(user) });
    }
    loader.finish();
    this.#users = new CopyOnWriteMap(users);
  }

  #decide({ user, roles, superuser: asSuperuser }: Asked, { action, resource }: Asked): Decision {
    if (user === undefined && roles === undefined) return asSuperuser === true ? superuser : denied;
    // Types do not hold JavaScript callers: what is not text matches nothing. Nor does an empty action, not even "*".
    if (typeof action !== 'string' || action === '' || typeof resource !== 'string') return denied;
    if (typeof user === 'string') {
      const number = this.#generation.actions.get(action);
      let grant = number === undefined ? undefined : this.#recent.get(user, number);
      if (grant === undefined) grant = this.#compile(user, action);
      for (; grant !== null; grant = grant.next) if (grant.allows(resource)) return granted;
    }
    if (Array.isArray(roles) && user !== '' && evaluationRules[this.fidelity].rolesCount) {
      for (let i = 0; i < roles.length; i++) {
        // A hole would be filled by what arrays inherit.
        const role = Object.hasOwn(roles, i) ? this.#roles.get(roles[i]) : undefined;
        const node = role?.node(action, this.#number(action), this.#policies, this.#generation);
        if (node && Grant.of(action, node, role?.scope, null)?.allows(resource)) return granted;
      }
    }
    return denied;
  }

  #take<T>(read: (loader: Loader) => T): T {
    const loader = new Loader(this.fidelity);
    const taken = read(loader);
    loader.finish();
    return taken;
  }

  #changed(): void {
    this.#generation = { actions: this.#generation.actions };
    this.#recent.clear();
  }

  /** The number of an action. After a thousand it starts again, so that made-up actions cannot fill the memory. */
  #number(action: string): number {
    const known = this.#generation.actions.get(action);
    if (known !== undefined) return known;
    if (this.#generation.actions.size === 1024) {
      this.#generation = { actions: new Map() };
      this.#recent.clear();
    }
    const { actions } = this.#generation;
    actions.set(action, actions.size);
    return actions.size - 1;
  }

  /** What a user's bindings can grant for an action. Who has none is not remembered. */
  #compile(user: string, action: string): Grant | null {
    let link = this.#users.get(user);
    if (link === undefined) return null;
    const number = this.#number(action);
    let grants: Grant | null = null;
    for (; link !== undefined; link = link.next) {
      const { role, scope } = link;
      const node =
        scope === null ? undefined : this.#roles.get(role)?.node(action, number, this.#policies, this.#generation);
      if (node && scope) grants = Grant.of(action, node, scope, grants);
    }
    this.#recent.set(user, number, grants);
    return grants;
  }
}

/**
 * An evaluator over a copy of `state`; later changes of the objects passed in do not reach it.
 * @param options.fidelity default `documented`.
 * @throws PolicyError (code `POLICY`) in documented fidelity, with every fault and its path, when the state does not validate.
 */
export function createEvaluator(state: PolicyState = {}, options: { readonly fidelity?: Fidelity } = {}): Evaluator {
  const evaluator = new IndexedEvaluator(options.fidelity ?? 'documented');
  evaluator.load(state);
  return evaluator;
}
