import { remember } from '../../base/lib/remember.js';
import { hasMethod, isObject, wrongKind } from '../../base/lib/values.js';
import { ownersAbove } from '../evaluate/binding-chain.js';
import { hidingRoles } from '../evaluate/hiding-roles.js';
import {
  type Binding,
  createEvaluator,
  type Evaluator,
  type EvaluatorSubject,
  type Fidelity,
  type Policy,
  type PolicyState,
} from '../index.js';
import { evaluationRules } from '../model/fidelity.js';
import { refuse } from './analysis-error.js';
import type { AnalysisOptions, AnalysisState, Reason } from './analysis-types.js';
import { type Area, meetAll, type Pair, without, workOfObject } from './region.js';
import type { Rule, Rules, Space } from './space.js';

const isState = (value: unknown): value is PolicyState =>
  isObject(value) &&
  (['policies', 'roles', 'bindings', 'groupBindings'].some((name) => name in value) ||
    (value.constructor === Object && Object.keys(value).length === 0));

/** Returns the fidelity of a state, if it has one. */
export const fidelityIn = (state: AnalysisState): Fidelity | undefined =>
  // The cast: anything that is given is read as a state later.
  Object(hasMethod(state, 'evaluator') ? (state as { evaluator(): unknown }).evaluator() : state).fidelity;

/**
 * Reads a state as an evaluator.
 * @param options `usual`: the fidelity of a state without one of its own; default `documented`.
 * @param name the argument or option, for the error.
 */
export function readEvaluator(
  state: AnalysisState,
  { fidelity, usual }: Pick<AnalysisOptions, 'fidelity'> & { readonly usual?: Fidelity | undefined },
  name = 'state',
): Evaluator {
  // The casts: only an evaluator or a source of one has these methods.
  const source = hasMethod(state, 'evaluator') ? (state as { evaluator(): unknown }).evaluator() : state;
  if (!hasMethod(source, 'isAllowed')) {
    // Any other object, such as a promise of a state, would count as a state without policies, and `excess` would find
    // nothing.
    if (!isState(source)) return refuse(name, wrongKind('policies, roles, bindings or an evaluator', source));
    for (const option of ['maxWork', 'match', 'within', 'generalise']) {
      if (Object.hasOwn(source, option)) refuse(option, 'is an option, not part of the state');
    }
    return createEvaluator(source, { fidelity: fidelity ?? (source.fidelity === undefined ? usual : undefined) });
  }
  const evaluator = source as Evaluator;
  if (fidelity !== undefined && fidelity !== evaluator.fidelity) {
    refuse('fidelity', `the evaluator decides in ${evaluator.fidelity} fidelity`);
  }
  return evaluator;
}

interface RoleRule extends Rule {
  readonly policy: string;
}

/** Merges the policies of a role. */
export interface RoleRules {
  readonly name: string;
  readonly parts: readonly Rules[];
  readonly allow: readonly RoleRule[];
  readonly deny: readonly Pair[];
}

/** A role inside scopes, each of which has to allow. A subject has the union of its alternatives. */
export interface Alternative {
  readonly via: 'binding' | 'group' | 'request';
  readonly role: RoleRules;
  readonly scopes: readonly Rules[];
}

/** A kind of subjects: a user, or those that name a group or role. */
export type Kind = 'user' | 'group' | 'role';

/** Represents a state by the alternatives of its subjects. */
export class Model {
  readonly evaluator: Evaluator;
  readonly space: Space;
  /** True if the names of a subject count as roles, too. */
  readonly rolesCount: boolean;
  readonly #groups: ReadonlySet<string>;
  readonly #byName: boolean;
  readonly #roles = new Map<string, RoleRules>();
  readonly #areas = new Map<string, readonly Area[]>();

  constructor(evaluator: Evaluator, space: Space) {
    this.evaluator = evaluator;
    this.space = space;
    const { rolesCount, bindingsByName } = evaluationRules[evaluator.fidelity];
    this.rolesCount = rolesCount;
    this.#groups = new Set(evaluator.groups());
    this.#byName = bindingsByName;
  }

  /** True if roles are bound to a group with this name. */
  isGroup(name: string): boolean {
    return this.#groups.has(name);
  }

  /** The names by which subjects get access: groups with bindings and, in documented fidelity, roles. */
  names(): string[] {
    const roles = this.rolesCount ? this.evaluator.roles() : [];
    return this.#groups.size === 0 ? [...roles] : [...new Set([...roles, ...this.#groups])].sort();
  }

  /** The bindings that count for each user. */
  users(): Map<string, Binding[]> {
    const users = new Map<string, Binding[]>();
    for (const binding of this.evaluator.bindings()) {
      for (const user of this.#byName ? ownersAbove(`${binding.user}:${binding.role}`) : [binding.user]) {
        this.space.work.spend(workOfObject);
        remember(users, user, (): Binding[] => []).push(binding);
      }
    }
    return users;
  }

