import { remember } from '../../../base/lib/remember.js';
import { bindingsOfGroups } from '../../evaluate/hiding-roles.js';
import type { Binding, Evaluator, GroupBinding, Policy } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import type { HiddenQuestion } from './hidden.js';
import type { Knowledge, Unread } from './known-parts.js';
import { compile, matchesAction, type Reasons, type Rule } from './reasons.js';

/** A role that may have decided a question, with the bindings to it that may have, and its statements. */
interface PossibleRole {
  readonly role: string;
  readonly bindings: readonly (Binding | GroupBinding)[];
  readonly rules: readonly Rule[];
}

/** The parts of a deployment that a state does not hold; default none. */
export interface UnknownParts {
  readonly unread?: Unread | undefined;
  readonly knowledge?: Pick<Knowledge, 'hasAllBindings' | 'hasBindingsOf' | 'hasGroups'> | undefined;
}

/** Finds the parts of a state that may have decided questions of which a log hides a part. */
export class Possible {
  readonly #evaluator: Evaluator;
  readonly #reasons: Reasons;
  readonly #parts: UnknownParts;
  readonly #byRole = new Map<string, Binding[]>();
  readonly #scopes = new Map<Policy, readonly Rule[]>();

  constructor(reasons: Reasons, parts: UnknownParts = {}) {
    this.#reasons = reasons;
    this.#evaluator = reasons.evaluator;
    this.#parts = parts;
    for (const binding of this.#evaluator.bindings()) {
      remember(this.#byRole, binding.role, (): Binding[] => []).push(binding);
    }
  }

  /** The roles that may have decided a question. */
  *of(hidden: HiddenQuestion): Generator<PossibleRole> {
    if (hidden.action === '' || (hidden.user === '' && this.#rolesCount)) return;
    for (const [role, bindings] of this.#candidates(hidden)) {
      const isPossible = (rule: Rule): boolean => mayMatch(rule, hidden);
      const rules = (this.#reasons.rules(role) ?? []).filter(isPossible);
      const denies = (scope: Policy | null | undefined): boolean =>
        scope != null && this.#rulesOf(scope).some((rule) => !rule.isAllow && isPossible(rule));
      const isWhole = rules.length > 0 || this.#hides(role);
      const deciding = isWhole ? bindings : bindings.filter(({ scope }) => denies(scope));
      if (isWhole || deciding.length > 0 || denies(this.#evaluator.role(role)?.scope)) {
        yield { role, bindings: deciding, rules };
      }
    }
  }

  /** The roles that the subject may have had, with its bindings to them. */
  #candidates({ user, roles }: HiddenQuestion): ReadonlyMap<string, readonly (Binding | GroupBinding)[]> {
    const { knowledge } = this.#parts;
    const isAny = typeof user === 'object';
    const candidates = new Map<string, (Binding | GroupBinding)[]>();
    if (isAny) for (const [role, bindings] of this.#byRole) candidates.set(role, [...bindings]);
    else if (user !== undefined) {
      for (const binding of this.#evaluator.bindings(user))
        remember(candidates, binding.role, (): Binding[] => []).push(binding);
    }
    const hasBindings = isAny ? knowledge?.hasAllBindings : user === undefined || knowledge?.hasBindingsOf(user);
    // A line that hides its groups may have named any.
    for (const bound of bindingsOfGroups(this.#evaluator, roles ?? this.#evaluator.groups())) {
      remember(candidates, bound.role, (): GroupBinding[] => []).push(bound);
    }
    const all =
      hasBindings === false || knowledge?.hasGroups(roles) === false || (this.#rolesCount && roles === undefined);
    for (const role of all ? this.#evaluator.roles() : this.#rolesCount ? (roles ?? []) : []) {
      remember(candidates, role, (): Binding[] => []);
    }
    return candidates;
  }

  get #rolesCount(): boolean {
    return evaluationRules[this.#evaluator.fidelity].rolesCount;
  }

  #rulesOf(scope: Policy): readonly Rule[] {
    return remember(this.#scopes, scope, () => compile(scope, undefined));
  }

  /** True if a role has statements that the state lacks. */
  #hides(role: string): boolean {
    const { roles = [], policies = [] } = this.#parts.unread ?? {};
    return (
      roles.includes(role) || this.#evaluator.role(role)?.policies.some((policy) => policies.includes(policy)) === true
    );
  }
}

/** True if a statement matches what is known of a question. */
function mayMatch(rule: Rule, { action, resource }: HiddenQuestion): boolean {
  if (action !== undefined && !matchesAction(rule, action)) return false;
  return resource === undefined || rule.resources.some((pattern) => pattern.matches(resource));
}
