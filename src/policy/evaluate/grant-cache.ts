import type { Pattern } from '../model/pattern.js';
import type { BindingNode } from './binding.js';
import { type ActionNode, compileNode, Grant, type PolicyNode, type RoleNode } from './compile.js';

/** Longer texts are not cached: such strings are unlikely to recur, and a few would fill the memory. */
const longestText = 256;
/** The maximum number of cached actions. */
const mostActions = 1024;
/** The number of marks of questions; a power of two. */
const mostSeen = 32_768;
/** The size limits of the cache for users and for roles, in bytes as estimated below. */
const mostBytes = 32 * 1024 * 1024;

// Estimated memory of each cached object in V8, rounded up. bench/policy prints the real figures.
const actionBytes = 512;
const userBytes = 160;
const bindingBytes = 112;
const roleBytes = 384;
const policyBytes = 128;
const noNodeBytes = 48;
const nodeBytes = 128;
const patternBytes = 32;

/** A compiled role and the grants that depend on it. A missing role has an entry, too. */
interface CompiledRole {
  readonly name: string;
  /** Unique until the cache starts over; found faster than an object. */
  readonly number: number;
  /** Undefined after a change: the policies have to be looked up again. */
  policies: readonly (PolicyNode | undefined)[] | undefined;
  /** The actions for which the role is compiled. */
  actions: AskedAction[];
  /** The estimated memory of the compiled role, in bytes. */
  bytes: number;
  grants: Grant[];
}

/** A cached action. */
interface AskedAction {
  /** Stored by the role's number here, because a question has one action but may involve many roles. */
  readonly nodes: Map<number, ActionNode>;
  /** For each user whose grants are cached, the first of the linked ones for this action. Resources are not cached. */
  grants: Map<string, Grant> | undefined;
  /** Unique until the cache starts over. */
  readonly number: number;
}

/** Values by name. */
type Lookup<T> = { get(name: string): T | undefined };

/**
 * Caches compiled roles (their policies for an action) and the grants of users (their bindings for an action). Its
 * memory is limited. Changing a policy invalidates the roles that name it; changing a role invalidates the grants of
 * its users. If grants exceed their limit, all grants are cleared; if roles exceed theirs, everything is cleared.
 */
export class GrantCache {
  readonly #policies: Lookup<PolicyNode>;
  readonly #roles: Lookup<RoleNode>;
  #actions = new Map<string, AskedAction>();
  #compiled = new Map<string, CompiledRole>();
  /** Compiled roles by the names of their policies. */
  #naming = new Map<string, Set<CompiledRole>>();
  readonly #patterns = new Map<string, Pattern>();
  /** Marks of questions that were asked, in slots by hash. Questions with one slot overwrite each other's mark. */
  #seen: Uint16Array | undefined;
  #grantBytes = 0;
  #roleBytes = 0;

  constructor(policies: Lookup<PolicyNode>, roles: Lookup<RoleNode>) {
    this.#policies = policies;
    this.#roles = roles;
  }

  /** Returns the first cached grant for a question; undefined if nothing is cached. */
  find(user: string, action: string): Grant | undefined {
    const grant = this.#actions.get(action)?.grants?.get(user);
    return grant?.isFresh ? grant : undefined;
  }

