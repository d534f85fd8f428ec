import { heldBindings } from '../../policy/evaluate/held-bindings.js';
import { type Evaluator, type Issue, PolicyError, type PolicyFault } from '../../policy/index.js';
import type { PoolBinding } from '../../policy/pool/pool-items.js';

/** How the names of a copy's bindings are read. */
export interface BindingNames {
  /** True if the evaluator keeps one binding per name (sidecar fidelity). */
  readonly byName: boolean;
  /** True if bindings of several owners may share a name: only in a mock of documented fidelity. */
  readonly shared: boolean;
}

/** Takes the bindings of users, or those of groups, from the pool into an evaluator. */
export class CopiedBindings {
  readonly #kind: 'user' | 'group';
  readonly #evaluator: Evaluator;
  readonly #names: BindingNames;
  /** Issues of rejected scopes, by the name of the binding. */
  readonly #refused = new Map<string, readonly Issue[]>();
  /** The owners of each ambiguous name; any other name identifies its owner. */
  readonly #ownersOf = new Map<string, readonly string[]>();
  /** Bindings that apply to no user or group, by name. */
  readonly unbound = new Map<string, PolicyFault>();

  constructor(kind: 'user' | 'group', evaluator: Evaluator, names: BindingNames) {
    this.#kind = kind;
    this.#evaluator = evaluator;
    this.#names = names;
  }

  /** Lists bindings of no owner whose names begin with this owner's, and scopes that are skipped. */
  *faults(owner: string, refused: ReadonlyMap<string, readonly Issue[]>): Generator<PolicyFault> {
    for (const [name, fault] of this.unbound) if (`${name}:`.startsWith(`${owner}:`)) yield fault;
    if (refused.size === 0 && this.#refused.size === 0) return;
    for (const { owner: of, role } of heldBindings[this.#kind].of(this.#evaluator, owner)) {
      for (const policy of this.#evaluator.role(role)?.policies ?? []) {
        for (const issue of refused.get(policy) ?? []) yield { ...issue, role, policy };
      }
      for (const issue of this.#refused.get(`${of}:${role}`) ?? []) yield { ...issue, role };
    }
  }

  set(name: string, { role, scope }: PoolBinding): void {
    // The name is `user:role`, and both may contain a colon, so the role determines the split.
    const owner = name.slice(0, -role.length - 1);
    const message = nameFault(name, owner, role, this.#kind);
    if (message !== undefined) {
      this.delete(name);
      const path = [this.#kind === 'user' ? 'bindings' : 'groupBindings', name];
      this.unbound.set(name, { path, message, role });
      return;
    }
    // For speed: does not hash the name if no map needs it.
    if (this.unbound.size > 0) this.unbound.delete(name);
    if (this.#refused.size > 0) this.#refused.delete(name);
    if (!this.#names.byName && name.indexOf(':') !== name.lastIndexOf(':')) this.#noteOwner(name, owner);
    const { set } = heldBindings[this.#kind];
    const issues = refusal(() => set(this.#evaluator, { owner, role, scope }));
    if (issues === undefined) return;
    this.#refused.set(name, issues);
    // A binding without a scope grants nothing.
    set(this.#evaluator, { owner, role });
  }

  /** Deletes all bindings with a name. If others with this name remain, the pool sends them again. */
  delete(name: string): void {
    this.unbound.delete(name);
    this.#refused.delete(name);
    const owners = this.#ownersOf.get(name);
    this.#ownersOf.delete(name);
    // In sidecar fidelity any split of the name works. Otherwise the owners were recorded, or the name has only one
    // split.
    for (const owner of owners ?? [name.slice(0, name.indexOf(':'))]) this.#unbind(name, owner);
  }

  /** Records the owner of a name, replacing the previous one unless several may share the name. */
  #noteOwner(name: string, owner: string): void {
    const others = (this.#ownersOf.get(name) ?? []).filter((other) => other !== owner);
    if (!this.#names.shared) for (const other of others.splice(0)) this.#unbind(name, other);
    this.#ownersOf.set(name, [...others, owner]);
  }

  #unbind(name: string, owner: string): void {
    heldBindings[this.#kind].delete(this.#evaluator, owner, name.slice(owner.length + 1));
  }
}

/** Returns the reason why a binding with this name applies to no user or group, or undefined. */
function nameFault(name: string, owner: string, role: string, kind: string): string | undefined {
  // The common case, decided without building the name.
  if (role !== '' && owner !== '' && name[owner.length] === ':' && name.endsWith(role)) return undefined;
  if (role === '') return `has an empty role, and binds no ${kind}`;
  if (!name.includes(':')) return `has no ":" between a ${kind} and a role, and binds no ${kind}`;
  if (!name.endsWith(`:${role}`)) return `does not end with ":" and the role of its item, and binds no ${kind}`;
  return owner === '' ? `has an empty ${kind}, and binds no ${kind}` : undefined;
}

/** Runs a change; returns the issues for which the evaluator (documented fidelity) rejects it, else undefined. */
export function refusal(change: () => void): readonly Issue[] | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError) return error.issues;
    throw error;
  }
}
