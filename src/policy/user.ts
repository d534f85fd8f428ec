import { ActionCache, type Grant, type PolicyLookup, type PolicyNode, type RoleNode, toGrant } from './compile.js';

/** Roles by name, as a user's bindings look them up. */
interface RoleLookup {
  get(name: string): RoleNode | undefined;
}

/** Scopes of the bindings of one user to one role: one, or several where the list of bindings names the pair twice. */
type Scopes = readonly (PolicyNode | null)[];

/** One user's bindings, and for each action that was asked what they can grant. */
export class UserNode {
  /** The evaluator that may change this node in place; another one copies it first. */
  readonly owner: object;
  private readonly bindings: Map<string, Scopes>;
  private generation: object | undefined;
  private actions: ActionCache<readonly Grant[]> | undefined;

  constructor(owner: object, bindings = new Map<string, Scopes>()) {
    this.owner = owner;
    this.bindings = bindings;
  }

  copy(owner: object): UserNode {
    return new UserNode(owner, new Map(this.bindings));
  }

  get size(): number {
    return this.bindings.size;
  }

  *entries(): Generator<[role: string, scope: PolicyNode | null]> {
    for (const [role, scopes] of this.bindings) for (const scope of scopes) yield [role, scope];
  }

  has(role: string): boolean {
    return this.bindings.has(role);
  }

  add(role: string, scope: PolicyNode | null): void {
    this.bindings.set(role, [...(this.bindings.get(role) ?? []), scope]);
    this.actions = undefined;
  }

  set(role: string, scope: PolicyNode | null): void {
    this.bindings.set(role, [scope]);
    this.actions = undefined;
  }

  delete(role: string): void {
    this.bindings.delete(role);
    this.actions = undefined;
  }

  /** What the bindings can grant for an action, those left out that can allow no resource. */
  grants(action: string, roles: RoleLookup, policies: PolicyLookup, generation: object): readonly Grant[] {
    if (this.actions === undefined || this.generation !== generation) {
      this.actions = new ActionCache(64);
      this.generation = generation;
    }
    return this.actions.get(action) ?? this.actions.set(action, this.compile(action, roles, policies, generation));
  }

  private compile(action: string, roles: RoleLookup, policies: PolicyLookup, generation: object): readonly Grant[] {
    const found: Grant[] = [];
    for (const [name, scopes] of this.bindings) {
      const node = roles.get(name)?.node(action, policies, generation);
      if (node === undefined) continue;
      for (const scope of scopes) {
        const grant = scope === null ? undefined : toGrant(node, scope, action);
        if (grant !== undefined) found.push(grant);
      }
    }
    return found;
  }
}
