import type { BindingIndex } from '../../policy/evaluate/binding-index.js';
import { IndexedEvaluator } from '../../policy/evaluate/indexed-evaluator.js';
import { PolicyContent } from '../../policy/evaluate/policy-content.js';
import type { Evaluator, Fidelity, Issue, Policy, PolicyFault, Role } from '../../policy/index.js';
import { PolicyError } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../../policy/pool/pool-items.js';
import { ConstantLoader } from './constant-loader.js';
import { RecentWrites } from './recent-writes.js';

/** The index of the last change of each kind. */
export type PoolIndexes = { readonly [K in PoolKind]: number };

/** An item of a copy, with its key. */
export interface Content {
  /** Unique within its kind; several bindings may share a name. */
  readonly key: string;
  readonly name: string;
  readonly content: unknown;
}

export type Contents = { readonly [K in PoolKind]: Iterable<Content> };

const nothing: Policy = { statements: [] };

/** A copy of the service's state, updated item by item. */
export class PolicyCopy {
  readonly evaluator: Evaluator;
  readonly #content: PolicyContent;
  readonly indexes: { [K in PoolKind]: number } = { policies: 0, roles: 0, bindings: 0 };
  /** The last writes of each kind. */
  readonly recent = new RecentWrites();
  /** Grows with each applied change. */
  version = 0;
  /** Issues of rejected items: of policies by name, of scopes by the name of the binding. */
  readonly #refused = { policies: new Map<string, readonly Issue[]>(), bindings: new Map<string, readonly Issue[]>() };
  /** Bindings that apply to no user, by name. */
  readonly #unbound = new Map<string, PolicyFault>();
  /** True if the evaluator keeps one binding per name (sidecar fidelity). */
  readonly #byName: boolean;
  /** True if bindings of several users may share a name: only in a mock of documented fidelity. */
  readonly #sharesNames: boolean;
  /** The users of each ambiguous name; any other name identifies its user. */
  readonly #usersOf = new Map<string, readonly string[]>();

