import { ownFields } from '../evaluate/evaluation-request.js';
import type { Evaluator } from '../evaluate/evaluator.js';
import { bindingsOfGroups, hidingRoles } from '../evaluate/hiding-roles.js';
import { evaluationRules } from '../model/fidelity.js';
import type { Decision, EvaluatorQuestion, Policy, Statement } from '../model/model.js';
import { Pattern } from '../model/pattern.js';

/** A statement that matched, and where it stands. */
export interface MatchedStatement {
  /** The policy's name; undefined for a statement of the scope. */
  readonly policy: string | undefined;
  /** The index of the statement in `statements`. */
  readonly index: number;
  readonly statement: Statement;
}

/** A policy of a role that was skipped, because it does not exist or cannot be parsed (sidecar fidelity). */
export interface SkippedPolicy {
  /** The name of the policy. */
  readonly policy: string;
  /** The reason. */
  readonly why: 'missing' | 'unparsable';
}

/**
 * The outcome of one binding, or of one role in the request; if it did not allow, the first reason that applies, in
 * this order. `missing-role`, `no-scope`: there is nothing to evaluate. `scope-denied`: an explicit Deny in the scope.
 * `outside-scope`: nothing in the scope matches. `denied`: an explicit Deny in the role's policies. `not-allowed`:
 * nothing in the role's policies matches. `other-scope`: it allows, but the scope of the user's other binding to this
 * role does not, and the services use one of the two at random (sidecar fidelity). `hidden`: a role of the user has the
 * name of the group's binding, `group:role`, in whose place it counts (sidecar fidelity).
 */
export type Outcome =
  | 'allowed'
  | 'missing-role'
  | 'no-scope'
  | 'scope-denied'
  | 'outside-scope'
  | 'denied'
  | 'not-allowed'
  | 'other-scope'
  | 'hidden';

/** One binding, or role of the request, that was evaluated. */
export interface Consideration {
  /** A binding of the user or of a group, or a role from the request's `roles`. */
  readonly via: 'binding' | 'group' | 'request';
  /** The group that the role is bound to; undefined unless `via` is `group`. */
  readonly group?: string | undefined;
  readonly role: string;
  /**
   * The scope of the binding or, for a role in the request, of the role. A role in the request without a scope applies
   * everywhere.
   */
  readonly scope: Policy | undefined;
  readonly outcome: Outcome;
  /** The statement of the role that decided: a Deny if one matched, else an Allow; undefined if none matched. */
  readonly statement: MatchedStatement | undefined;
  /** The statement of the scope that decided: a Deny if one matched, else an Allow; undefined if none matched. */
  readonly scopeStatement: MatchedStatement | undefined;
  /** The skipped policies of the role, with the reasons. */
  readonly skipped: readonly SkippedPolicy[];
}

/** The reason of a decision, in one or two words. */
export type ExplainedReason =
  | 'superuser'
  | 'allowed'
  | 'explicit-deny'
  | 'nothing-allows'
  | 'no-binding'
  | 'no-subject'
  | 'empty-user'
  | 'empty-action';

/** A decision with its reasons. */
export interface Explanation {
  /** The question. */
  readonly request: EvaluatorQuestion;
  /** The decision of `evaluate`. */
  readonly decision: Decision;
  /** The reason in one or two words. */
  readonly reason: ExplainedReason;
  /**
   * True if a Deny matched: in a scope, or in a role's policies inside its scope. Access may still be allowed by
   * another alternative.
   */
  readonly explicit: boolean;
  /** The alternative that allowed; undefined if none did. */
  readonly by: Consideration | undefined;
  /** All alternatives in order: the user's bindings, then each role of the request, with its bindings as a group. */
  readonly considered: readonly Consideration[];
}

type Sources = readonly (readonly [policy: string | undefined, Policy])[];

function firstMatch(sources: Sources, effect: string, action: string, resource: string): MatchedStatement | undefined {
  // An empty action matches nothing, not even "*".
  if (action === '') return undefined;
  const any = (patterns: readonly string[], text: string) =>
    patterns.some((pattern) => new Pattern(pattern).matches(text));
  for (const [policy, { statements }] of sources) {
    for (const [index, statement] of statements.entries()) {
      if (statement.effect !== effect || !any(statement.actions, action) || !any(statement.resources, resource))
        continue;
      return { policy, index, statement };
    }
  }
  return undefined;
}

/** A request as the evaluator reads it: only own fields of the right type. */
interface CheckedRequest {
  readonly user: string | undefined;
  readonly roles: readonly string[] | undefined;
  /** Empty if action or resource is not text, because then nothing matches. */
  readonly action: string;
  readonly resource: string;
}

/** Reads the relevant fields of a request. */
export function readCheckedRequest(request: EvaluatorQuestion): CheckedRequest {
  const { user, roles, action, resource } = ownFields(request);
  const item = typeof action === 'string' && typeof resource === 'string' ? { action, resource } : undefined;
  return {
    user: typeof user === 'string' ? user : undefined,
    roles: Array.isArray(roles) ? roles : undefined,
    ...(item ?? { action: '', resource: '' }),
  };
}

