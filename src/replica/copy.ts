import { evaluatorWith } from '../policy/evaluate.js';
import type { Evaluator, Fidelity, Issue, Policy, PolicyFault, Role } from '../policy/index.js';
import { PolicyError } from '../policy/index.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../pool/items.js';
import { ConstantLoader } from './constant-loader.js';

/** The index of the last change of each kind. */
export type Indexes = { readonly [K in PoolKind]: number };

const nothing: Policy = { statements: [] };

/** A copy of the state of the service, which changes one item after the other. */
export class Copy {
  readonly evaluator: Evaluator;
  readonly indexes: { [K in PoolKind]: number } = { policies: 0, roles: 0, bindings: 0 };
  /** What the evaluator refused: policies by name, scopes by the name of the binding. */
  readonly #refused = { policies: new Map<string, readonly Issue[]>(), bindings: new Map<string, readonly Issue[]>() };

  constructor(fidelity: Fidelity) {
    this.evaluator = evaluatorWith(new ConstantLoader(fidelity));
  }

  /**
   * Takes an item in. `isOld` says that it may be older than the state that was read.
   * Returns false where it cannot be told which binding was deleted, so that everything has to be read again.
   */
  apply(kind: PoolKind, { name, index, item }: PoolItem, isOld = false): boolean {
    this.indexes[kind] = Math.max(this.indexes[kind], index);
    // The casts: the item is of its kind.
    if (kind === 'policies') this.#setPolicy(name, item as PoolContent['policies'] | undefined);
    else if (kind === 'roles') this.#setRole(name, item as PoolContent['roles'] | undefined);
    else if (item !== undefined) this.#setBinding(name, item as PoolContent['bindings']);
    else return this.#deleteBinding(name, isOld);
    return true;
  }

  /** What is skipped for a user because it cannot be parsed, whoever found it. */
  faults(user: string): readonly PolicyFault[] {
    const found = [...this.evaluator.faults(user)];
    const { policies, bindings } = this.#refused;
    if (policies.size === 0 && bindings.size === 0) return found;
    for (const { role } of this.evaluator.bindings(user)) {
      for (const policy of this.evaluator.role(role)?.policies ?? []) {
        for (const issue of policies.get(policy) ?? []) found.push({ ...issue, role, policy });
      }
      for (const issue of bindings.get(`${user}:${role}`) ?? []) found.push({ ...issue, role });
    }
    return found;
  }

  #setPolicy(name: string, policy: Policy | undefined): void {
    const { policies } = this.#refused;
    policies.delete(name);
    if (policy === undefined) this.evaluator.deletePolicy(name);
    else {
      const issues = refusal(() => this.evaluator.setPolicy(name, policy));
      if (issues === undefined) return;
      policies.set(name, issues);
      this.evaluator.deletePolicy(name);
    }
  }

  #setRole(name: string, role: Role | undefined): void {
    if (role === undefined) this.evaluator.deleteRole(name);
    // Its own scope counts where a request names the role: with a scope that is refused, nowhere.
    else if (refusal(() => this.evaluator.setRole(name, role))) {
      this.evaluator.setRole(name, { policies: role.policies.filter((policy) => policy !== ''), scope: nothing });
    }
  }

  #setBinding(name: string, { role, scope }: PoolBinding): void {
    // The name is `user:role`, and both may hold a colon: the role says where to cut.
    const user = name.slice(0, -role.length - 1);
    const { bindings } = this.#refused;
    bindings.delete(name);
    const issues = refusal(() => this.evaluator.setBinding({ user, role, scope }));
    if (issues === undefined) return;
    bindings.set(name, issues);
    this.evaluator.deleteBinding(user, role);
    // A binding without a scope gives nothing.
    refusal(() => this.evaluator.setBinding({ user, role }));
  }

  /** Passes over an item that the state shows already. */
  skip(kind: PoolKind, { index }: PoolItem): void {
    this.indexes[kind] = index;
  }

  #deleteBinding(name: string, isOld: boolean): boolean {
    const found: [user: string, role: string][] = [];
    for (let colon = name.indexOf(':'); colon >= 0; colon = name.indexOf(':', colon + 1)) {
      const [user, role] = [name.slice(0, colon), name.slice(colon + 1)];
      if (this.evaluator.bindings(user).some((binding) => binding.role === role)) found.push([user, role]);
    }
    const [only, another] = found;
    // An old deletion may be of another binding that went by this name, which the state that was read does not have.
    const isUnsure = another !== undefined || (isOld && only !== undefined && name.split(':').length > 2);
    if (isUnsure) return false;
    if (only !== undefined) this.evaluator.deleteBinding(...only);
    this.#refused.bindings.delete(name);
    return true;
  }
}

/** The issues for which the evaluator refuses a change (documented fidelity); undefined where it takes it. */
function refusal(change: () => void): readonly Issue[] | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError) return error.issues;
    throw error;
  }
}
