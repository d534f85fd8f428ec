import { remember } from '../../../base/lib/remember.js';
import type { Evaluator, EvaluatorSubject, Policy } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import { keeperOf, nameFault } from '../../model/predefined-names.js';
import type { Additions, Grant, ScopeGrants } from './additions.js';
import { chooseCover } from './cover.js';
import { Holders } from './holders.js';
import { FreshNames, type NamesFor, type NewNames } from './new-names.js';
import { type Alternative, matches, Reasons, type Rule } from './reasons.js';
import { allowsEverything, HiddenRoleRules } from './role-rules.js';
import type { Generalise, Wish } from './wishes.js';

/** A role that may grant wishes of a user, and the scope in which it is bound. */
type Candidate = { readonly role: string; readonly scope: Policy | undefined };

const usersOf = (wishes: readonly Wish[]): readonly string[] => [...new Set(wishes.map(({ user }) => user))];

/** A policy or role that a change may edit. */
const isOwn = (name: string): boolean => nameFault(name) === undefined && keeperOf(name) === undefined;

const roleAllows = (rules: readonly Rule[], action: string, resource: string): boolean => {
  const matching = rules.filter((rule) => matches(rule, action, resource));
  return matching.length > 0 && matching.every(({ isAllow }) => isAllow);
};

/** Options of a `Granter`. */
export interface GranterOptions {
  readonly generalise?: Generalise | undefined;
  /** The names of new policies and roles. Default: `rehearsed-1` and so on. */
  readonly namesFor?: NamesFor | undefined;
}

/** Grants wishes by additions to a state, with as few changed items as possible. */
export class Granter {
  readonly additions: Additions = { policies: new Map(), roles: new Map(), scopes: new Map(), bindings: [] };
  readonly #evaluator: Evaluator;
  readonly #reasons: Reasons;
  readonly #roleRules: HiddenRoleRules;
  readonly #generalise: Generalise | undefined;
  readonly #subjects = new Map<string, EvaluatorSubject>();
  readonly #roleSubjects = new Map<string, EvaluatorSubject>();
  /** Missing roles that users are bound to, with the policy that each would have. */
  readonly #missing = new Map<string, string>();
  readonly #names: FreshNames;

  constructor(evaluator: Evaluator, wishes: readonly Wish[], { generalise, namesFor }: GranterOptions) {
    this.#generalise = generalise;
    this.#names = new FreshNames(evaluator, namesFor);
    this.#evaluator = evaluator.clone();
    for (const user of usersOf(wishes)) {
      for (const { role } of evaluator.bindings(user)) this.#addMissing(role, user);
    }
    this.#reasons = new Reasons(this.#evaluator);
    this.#roleRules = new HiddenRoleRules(this.#reasons);
  }

  /** A missing role without statements grants nothing, but its policy can get some. */
  #addMissing(role: string, user: string): void {
    if (this.#missing.has(role) || this.#evaluator.role(role) !== undefined || !isOwn(role)) return;
    const { policy } = this.#names.next([user]);
    this.#missing.set(role, policy);
    this.#evaluator.setRole(role, { policies: [policy] });
  }

