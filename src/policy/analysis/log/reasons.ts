import { remember } from '../../../base/lib/remember.js';
import { bindingsOfGroups, hidingRoles } from '../../evaluate/hiding-roles.js';
import type { Binding, Evaluator, EvaluatorSubject, GroupBinding, Policy } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import { Pattern } from '../../model/pattern.js';
import type { Cause } from './log-types.js';

/** A statement, with its patterns compiled. */
export interface Rule {
  /** Undefined for a statement of a scope. */
  readonly policy: string | undefined;
  readonly statement: number;
  readonly isAllow: boolean;
  readonly actions: readonly Pattern[];
  readonly resources: readonly Pattern[];
}

/** A binding of a subject or of one of its groups, or a role that it names. */
export interface Alternative {
  readonly role: string;
  readonly rules: readonly Rule[];
  /** Undefined if there is nothing to evaluate: the role is missing, or the scope of a binding. */
  readonly scopes: readonly (readonly Rule[])[] | undefined;
  /** Undefined for a role that the subject names, and for a binding of a group. */
  readonly binding: Binding | undefined;
  /** The binding of a group. */
  readonly ofGroup?: GroupBinding | undefined;
}

/** An alternative that decided, with the statements by which it did. */
interface Deciding extends Pick<Alternative, 'role' | 'binding' | 'ofGroup'> {
  /** Statements of the role's policies: all that allow, or a Deny. */
  readonly rules: readonly Rule[];
}

/** A decision, with all alternatives that allow or, if it is a Deny, all that deny explicitly. */
export type Ruling = { readonly allowed: boolean; readonly by: readonly Deciding[]; readonly cause: Cause };

export const matchesAction = ({ actions }: Rule, action: string): boolean =>
  actions.some((pattern) => pattern.matches(action));

export const matches = (rule: Rule, action: string, resource: string): boolean =>
  matchesAction(rule, action) && rule.resources.some((pattern) => pattern.matches(resource));

/** Compiles the patterns of a policy's statements. */
export const compile = ({ statements }: Policy, policy: string | undefined): Rule[] =>
  statements.map(({ effect, actions, resources }, statement) => ({
    policy,
    statement,
    isAllow: effect === 'Allow',
    actions: actions.map((action) => new Pattern(action)),
    resources: resources.map((resource) => new Pattern(resource)),
  }));

/** Finds the statements behind decisions. Patterns are compiled once for each role and scope. */
export class Reasons {
  readonly evaluator: Evaluator;
  readonly #roles = new Map<string, readonly Rule[]>();
  readonly #scopes = new Map<Policy, readonly Rule[]>();
  readonly #byGroup: boolean;
  readonly #alternatives = new Map<EvaluatorSubject, readonly Alternative[]>();

  /** @param byGroup true to leave out the user's own bindings where a group or role of the subject allows. */
  constructor(evaluator: Evaluator, byGroup = false) {
    this.evaluator = evaluator;
    this.#byGroup = byGroup;
  }

  /** Decides a question. `subject` is the same object for all questions of a subject. */
  ruling(subject: EvaluatorSubject, action: string, resource: string): Ruling {
    const allowed = this.evaluator.isAllowed({ ...subject, action, resource });
    const { user, superuser } = subject;
    if (superuser) return { allowed, by: [], cause: { reason: allowed ? 'superuser' : 'nothing-allows' } };
    const alternatives = this.alternatives(subject);
    if (user === '' && alternatives.length === 0) return { allowed, by: [], cause: { reason: 'empty-user' } };
    if (action === '') return { allowed, by: [], cause: { reason: 'empty-action' } };
    const by = alternatives.flatMap((alternative) => decide(alternative, allowed, action, resource) ?? []);
    const isHeldBack = ({ role, binding }: Deciding) =>
      this.byName && binding !== undefined && count(alternatives, role) > count(by, role);
    const deciding = allowed ? by.filter((reason) => !isHeldBack(reason)) : by;
    const named = allowed && this.#byGroup ? deciding.filter(({ binding }) => binding === undefined) : [];
    if (named.length > 0) return { allowed, by: named, cause: causeOf(true, named, true) };
    return { allowed, by: deciding, cause: causeOf(allowed, deciding, alternatives.length > 0) };
  }

