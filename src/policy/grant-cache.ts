import type { BindingNode } from './binding.js';
import { type ActionNode, compileNode, Grant, type PolicyNode, type RoleNode } from './compile.js';

/** Longer texts are not remembered: they are no names that come again, and a few of them would fill the memory. */
const longestText = 256;
/** How many different actions are remembered. */
const mostActions = 1024;
/** How much is remembered, in bytes as estimated below. */
const mostBytes = 32 * 1024 * 1024;

// What V8 takes for each thing that is remembered, rounded up. bench/policy prints what it takes in fact.
const actionBytes = 512;
const userBytes = 160;
const bindingBytes = 96;
const roleBytes = 384;
const policyBytes = 128;
const nodeBytes = 128;
const patternBytes = 32;

/** What was compiled for a role, and which grants depend on it. There is one for a role that does not exist, too. */
interface CompiledRole {
  readonly name: string;
  /** Undefined: they must be looked up again. */
  policies: readonly (PolicyNode | undefined)[] | undefined;
  /** By action. */
  readonly nodes: Map<string, ActionNode>;
  /** What the nodes take. */
  bytes: number;
  readonly grants: Grant[];
}

/** Things by name. */
interface Lookup<T> {
  get(name: string): T | undefined;
}

/** The value of a key, which is made where there is none. */
function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/**
 * Remembers what was compiled: for roles that were needed what their policies say about an action, and for users who asked
 * what their bindings grant. It is close together in memory whatever the size of the state. What changes is forgotten by
 * itself: a policy with the roles that name it, a role with the grants of the users bound to it. When it is full, it starts again.
 */
export class GrantCache {
  readonly #policies: Lookup<PolicyNode>;
  readonly #roles: Lookup<RoleNode>;
  /** By action and user, the first of the user's grants, resources still open. */
  #grants = new Map<string, Map<string, Grant>>();
  #compiled = new Map<string, CompiledRole>();
  /** Compiled roles by the names of their policies. */
  #naming = new Map<string, Set<CompiledRole>>();
  #bytes = 0;

  constructor(policies: Lookup<PolicyNode>, roles: Lookup<RoleNode>) {
    this.#policies = policies;
    this.#roles = roles;
  }

  /** The first grant of a question asked before; undefined: it is not known. */
  find(user: string, action: string): Grant | undefined {
    const grant = this.#grants.get(action)?.get(user);
    return grant?.isFresh ? grant : undefined;
  }

  /** What a user's bindings (the last of them, and those before) grant for an action. */
  compile(user: string, last: BindingNode, action: string): Grant {
    this.#makeRoom();
    let first = this.#grants.get(action)?.get(user);
    const isNew = first === undefined && user.length <= longestText && action.length <= longestText;
    first ??= Grant.nothing();
    if (isNew) {
      this.#bytes += userBytes;
      getOrMake(this.#grants, action, () => {
        this.#bytes += actionBytes;
        return new Map();
      }).set(user, first);
    }
    let grants: Grant | null = null;
    for (let binding: BindingNode | undefined = last; binding !== undefined; binding = binding.next) {
      const role = this.#role(binding.role);
      if (isNew) {
        role.grants.push(first);
        this.#bytes += bindingBytes;
      }
      if (binding.scope !== null) grants = Grant.of(action, this.#node(role, action), binding.scope, grants);
    }
    first.become(grants ?? Grant.nothing());
    return first;
  }

  /** What the policies of a role, which exists, say about an action. */
  node(role: string, action: string): ActionNode {
    this.#makeRoom();
    return this.#node(this.#role(role), action);
  }

  /** A policy was set or deleted: the roles that name it are compiled again. */
  forgetPolicy(name: string): void {
    for (const role of this.#naming.get(name) ?? []) this.#forget(role);
  }

  /** A role was set or deleted. */
  forgetRole(name: string): void {
    const role = this.#compiled.get(name);
    if (role !== undefined) this.#forget(role);
  }

  /** The bindings of a user changed. */
  forgetUser(user: string): void {
    for (const users of this.#grants.values()) users.delete(user);
  }

  #forget(role: CompiledRole): void {
    role.policies = undefined;
    role.nodes.clear();
    this.#bytes -= role.bytes;
    role.bytes = 0;
    for (const grant of role.grants) grant.isFresh = false;
  }

  #makeRoom(): void {
    if (this.#bytes <= mostBytes && this.#grants.size <= mostActions) return;
    this.#grants = new Map();
    this.#compiled = new Map();
    this.#naming = new Map();
    this.#bytes = 0;
  }

  /** The compiled role of this name. */
  #role(name: string): CompiledRole {
    return getOrMake(this.#compiled, name, () => {
      this.#bytes += roleBytes;
      return { name, policies: undefined, nodes: new Map(), bytes: 0, grants: [] };
    });
  }

  #node(role: CompiledRole, action: string): ActionNode {
    const known = role.nodes.get(action);
    if (known !== undefined) return known;
    role.policies ??= this.#register(role);
    const node = compileNode(role.policies, action);
    if (action.length <= longestText) {
      role.nodes.set(action, node);
      const bytes = nodeBytes + node.patterns * patternBytes;
      role.bytes += bytes;
      this.#bytes += bytes;
    }
    return node;
  }

  /** The policies of a role, which is compiled again when one of them changes. */
  #register(role: CompiledRole): readonly (PolicyNode | undefined)[] {
    return (this.#roles.get(role.name)?.source.policies ?? []).map((policy) => {
      getOrMake(this.#naming, policy, () => new Set()).add(role);
      this.#bytes += policyBytes;
      return this.#policies.get(policy);
    });
  }
}