function consider(
  evaluator: Evaluator,
  { action, resource }: CheckedRequest,
  { role: roleName, ...head }: Pick<Consideration, 'via' | 'group' | 'role' | 'scope'>,
  unparsable: ReadonlySet<string>,
): Consideration {
  const { via, scope } = head;
  const role = evaluator.role(roleName);
  const sources: [string, Policy][] = [];
  const skipped: SkippedPolicy[] = [];
  for (const name of new Set(role?.policies)) {
    const policy = evaluator.policy(name);
    if (policy === undefined) skipped.push({ policy: name, why: 'missing' });
    else if (unparsable.has(name)) skipped.push({ policy: name, why: 'unparsable' });
    else sources.push([name, policy]);
  }
  const scopes: Sources = scope === undefined ? [] : [[undefined, scope]];
  const find = (where: Sources, effect: string) => firstMatch(where, effect, action, resource);
  const [deny, allow] = [find(sources, 'Deny'), find(sources, 'Allow')];
  const [scopeDeny, scopeAllow] = [find(scopes, 'Deny'), find(scopes, 'Allow')];
  const outcome = (): Outcome => {
    if (role === undefined) return 'missing-role';
    if (scope === undefined && via !== 'request') return 'no-scope';
    if (scopeDeny !== undefined) return 'scope-denied';
    if (scope !== undefined && scopeAllow === undefined) return 'outside-scope';
    if (deny !== undefined) return 'denied';
    return allow === undefined ? 'not-allowed' : 'allowed';
  };
  return {
    ...head,
    role: roleName,
    outcome: outcome(),
    statement: deny ?? allow,
    scopeStatement: scopeDeny ?? scopeAllow,
    skipped,
  };
}

/** If a user has several bindings to one role, one that allows has no effect unless all do. */
function holdBack(considered: Consideration[]): void {
  const refusing = new Set(considered.flatMap(({ role, outcome }) => (outcome === 'allowed' ? [] : role)));
  for (const [i, consideration] of considered.entries()) {
    if (consideration.outcome === 'allowed' && refusing.has(consideration.role))
      considered[i] = { ...consideration, outcome: 'other-scope' };
  }
}

function reasonOf({ user, roles, action }: CheckedRequest, considered: readonly unknown[], explicit: boolean) {
  if (user === undefined && roles === undefined) return 'no-subject';
  if (user === '' && considered.length === 0) return 'empty-user';
  if (action === '') return 'empty-action';
  if (considered.length === 0) return 'no-binding';
  return explicit ? 'explicit-deny' : 'nothing-allows';
}

/** The roles that a request names, and the bindings of its groups. */
function considerNames(evaluator: Evaluator, question: CheckedRequest): Consideration[] {
  const { user, roles = [] } = question;
  const { rolesCount } = evaluationRules[evaluator.fidelity];
  // The groups of an empty user count only at the observed services.
  if (rolesCount && user === '') return [];
  const hiding = roles.length > 0 ? hidingRoles(evaluator, user) : [];
  return [...new Set(roles)].flatMap((name) => {
    const bound = bindingsOfGroups(evaluator, [name]);
    const unparsable = new Set(
      bound.length > 0 ? evaluator.faults(undefined, [name]).flatMap(({ policy }) => policy ?? []) : [],
    );
    const role = evaluator.role(name);
    const considered: Consideration[] = [];
    if (rolesCount && (role || bound.length === 0)) {
      const scope = role?.scope ?? undefined;
      considered.push(consider(evaluator, question, { via: 'request', role: name, scope }, new Set()));
    }
    for (const { group, role, scope } of bound) {
      const head = { via: 'group', group, role, scope: scope ?? undefined } as const;
      const consideration = consider(evaluator, question, head, unparsable);
      considered.push(hiding.includes(`${group}:${role}`) ? { ...consideration, outcome: 'hidden' } : consideration);
    }
    return considered;
  });
}

/**
 * Explains a decision: the statement, policy, role and scope that allowed, or for each binding of the user and
 * the groups the reason why it did not allow. Evaluates everything again without caches, so it is much slower than
 * `evaluate`.
 * @example
 * ```ts
 * import { createEvaluator, explain } from 'arango-services/policy';
 *
 * const question = { user: 'alice', action: 'orders:read', resource: 'order:7' };
 * const { reason, considered } = explain(createEvaluator(), question);
 * console.log(reason, considered.length); // no-binding 0
 * ```
 */
export function explain(evaluator: Evaluator, request: EvaluatorQuestion): Explanation {
  const decision = evaluator.evaluate(request);
  const question = readCheckedRequest(request);
  const { user } = question;
  if (decision.message === 'Superuser Allowed') {
    return { request, decision, reason: 'superuser', explicit: false, by: undefined, considered: [] };
  }
  const considered: Consideration[] = [];
  if (user !== undefined && user !== '') {
    const unparsable = new Set(evaluator.faults(user).flatMap(({ policy }) => policy ?? []));
    for (const { role, scope } of evaluator.bindings(user)) {
      considered.push(consider(evaluator, question, { via: 'binding', role, scope: scope ?? undefined }, unparsable));
    }
    if (evaluationRules[evaluator.fidelity].bindingsByName) holdBack(considered);
  }
  considered.push(...considerNames(evaluator, question));
  const by = considered.find(({ outcome }) => outcome === 'allowed');
  const explicit = considered.some(({ outcome }) => outcome === 'denied' || outcome === 'scope-denied');
  const reason = by === undefined ? reasonOf(question, considered, explicit) : 'allowed';
  return { request, decision, reason, explicit, by, considered };
}