  constructor(fidelity: Fidelity, sharesNames = false) {
    this.#byName = evaluationRules[fidelity].bindingsByName;
    this.#content = new PolicyContent(this.#byName);
    this.evaluator = new IndexedEvaluator(new ConstantLoader(fidelity), this.#content);
    this.#sharesNames = sharesNames;
  }

  /** A lazy snapshot of the contents. */
  contents(): Contents {
    const { policies, roles, users } = new PolicyContent(this.#byName, this.#content);
    return {
      policies: named(policies.entries()),
      roles: named(roles.entries()),
      bindings: bindingsOf(users, this.#unbound),
    };
  }

  /** Applies an item of the state that is read, or a change: writes or deletes an item. */
  apply(kind: PoolKind, written: PoolItem, isChange = false): void {
    const { name, index, item } = written;
    this.indexes[kind] = Math.max(this.indexes[kind], index);
    this.recent.add(kind, written, isChange);
    this.version++;
    // The casts: the item is of its kind.
    if (kind === 'policies') this.#setPolicy(name, item as PoolContent['policies'] | undefined);
    else if (kind === 'roles') this.#setRole(name, item as PoolContent['roles'] | undefined);
    else if (item === undefined) this.#deleteBinding(name);
    else this.#setBinding(name, item as PoolContent['bindings']);
  }

  /**
   * Lists policies and scopes that are skipped for a user because they cannot be parsed, and bindings whose names
   * begin with the user's name but that apply to no user. Without a user: all bindings that apply to no user.
   */
  faults(user?: string): readonly PolicyFault[] {
    if (user === undefined) return [...this.#unbound.values()];
    const found = [...this.evaluator.faults(user)];
    for (const [name, fault] of this.#unbound) if (`${name}:`.startsWith(`${user}:`)) found.push(fault);
    const { policies, bindings } = this.#refused;
    if (policies.size === 0 && bindings.size === 0) return found;
    for (const { user: owner, role } of this.evaluator.bindings(user)) {
      for (const policy of this.evaluator.role(role)?.policies ?? []) {
        for (const issue of policies.get(policy) ?? []) found.push({ ...issue, role, policy });
      }
      for (const issue of bindings.get(`${owner}:${role}`) ?? []) found.push({ ...issue, role });
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
    // The role's own scope applies if a request names the role. If the scope is rejected, the role then applies
    // nowhere.
    else if (refusal(() => this.evaluator.setRole(name, role))) {
      this.evaluator.setRole(name, { policies: role.policies.filter((policy) => policy !== ''), scope: nothing });
    }
  }

  #setBinding(name: string, { role, scope }: PoolBinding): void {
    // The name is `user:role`, and both may contain a colon, so the role determines the split.
    const user = name.slice(0, -role.length - 1);
    const message = nameFault(name, user, role);
    if (message !== undefined) {
      this.#deleteBinding(name);
      this.#unbound.set(name, { path: ['bindings', name], message, role });
      return;
    }
    // For speed: does not hash the name if no map needs it.
    if (this.#unbound.size > 0) this.#unbound.delete(name);
    if (this.#refused.bindings.size > 0) this.#refused.bindings.delete(name);
    if (!this.#byName && name.indexOf(':') !== name.lastIndexOf(':')) this.#noteUser(name, user);
    const issues = refusal(() => this.evaluator.setBinding({ user, role, scope }));
    if (issues === undefined) return;
    this.#refused.bindings.set(name, issues);
    // A binding without a scope grants nothing.
    this.evaluator.setBinding({ user, role });
  }

  /** Records the user of a name, replacing the previous user unless several users may share the name. */
  #noteUser(name: string, user: string): void {
    const others = (this.#usersOf.get(name) ?? []).filter((one) => one !== user);
    if (!this.#sharesNames) for (const one of others.splice(0)) this.#unbind(name, one);
    this.#usersOf.set(name, [...others, user]);
  }

  /** Deletes all bindings with a name. If others with this name remain, the pool sends them again. */
  #deleteBinding(name: string): void {
    this.#unbound.delete(name);
    this.#refused.bindings.delete(name);
    const users = this.#usersOf.get(name);
    this.#usersOf.delete(name);
    // In sidecar fidelity any split of the name works. Otherwise the users were recorded, or the name has only one
    // split.
    for (const user of users ?? [name.slice(0, name.indexOf(':'))]) this.#unbind(name, user);
  }

  #unbind(name: string, user: string): void {
    this.evaluator.deleteBinding(user, name.slice(user.length + 1));
  }
}

function* named(entries: Iterable<[string, unknown]>): Generator<Content> {
  for (const [name, content] of entries) yield { key: name, name, content };
}

/** Yields all bindings, including those that apply to no user. */
function* bindingsOf(users: BindingIndex, unbound: Iterable<[string, PolicyFault]>): Generator<Content> {
  for (const { owner, role, scope } of users.entries()) {
    const name = `${owner}:${role}`;
    yield { key: `${owner.length}:${name}`, name, content: scope };
  }
  for (const { name, ...rest } of named(unbound)) yield { ...rest, key: `unbound:${name}`, name };
}

/** Returns the reason why a binding with this name applies to no user, or undefined. */
function nameFault(name: string, user: string, role: string): string | undefined {
  // The common case, decided without building the name.
  if (role !== '' && user !== '' && name[user.length] === ':' && name.endsWith(role)) return undefined;
  if (role === '') return 'has an empty role, and binds no user';
  if (!name.includes(':')) return 'has no ":" between a user and a role, and binds no user';
  if (!name.endsWith(`:${role}`)) return 'does not end with ":" and the role of its item, and binds no user';
  return user === '' ? 'has an empty user, and binds no user' : undefined;
}

/**
 * Runs a change and returns the issues for which the evaluator rejects it (documented fidelity); undefined if it
 * succeeds.
 */
function refusal(change: () => void): readonly Issue[] | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError) return error.issues;
    throw error;
  }
}