  /** The bindings of a subject, and the roles that it names. `subject` is the same object for all its questions. */
  alternatives(subject: EvaluatorSubject): readonly Alternative[] {
    return remember(this.#alternatives, subject, () => this.#read(subject));
  }

  /** True if several bindings of a user to one role have to allow together. */
  get byName(): boolean {
    return evaluationRules[this.evaluator.fidelity].bindingsByName;
  }

  #read({ user, roles = [] }: EvaluatorSubject): Alternative[] {
    const { rolesCount } = evaluationRules[this.evaluator.fidelity];
    // The groups of an empty user count only at the observed services.
    if (user === '' && rolesCount) return [];
    const bound = user ? this.evaluator.bindings(user).map((binding) => this.#bound(binding, binding)) : [];
    const named = rolesCount ? roles.map((role) => this.#named(role)) : [];
    const hidden = roles.length > 0 ? hidingRoles(this.evaluator, user) : [];
    const ofGroups = bindingsOfGroups(this.evaluator, roles).filter(
      ({ group, role }) => !hidden.includes(`${group}:${role}`),
    );
    return [
      ...bound,
      ...named,
      ...ofGroups.map((binding) => ({ ...this.#bound(binding, undefined), ofGroup: binding })),
    ];
  }

  #bound({ role, scope }: Pick<Binding, 'role' | 'scope'>, binding: Binding | undefined): Alternative {
    const rules = this.rules(role);
    return { role, binding, rules: rules ?? [], scopes: rules && scope ? [this.#scope(scope)] : undefined };
  }

  #named(role: string): Alternative {
    const rules = this.rules(role);
    const scope = this.evaluator.role(role)?.scope;
    const scopes = rules && (scope ? [this.#scope(scope)] : []);
    return { role, binding: undefined, rules: rules ?? [], scopes };
  }

  /** The statements of a role; undefined if there is no such role. */
  rules(name: string): readonly Rule[] | undefined {
    const role = this.evaluator.role(name);
    if (role === undefined) return undefined;
    return remember(this.#roles, name, () =>
      [...new Set(role.policies)].flatMap((policy) => {
        const content = this.evaluator.policy(policy);
        return content ? compile(content, policy) : [];
      }),
    );
  }

  #scope(scope: Policy): readonly Rule[] {
    return remember(this.#scopes, scope, () => compile(scope, undefined));
  }
}

/** Counts the bindings of the user to a role. */
const count = (list: readonly Pick<Alternative, 'role' | 'binding'>[], name: string): number =>
  list.reduce((sum, { role, binding }) => (role === name && binding ? sum + 1 : sum), 0);

/** The part of an alternative in a decision; undefined if it has none. */
function decide(alternative: Alternative, allowed: boolean, action: string, resource: string): Deciding | undefined {
  const { rules, scopes, ...holder } = alternative;
  if (scopes === undefined) return undefined;
  const matching = (list: readonly Rule[]) => list.filter((rule) => matches(rule, action, resource));
  const inScopes = scopes.map(matching);
  const scopeDeny = inScopes.flat().find(({ isAllow }) => !isAllow);
  const deciding = matching(rules);
  const deny = deciding.find(({ isAllow }) => !isAllow);
  if (scopeDeny !== undefined) return allowed ? undefined : { ...holder, rules: [scopeDeny] };
  if (inScopes.some((list) => list.length === 0)) return undefined;
  if (deny !== undefined) return allowed ? undefined : { ...holder, rules: [deny] };
  return allowed && deciding.length > 0 ? { ...holder, rules: deciding } : undefined;
}

function causeOf(allowed: boolean, [first]: readonly Deciding[], hasAlternatives: boolean): Cause {
  if (first !== undefined) {
    const { policy, statement } = first.rules[0] as Rule;
    return { reason: allowed ? 'allowed' : 'explicit-deny', role: first.role, policy, statement };
  }
  return { reason: hasAlternatives ? 'nothing-allows' : 'no-binding' };
}