  #alternatives(user: string): readonly Alternative[] {
    return this.#reasons.alternatives(remember(this.#subjects, user, () => ({ user })));
  }

  /** Grants wishes that only a scope denies, by a statement in the scope. Returns the other wishes. */
  widenScopes(wishes: readonly Wish[]): Wish[] {
    return this.#byScope(wishes, (user) => {
      const alternatives = this.#alternatives(user);
      const candidates = alternatives.flatMap(({ role, binding, scopes }) => {
        const isAlone = alternatives.filter((alternative) => alternative.role === role).length === 1;
        // A scope that cannot be parsed has no statements.
        if (!isAlone || !scopes || binding?.user !== user || !binding.scope?.statements.length) return [];
        return this.#isBindable(role) ? { role, scope: binding.scope } : [];
      });
      return () => candidates;
    });
  }

  /** Grants wishes that a role allows, by a binding with a scope; to roles that allow everything, or to the others. */
  bindToRoles(wishes: readonly Wish[], areWide: boolean): Wish[] {
    const roles = this.#evaluator
      .roles()
      .filter((role) => this.#isBindable(role) && !this.#missing.has(role) && this.#roleRules.isWide(role) === areWide);
    const allowing = this.#rolesByAction(roles);
    return this.#byScope(wishes, (user) => {
      const bound = new Set(this.#alternatives(user).map(({ role }) => role));
      return (action) => allowing(action).filter(({ role }) => !bound.has(role));
    });
  }

  /** Returns a function that finds those of the roles that allow an action. */
  #rolesByAction(roles: readonly string[]): (action: string) => readonly Candidate[] {
    const byAction = new Map<string, readonly Candidate[]>();
    const isAllowing = (role: string, action: string) => this.#roleRules.for(role, action).allow.length > 0;
    return (action) =>
      remember(byAction, action, () =>
        roles.flatMap((role) => (isAllowing(role, action) ? { role, scope: undefined } : [])),
      );
  }

  /** True if a binding of a user to this role counts for no other user. */
  #isBindable(role: string): boolean {
    return nameFault(role) === undefined && keeperOf(role) !== 'the operator' && !role.includes(':');
  }

  /** Grants wishes that a policy allows, by a new role of it, to which users are bound with scopes of their own. */
  reusePolicies(wishes: readonly Wish[]): Wish[] {
    const drafts = new Map<string, string>();
    for (const policy of this.#evaluator.policies()) {
      const draft = `a role of ${policy}`;
      const isWide = allowsEverything(this.#evaluator.policy(policy));
      if (isWide || !isOwn(policy) || this.#evaluator.role(draft) !== undefined) continue;
      this.#evaluator.setRole(draft, { policies: [policy] });
      drafts.set(draft, policy);
    }
    const allowing = this.#rolesByAction([...drafts.keys()]);
    const open = this.#byScope(wishes, () => allowing);
    const { scopes, roles } = this.additions;
    const drafted = Map.groupBy(scopes, ([, { role }]) => role);
    for (const [draft, policy] of drafts) {
      const bindings = drafted.get(draft);
      if (bindings === undefined) continue;
      const { role } = this.#names.next(bindings.map(([, { user }]) => user));
      roles.set(role, [policy]);
      for (const [key, binding] of bindings) {
        scopes.delete(key);
        scopes.set(JSON.stringify([binding.user, role]), { ...binding, role });
      }
    }
    return open;
  }

  /**
   * Grants each user's wishes by the fewest roles of `candidatesOf`: adds each wish to the scope with which the user is
   * bound to such a role. Returns the wishes that no role grants.
   */
  #byScope(wishes: readonly Wish[], candidatesOf: (user: string) => (action: string) => readonly Candidate[]): Wish[] {
    const open: Wish[] = [];
    for (const [user, ofUser] of Map.groupBy(wishes, (wish) => wish.user)) {
      const candidates = candidatesOf(user);
      const scopes = new Map<string, Policy | undefined>();
      const sets = ofUser.map((wish) => {
        const granting = candidates(wish.action).filter(({ role }) => this.#roleRules.grant(role, wish));
        for (const { role, scope } of granting) scopes.set(role, scope);
        return new Set(granting.map(({ role }) => role));
      });
      // Of roles that do equally well, the one with the fewest statements fits best.
      const chosen = chooseCover(sets, (role) => this.#reasons.rules(role)?.length ?? 0);
      for (const [i, wish] of ofUser.entries()) {
        const role = [...chosen].find((choice) => sets[i]?.has(choice));
        if (role === undefined) open.push(wish);
        else this.#addToScope(wish, role, scopes.get(role));
      }
    }
    return open;
  }

  #addToScope(wish: Wish, role: string, scope: Policy | undefined): void {
    const { user } = wish;
    const key = JSON.stringify([user, role]);
    const addition = remember(this.additions.scopes, key, (): ScopeGrants => ({ user, role, scope, grants: [] }));
    if (this.#generalise !== 'statements') {
      addition.grants.push({ wish });
      return;
    }
    // Each question is granted by itself, because the role may allow each by a different statement.
    for (const question of wish.questions) {
      const { action, resource } = question.question;
      const rule = this.#reasons.rules(role)?.find((each) => each.isAllow && matches(each, action, resource));
      const whole = this.#evaluator.policy(rule?.policy ?? '')?.statements[rule?.statement ?? 0];
      addition.grants.push({ wish: { ...wish, questions: [question] }, whole });
    }
  }

  /** Grants wishes by statements in policies that the users have, if all users who get them ask for them. */
  extendPolicies(wishes: readonly Wish[]): Wish[] {
    const holders = new Holders(this.#evaluator);
    const open: Wish[] = [];
    for (const [, same] of Map.groupBy(wishes, ({ action, resource }) => JSON.stringify([action, resource]))) {
      const askers = new Set(same.map(({ user }) => user));
      const checked = new Map<string, boolean>();
      const sets = same.map((wish) =>
        this.#policiesFor(wish, (policy) =>
          remember(checked, policy, () => this.#isSafe(policy, wish, askers, holders)),
        ),
      );
      const chosen = chooseCover(sets);
      for (const [i, wish] of same.entries()) {
        const policy = [...chosen].find((choice) => sets[i]?.has(choice));
        if (policy === undefined) open.push(wish);
        else remember(this.additions.policies, policy, (): Grant[] => []).push({ wish });
      }
    }
    for (const [role, policy] of this.#missing) {
      if (this.additions.policies.has(policy)) this.additions.roles.set(role, [policy]);
    }
    return open;
  }

  /** The policies of a wish's user in which a statement would grant the wish, and would be safe. */
  #policiesFor({ user, questions }: Wish, isSafe: (policy: string) => boolean): ReadonlySet<string> {
    const policies = this.#alternatives(user).flatMap(({ role }) => this.#evaluator.role(role)?.policies ?? []);
    const reaches = (policy: string) => questions.every(({ question }) => this.#reaches(user, policy, question));
    return new Set([...new Set(policies)].filter((policy) => reaches(policy) && isSafe(policy)));
  }

  /** True if a statement of the policy would allow a question of the user. */
  #reaches(user: string, policy: string, { action, resource }: { action: string; resource: string }): boolean {
    const alternatives = this.#alternatives(user);
    const opens = ({ rules, scopes }: Alternative): boolean =>
      scopes?.every((scope) => roleAllows(scope, action, resource)) === true &&
      !rules.some((rule) => !rule.isAllow && matches(rule, action, resource));
    return alternatives.some(
      (alternative) =>
        this.#evaluator.role(alternative.role)?.policies.includes(policy) === true &&
        opens(alternative) &&
        (!this.#reasons.byName || alternatives.every((other) => other.role !== alternative.role || opens(other))),
    );
  }

  /** True if a statement of the policy gives a wish to users only who ask for it. */
  #isSafe(policy: string, wish: Wish, askers: ReadonlySet<string>, holders: Holders): boolean {
    const content = this.#evaluator.policy(policy);
    // A policy that cannot be parsed has no statements.
    if (!isOwn(policy) || content?.statements.length === 0) return false;
    const { action, resource } = wish;
    const isWide = this.#generalise !== undefined;
    for (const role of holders.roles(policy)) {
      if (!evaluationRules[this.#evaluator.fidelity].rolesCount || this.#missing.has(role)) continue;
      const subject = remember(this.#roleSubjects, role, () => ({ roles: [role] }));
      const [named] = this.#reasons.alternatives(subject);
      const isOpen = named?.scopes?.every((scope) =>
        isWide ? scope.some((rule) => rule.isAllow) : roleAllows(scope, action, resource),
      );
      if (isOpen && (isWide || !this.#evaluator.isAllowed({ ...subject, action, resource }))) return false;
    }
    for (const user of holders.users(policy)) {
      if (askers.has(user)) continue;
      if (isWide) return false;
      if (this.#reaches(user, policy, wish) && !this.#evaluator.isAllowed({ user, action, resource })) return false;
    }
    return true;
  }

  /** Grants wishes by new policies, one for all wishes of the same users, and by new roles that name them. */
  addRoles(wishes: readonly Wish[]): void {
    const byPair = Map.groupBy(wishes, ({ action, resource }) => JSON.stringify([action, resource]));
    const byUsers = Map.groupBy(byPair.values(), (same) => JSON.stringify(same.map(({ user }) => user).sort()));
    const added = new Map<string, NewNames[]>();
    for (const same of byUsers.values()) {
      const users = usersOf(same.flat());
      const names = this.#names.next(users);
      this.additions.policies.set(
        names.policy,
        same.flat().map((wish) => ({ wish })),
      );
      for (const user of users) remember(added, user, (): NewNames[] => []).push(names);
    }
    for (const [, ofUsers] of Map.groupBy(added, ([, names]) => names.map(({ policy }) => policy).join())) {
      const [[, [first, ...more]]] = ofUsers as [[string, [NewNames, ...NewNames[]]]];
      const users = ofUsers.map(([user]) => user);
      const { role } = more.length === 0 ? first : this.#names.next(users);
      this.additions.roles.set(
        role,
        [first, ...more].map(({ policy }) => policy),
      );
      for (const user of users) this.additions.bindings.push({ user, role });
    }
  }
}