  /** Yields the users with bindings, then the groups and roles, sorted by name. `work.at` names each for errors. */
  *subjects(analysis: string): Generator<readonly [kind: Kind, name: string, alternatives: readonly Alternative[]]> {
    const users = [...this.users()].sort(([a], [b]) => (a < b ? -1 : 1));
    const named = this.names().map((name) => [name, undefined] as const);
    for (const [name, bindings] of [...users, ...named]) {
      const kind = bindings ? 'user' : this.isGroup(name) ? 'group' : 'role';
      this.space.work.at = `${analysis}: ${kind} ${JSON.stringify(name)}`;
      yield [kind, name, bindings ? this.bound(bindings) : this.named(name)];
    }
  }

  /** The alternatives of a subject other than the superuser. */
  alternatives({ user, roles = [] }: EvaluatorSubject): Alternative[] {
    // The groups of an empty user count only at the observed services.
    if (user === '' && this.rolesCount) return [];
    const own = user ? this.evaluator.bindings(user) : [];
    const hidden = this.#groups.size > 0 && roles.length > 0 ? hidingRoles(this.evaluator, user) : [];
    return [...this.bound(own), ...roles.flatMap((name) => this.named(name, hidden))];
  }

  /** The alternatives of a user with these bindings. */
  bound(bindings: readonly Binding[]): Alternative[] {
    const alternatives: Alternative[] = [];
    if (!this.#byName) {
      for (const { role, scope } of bindings)
        if (scope) alternatives.push(...this.#alternative('binding', role, [scope]));
      return alternatives;
    }
    // If a user has several bindings to one role, all their scopes have to allow.
    const scopes = new Map<string, (Policy | null | undefined)[]>();
    for (const { role, scope } of bindings) remember(scopes, role, (): Policy[] => []).push(scope);
    for (const [role, list] of scopes) {
      if (list.every((scope) => scope)) alternatives.push(...this.#alternative('binding', role, list as Policy[]));
    }
    return alternatives;
  }

  /** The alternatives of subjects that name this group or role, without the group's bindings with `hidden` names. */
  named(name: string, hidden: readonly string[] = []): Alternative[] {
    if (name === '') return [];
    const narrow = this.evaluator.role(name)?.scope;
    const alternatives = this.rolesCount ? this.#alternative('request', name, narrow ? [narrow] : []) : [];
    for (const { group, role, scope } of this.isGroup(name) ? this.evaluator.groupBindings(name) : []) {
      if (scope && !hidden.includes(`${group}:${role}`))
        alternatives.push(...this.#alternative('group', role, [scope]));
    }
    return alternatives;
  }

  #alternative(via: Alternative['via'], name: string, scopes: readonly Policy[]): Alternative[] {
    const role = this.#role(name);
    return role ? [{ via, role, scopes: [...new Set(scopes.map((scope) => this.space.rulesOf(scope)))] }] : [];
  }

  #role(name: string): RoleRules | undefined {
    const role = this.#roles.get(name) ?? this.evaluator.role(name);
    if (role === undefined || 'parts' in role) return role;
    const policies = [...new Set(role.policies)].flatMap((policy) => {
      const source = this.evaluator.policy(policy);
      return source ? { policy, rules: this.space.rulesOf(source) } : [];
    });
    const rules = {
      name,
      parts: policies.map(({ rules }) => rules),
      allow: policies.flatMap(({ policy, rules }) => rules.allow.map((rule) => ({ ...rule, policy }))),
      deny: policies.flatMap(({ rules }) => rules.deny),
    };
    this.#roles.set(name, rules);
    return rules;
  }

  /** The areas that alternatives grant together. They may overlap. */
  areas(alternatives: readonly Alternative[]): Area[] {
    return alternatives.flatMap((alternative) => {
      return remember(this.#areas, this.keyOf(alternative), () => this.#areasOf(alternative));
    });
  }

  /** Equal for equal alternatives of this state. */
  keyOf({ via, role, scopes }: Alternative): string {
    return JSON.stringify([via, role.name, scopes.map(({ serial }) => serial)]);
  }

  #areasOf({ via, role, scopes }: Alternative): readonly Area[] {
    const { work } = this.space;
    const deny = [role.deny, ...scopes.map((scope) => scope.deny)].flat();
    return role.allow.flatMap(({ pair, policy, statement }) => {
      const because: Reason[] = [{ via, role: role.name, policy, statement }];
      let pairs: readonly Pair[] = [pair];
      for (const { allow } of scopes) pairs = meetAll(pairs, allow, work);
      return pairs.flatMap((pair) => without(pair, deny, because, work) ?? []);
    });
  }
}
