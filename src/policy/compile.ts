import type { Issue, Policy, Role, Statement } from './model.js';
import { Pattern } from './pattern.js';

/** A set of resource patterns. Built once for each action of a role or scope, asked millions of times. */
export class Matcher {
  private any = false;
  private readonly exact = new Set<string>();
  private readonly rest: Pattern[] = [];

  add(pattern: Pattern): void {
    if (pattern.any) this.any = true;
    else if (pattern.exact !== undefined) this.exact.add(pattern.exact);
    else this.rest.push(pattern);
  }

  matches(resource: string): boolean {
    if (this.any) return true;
    if (this.exact.size > 0 && this.exact.has(resource)) return true;
    for (const pattern of this.rest) if (pattern.matches(resource)) return true;
    return false;
  }
}

/** What is left of some policies once the action is known: which resources they allow and deny. */
export interface ActionNode {
  /** Undefined: nothing is allowed, whatever the resource. */
  allow: Matcher | undefined;
  deny: Matcher | undefined;
}

/** The rule inside one binding: an explicit Deny wins over any Allow. */
export function allows({ allow, deny }: ActionNode, resource: string): boolean {
  return allow?.matches(resource) === true && deny?.matches(resource) !== true;
}

interface CompiledStatement {
  readonly effect: Statement['effect'];
  readonly actions: readonly Pattern[];
  readonly resources: readonly Pattern[];
}

/** A policy (or a scope): an own copy of its source, parsed when it is first needed. Never changes, so clones share it. */
export class PolicyNode {
  readonly source: Policy;
  /** Why it is skipped (sidecar fidelity only); empty for a sound policy. */
  readonly faults: readonly Issue[];
  private statements: readonly CompiledStatement[] | undefined;

  constructor(source: Policy, faults: readonly Issue[]) {
    this.source = source;
    this.faults = faults;
  }

  /** Adds what this policy says about an action. */
  collect(action: string, node: ActionNode): void {
    this.statements ??= this.parse();
    for (const { effect, actions, resources } of this.statements) {
      if (resources.length === 0 || !actions.some((pattern) => pattern.matches(action))) continue;
      const key = effect === 'Allow' ? 'allow' : 'deny';
      node[key] ??= new Matcher();
      for (const resource of resources) node[key].add(resource);
    }
  }

  private parse(): readonly CompiledStatement[] {
    const patterns = (texts: readonly string[]) => texts.map((text) => new Pattern(text));
    return this.source.statements.map(({ effect, actions, resources }) => ({
      effect,
      actions: patterns(actions),
      resources: patterns(resources),
    }));
  }
}

/** What the service allows at a time: a role's policies inside a scope. No scope: anywhere. */
export interface Grant {
  readonly role: ActionNode;
  readonly scope: ActionNode | undefined;
}

export function grants({ role, scope }: Grant, resource: string): boolean {
  return allows(role, resource) && (scope === undefined || allows(scope, resource));
}

/** The grant of a role inside a scope for one action, or undefined when it can allow no resource. */
export function toGrant(role: ActionNode, scope: PolicyNode | undefined, action: string): Grant | undefined {
  if (role.allow === undefined) return undefined;
  if (scope === undefined) return { role, scope: undefined };
  const node: ActionNode = { allow: undefined, deny: undefined };
  scope.collect(action, node);
  return node.allow === undefined ? undefined : { role, scope: node };
}

/** A Map that forgets everything when it is full, so that made-up actions cannot fill the memory. */
export class ActionCache<T> {
  private readonly entries = new Map<string, T>();
  private readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get(action: string): T | undefined {
    return this.entries.get(action);
  }

  set(action: string, value: T): T {
    if (this.entries.size >= this.capacity) this.entries.clear();
    this.entries.set(action, value);
    return value;
  }
}

/** Policies by name, as a role looks them up. */
export interface PolicyLookup {
  get(name: string): PolicyNode | undefined;
}

/**
 * A role with what was compiled for it. `generation` stands for one state of all policies and roles: while it is the same
 * the role is not looked at again; when it is another, the role's own policies are compared, and only a role whose
 * policies did change compiles again.
 */
export class RoleNode {
  readonly source: Role;
  /** The role's own scope. */
  readonly scope: PolicyNode | undefined;
  private generation: object | undefined;
  private policies: readonly (PolicyNode | undefined)[] = [];
  private nodes = new ActionCache<ActionNode>(256);
  private scoped = new ActionCache<Grant | null>(256);

  constructor(source: Role, scope: PolicyNode | undefined) {
    this.source = source;
    this.scope = scope;
  }

  /** What the role's policies say about an action. */
  node(action: string, policies: PolicyLookup, generation: object): ActionNode {
    if (this.generation !== generation) this.link(policies, generation);
    const known = this.nodes.get(action);
    if (known !== undefined) return known;
    const node: ActionNode = { allow: undefined, deny: undefined };
    for (const policy of this.policies) policy?.collect(action, node);
    return this.nodes.set(action, node);
  }

  /** The role as a request's `roles` name it: inside its own scope if it has one. Null: nothing. */
  grant(action: string, policies: PolicyLookup, generation: object): Grant | null {
    const node = this.node(action, policies, generation);
    const known = this.scoped.get(action);
    if (known !== undefined) return known;
    return this.scoped.set(action, toGrant(node, this.scope, action) ?? null);
  }

  private link(policies: PolicyLookup, generation: object): void {
    const linked = this.source.policies.map((name) => policies.get(name));
    this.generation = generation;
    if (linked.length === this.policies.length && linked.every((policy, i) => policy === this.policies[i])) return;
    this.policies = linked;
    this.nodes = new ActionCache(256);
    this.scoped = new ActionCache(256);
  }
}