  /**
   * Compiles a user's grants for an action, from the linked list of bindings that ends with `last`. Most questions are
   * asked once or often: the first time, only as many grants are compiled as decide for `resource`, and none is cached;
   * when a question seems to be asked again, all are compiled and cached.
   * @param hash of the user's name; undefined to cache the grants at once.
   */
  compile(user: string, last: BindingNode, action: string, resource = '', hash?: number): Grant {
    this.#makeRoom();
    const entry = this.#asked(action);
    const isKept = entry && user.length <= longestText && (hash === undefined || this.#isAgain(hash, entry));
    const roles: CompiledRole[] = [];
    let grants: Grant | null = null;
    for (let binding: BindingNode | undefined = last; binding !== undefined; binding = binding.next) {
      const role = this.#role(binding.role);
      if (isKept) roles.push(role);
      if (binding.scope === null) continue;
      grants = Grant.of(action, this.#node(role, action, entry), binding.scope, grants);
      if (!isKept && grants?.allows(resource)) break;
    }
    const first = grants ?? Grant.nothing();
    if (!isKept) return first;
    entry.grants ??= new Map();
    const stale = entry.grants.get(user);
    // The object is reused because its roles refer to it.
    if (stale !== undefined) return Object.assign(stale, first);
    entry.grants.set(user, first);
    for (const role of roles) role.grants.push(first);
    this.#grantBytes += userBytes + roles.length * bindingBytes;
    return first;
  }

  /** Compiles the policies of an existing role for an action. */
  node(role: string, action: string): ActionNode {
    this.#makeRoom();
    return this.#node(this.#role(role), action, this.#asked(action));
  }

  /** Invalidates the roles that name a changed policy. */
  forgetPolicy(name: string): void {
    for (const role of this.#naming.get(name) ?? []) this.#forget(role);
  }

  /** Invalidates a changed role. */
  forgetRole(name: string): void {
    const role = this.#compiled.get(name);
    if (role !== undefined) this.#forget(role);
  }

  /** Invalidates the grants of a user whose bindings changed. */
  forgetUser(user: string): void {
    for (const { grants } of this.#actions.values()) grants?.delete(user);
  }

  /** True if the question was asked before, as far as is known, and marks it. */
  #isAgain(hash: number, { number }: AskedAction): boolean {
    this.#seen ??= new Uint16Array(mostSeen);
    const mixed = Math.imul(hash + number, 0x9e3779b1);
    const slot = mixed & (mostSeen - 1);
    const mark = (mixed >>> 16) | 1;
    const last = this.#seen[slot];
    // At random, so that two questions with one slot that are asked by turns are both noticed after a while.
    if (!last || Math.random() < 0.5) this.#seen[slot] = mark;
    return last === mark;
  }

  #forget(role: CompiledRole): void {
    role.policies = undefined;
    for (const { nodes } of role.actions) nodes.delete(role.number);
    role.actions = [];
    this.#roleBytes -= role.bytes;
    role.bytes = 0;
    for (const grant of role.grants) grant.isFresh = false;
  }

  #makeRoom(): void {
    if (this.#roleBytes > mostBytes || this.#actions.size > mostActions) {
      this.#actions = new Map();
      this.#compiled = new Map();
      this.#naming = new Map();
      this.#roleBytes = 0;
    } else if (this.#grantBytes <= mostBytes) return;
    for (const action of this.#actions.values()) action.grants = undefined;
    for (const role of this.#compiled.values()) role.grants = [];
    this.#grantBytes = 0;
  }

  /** Returns the cache entry of an action; undefined if it is too long to cache. */
  #asked(action: string): AskedAction | undefined {
    if (action.length > longestText) return undefined;
    let entry = this.#actions.get(action);
    if (entry === undefined) {
      entry = { nodes: new Map(), grants: undefined, number: this.#actions.size };
      this.#actions.set(action, entry);
      this.#roleBytes += actionBytes;
    }
    return entry;
  }

  #role(name: string): CompiledRole {
    let role = this.#compiled.get(name);
    if (role === undefined) {
      role = { name, number: this.#compiled.size, policies: undefined, actions: [], bytes: 0, grants: [] };
      this.#compiled.set(name, role);
      this.#roleBytes += roleBytes;
    }
    return role;
  }

  #node(role: CompiledRole, action: string, entry: AskedAction | undefined): ActionNode {
    const cachedNode = entry?.nodes.get(role.number);
    if (cachedNode !== undefined) return cachedNode;
    role.policies ??= this.#register(role);
    const node = compileNode(role.policies, action, this.#patterns);
    if (entry !== undefined) {
      entry.nodes.set(role.number, node);
      role.actions.push(entry);
      const bytes = node.patterns === 0 ? noNodeBytes : nodeBytes + node.patterns * patternBytes;
      role.bytes += bytes;
      this.#roleBytes += bytes;
    }
    return node;
  }

  /** Looks up the policies of a role, and registers the role to be invalidated when one of them changes. */
  #register(role: CompiledRole): readonly (PolicyNode | undefined)[] {
    return (this.#roles.get(role.name)?.source.policies ?? []).map((policy) => {
      const naming = this.#naming.get(policy);
      if (naming === undefined) this.#naming.set(policy, new Set([role]));
      else naming.add(role);
      this.#roleBytes += policyBytes;
      return this.#policies.get(policy);
    });
  }
}
