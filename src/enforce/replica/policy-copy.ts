import { nameOf } from '../../policy/evaluate/binding.js';
import { toList } from '../../policy/evaluate/binding-chain.js';
import type { BindingIndex } from '../../policy/evaluate/binding-index.js';
import { IndexedEvaluator } from '../../policy/evaluate/indexed-evaluator.js';
import { PolicyContent } from '../../policy/evaluate/policy-content.js';
import type { Evaluator, Fidelity, Issue, Policy, PolicyFault, Role } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from '../../policy/pool/pool-items.js';
import { ConstantLoader } from './constant-loader.js';
import { CopiedBindings, refusal } from './copied-bindings.js';
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
  readonly indexes: { [K in PoolKind]: number } = { policies: 0, roles: 0, bindings: 0, groupBindings: 0 };
  /** The last writes of each kind. */
  readonly recent = new RecentWrites();
  /** Grows with each applied change. */
  version = 0;
  /** Issues of rejected policies, by name. */
  readonly #refused = new Map<string, readonly Issue[]>();
  readonly #bound: Readonly<Record<'bindings' | 'groupBindings', CopiedBindings>>;
  readonly #byName: boolean;

  /** @param sharesNames true if bindings of several users may share a name: only in a mock of documented fidelity. */
  constructor(fidelity: Fidelity, sharesNames = false) {
    this.#byName = evaluationRules[fidelity].bindingsByName;
    this.#content = new PolicyContent(this.#byName);
    this.evaluator = new IndexedEvaluator(new ConstantLoader(fidelity), this.#content);
    const names = { byName: this.#byName, shared: sharesNames };
    this.#bound = {
      bindings: new CopiedBindings('user', this.evaluator, names),
      groupBindings: new CopiedBindings('group', this.evaluator, names),
    };
  }

  /** A lazy snapshot of the contents. */
  contents(): Contents {
    const { policies, roles, user, group } = new PolicyContent(this.#byName, this.#content);
    return {
      policies: named(policies.entries()),
      roles: named(roles.entries()),
      bindings: bindingsOf(user, this.#bound.bindings.unbound),
      groupBindings: bindingsOf(group, this.#bound.groupBindings.unbound),
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
    else if (item === undefined) this.#bound[kind].delete(name);
    else this.#bound[kind].set(name, item as PoolBinding);
  }

  /**
   * Lists policies and scopes that are skipped for a user and groups because they cannot be parsed, and bindings whose
   * names begin with the user's or a group's name but that apply to none. Without both: all bindings that apply to no
   * user or group.
   */
  faults(user?: string, groups: readonly string[] = []): readonly PolicyFault[] {
    const { bindings, groupBindings } = this.#bound;
    if (user === undefined && groups.length === 0) {
      return [...bindings.unbound.values(), ...groupBindings.unbound.values()];
    }
    return [
      ...this.evaluator.faults(user, groups),
      ...(user === undefined ? [] : bindings.faults(user, this.#refused)),
      ...groups.flatMap((group) => [...groupBindings.faults(group, this.#refused)]),
    ];
  }

  #setPolicy(name: string, policy: Policy | undefined): void {
    this.#refused.delete(name);
    if (policy === undefined) this.evaluator.deletePolicy(name);
    else {
      const issues = refusal(() => this.evaluator.setPolicy(name, policy));
      if (issues === undefined) return;
      this.#refused.set(name, issues);
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
}

function* named(entries: Iterable<[string, unknown]>): Generator<Content> {
  for (const [name, content] of entries) yield { key: name, name, content };
}

/** Yields all bindings, including those that apply to no user or group. */
function* bindingsOf(index: BindingIndex, unbound: Iterable<[string, PolicyFault]>): Generator<Content> {
  for (const [, last] of index.owners.entries()) {
    for (const binding of toList(last)) {
      const name = nameOf(binding);
      yield { key: `${binding.owner.length}:${name}`, name, content: binding.scope };
    }
  }
  for (const { name, ...rest } of named(unbound)) yield { ...rest, key: `unbound:${name}`, name };
}
