import { oneOf, type ReadersOf } from '../../../base/lib/readers.js';
import { remember } from '../../../base/lib/remember.js';
import { hidingRoles } from '../../evaluate/hiding-roles.js';
import type { Evaluator, GroupBinding, Policy, Statement } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import { overlaps } from '../../model/overlap.js';
import { parseSegments } from '../../model/pattern.js';
import { refuse } from '../analysis-error.js';
import type { AnalysisOptions, AnalysisState } from '../analysis-types.js';
import { readEvaluator } from '../read-evaluator.js';
import { analysisOptions, readOptions } from '../read-input.js';
import { chooseCover } from './cover.js';
import { type HiddenQuestion, readUndecided } from './hidden.js';
import { join, type KeptParts, keepHidden } from './keep-hidden.js';
import { Knowledge, type KnownParts } from './known-parts.js';
import type { Question } from './log-question.js';
import type { LogCoverage, LoggedDecisions, LoggedQuestion, Undecided } from './log-types.js';
import { type Grants, type NarrowedStatement, narrowed } from './narrow.js';
import { type Questions, readQuestions, toLogged } from './read-questions.js';
import { Reasons, type Rule } from './reasons.js';

/** Options of `leastPrivilege`. */
export interface LeastPrivilegeOptions extends Pick<AnalysisOptions, 'fidelity'> {
  /**
   * The patterns that are kept as they were granted, instead of the actions and resources of the log: those of
   * `resources`, or whole `statements`. Default: none.
   */
  readonly generalise?: 'resources' | 'statements' | undefined;
  /**
   * The bindings that are kept for a question that several allow. `group`: those of the subject's groups, so that a
   * user's own binding stays only for what no group allows; refused if the log names no groups. Default `user`: all.
   */
  readonly by?: 'user' | 'group' | undefined;
}

/** The options of `leastPrivilege` for questions that were read. */
type LeastOptions = Pick<LeastPrivilegeOptions, 'generalise' | 'by'>;

const readers = analysisOptions({
  generalise: oneOf('resources', 'statements'),
  by: oneOf('user', 'group'),
} satisfies ReadersOf<LeastOptions>);

/** The least permissions for the decisions of a log. */
export interface LeastPrivilege {
  /** The extent of the log: nothing is known about other days and users. */
  readonly log: LogCoverage;
  /** The state that remains. `compare` and all other functions take it. */
  readonly state: Evaluator;
  /** Logged Allows that the given state denies; they are not granted. */
  readonly notGranted: readonly LoggedQuestion[];
  /**
   * The lines that name a question without the decision. The question may have been allowed, so the statements that
   * allow it stay: narrowed to the question, or whole if the log hides its action or resource.
   */
  readonly undecided: Undecided;
}

/** Names a statement; a policy's name may hold any character. */
const keyOf = (policy: string, statement: number): string => `${statement} ${policy}`;
const isAllow = ({ effect }: Statement): boolean => effect === 'Allow';

/** The statements that allow each question; a question without any is the superuser's. */
function findGrants(reasons: Reasons, questions: readonly Question[]): ReadonlyMap<Question, readonly Rule[]> {
  const entries = questions.map(({ subject, action, resource }, i) => {
    const { by } = reasons.ruling(subject, action, resource);
    return [questions[i] as Question, by.flatMap(({ rules }) => rules)] as const;
  });
  return new Map(entries.filter(([, rules]) => rules.length > 0));
}

const cover = (grants: ReadonlyMap<Question, readonly Rule[]>): ReadonlySet<string> =>
  chooseCover(
    [...grants.values()].map((rules) => new Set(rules.map((rule) => keyOf(rule.policy ?? '', rule.statement)))),
  );

/** Narrows the chosen statements, each to the questions that it is chosen for. */
function narrowAll(
  evaluator: Evaluator,
  grants: ReadonlyMap<Question, readonly Rule[]>,
  generalise: LeastPrivilegeOptions['generalise'],
): Grants {
  const chosen = cover(grants);
  const questions = new Map<string, Map<number, Question[]>>();
  for (const [question, rules] of grants) {
    const rule = rules.find(({ policy = '', statement }) => chosen.has(keyOf(policy, statement)));
    if (rule?.policy === undefined) continue;
    const ofPolicy = remember(questions, rule.policy, () => new Map<number, Question[]>());
    remember(ofPolicy, rule.statement, (): Question[] => []).push(question);
  }
  return new Map(
    [...questions].map(([policy, ofPolicy]) => {
      const statements = evaluator.policy(policy)?.statements ?? [];
      const statementsAsked = [...ofPolicy].sort(([a], [b]) => a - b);
      return [policy, statementsAsked.flatMap(([i, pairs]) => narrowed(statements[i] as Statement, pairs, generalise))];
    }),
  );
}

const meet = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((pattern) => b.some((other) => overlaps(parseSegments(pattern), parseSegments(other))));

/**
 * Builds the reduced policies: the granted statements, and each Deny that may take something away from a statement that
 * is granted to a role with the policy of the Deny. A policy that keeps no statement is left out.
 */
function policiesOf(evaluator: Evaluator, grants: Grants): ReadonlyMap<string, Policy> {
  const { refusesFaults } = evaluationRules[evaluator.fidelity];
  /** For each policy, what is granted through any role that has the policy. */
  const beside = new Map<string, Set<NarrowedStatement>>();
  for (const name of evaluator.roles()) {
    const { policies = [] } = evaluator.role(name) ?? {};
    const allowed = policies.flatMap((policy) => grants.get(policy) ?? []);
    for (const policy of policies) {
      const ofPolicy = remember(beside, policy, () => new Set<NarrowedStatement>());
      for (const grant of allowed) ofPolicy.add(grant);
    }
  }
  const policies = new Map<string, Policy>();
  for (const name of evaluator.policies()) {
    const { statements, ...rest } = evaluator.policy(name) as Policy;
    // Patterns that cannot be parsed overlap with anything.
    const takes = ({ actions, resources }: Statement) =>
      [...(beside.get(name) ?? [])].some(
        (statement) => !refusesFaults || (meet(statement.actions, actions) && meet(statement.resources, resources)),
      );
    const denying = statements.filter((statement) => !isAllow(statement) && takes(statement));
    const allowing = (grants.get(name) ?? []).map(({ actions, resources }): Statement => {
      return { effect: 'Allow', actions, resources };
    });
    const statementsLeft = [...denying, ...allowing];
    if (statementsLeft.length > 0) policies.set(name, { ...rest, statements: statementsLeft });
  }
  return policies;
}

const keyOfGroup = ({ group, role }: GroupBinding): string => JSON.stringify([group, role]);

/** Reduces a copy of a state to policies, and to the roles and bindings by which they allow the questions. */
function reduce(
  evaluator: Evaluator,
  policies: ReadonlyMap<string, Policy>,
  questions: readonly Question[],
  { byGroup, ...parts }: KeptParts & { readonly byGroup: boolean },
) {
  const state = evaluator.clone();
  for (const name of evaluator.policies()) {
    const policy = policies.get(name);
    if (policy) state.setPolicy(name, policy);
    else state.deletePolicy(name);
  }
  const reasons = new Reasons(state, byGroup);
  const roles = new Set(parts.roles);
  const { bindingsByName } = evaluationRules[evaluator.fidelity];
  const keyOfBinding = (user: string, role: string) => (bindingsByName ? role : JSON.stringify([user, role]));
  const bound = new Set(
    parts.bindings.flatMap((binding) => ('user' in binding ? keyOfBinding(binding.user, binding.role) : [])),
  );
  const ofGroups = new Set(parts.bindings.flatMap((binding) => ('group' in binding ? keyOfGroup(binding) : [])));
  for (const { subject, action, resource } of questions) {
    for (const { role, binding, ofGroup } of reasons.ruling(subject, action, resource).by) {
      roles.add(role);
      if (binding) bound.add(keyOfBinding(binding.user, role));
      if (ofGroup) ofGroups.add(keyOfGroup(ofGroup));
    }
  }
  const names = new Set<string>();
  for (const binding of evaluator.groupBindings()) {
    if (ofGroups.has(keyOfGroup(binding))) names.add(`${binding.group}:${binding.role}`);
    else state.deleteGroupBinding(binding.group, binding.role);
  }
  // A binding that hides one of a group stays: without it the user would get the access of the group.
  for (const user of bindingsByName ? evaluator.users() : []) {
    for (const role of hidingRoles(evaluator, user)) {
      if (!names.has(role)) continue;
      roles.add(role);
      bound.add(keyOfBinding(user, role));
    }
  }
  for (const { user, role } of evaluator.bindings()) {
    if (!bound.has(keyOfBinding(user, role))) state.deleteBinding(user, role);
  }
  for (const name of evaluator.roles()) {
    const role = evaluator.role(name);
    if (!role || !roles.has(name)) state.deleteRole(name);
    else state.setRole(name, { ...role, policies: role.policies.filter((policy) => policies.has(policy)) });
  }
  return state;
}

/**
 * Finds the least permissions that still allow each logged Allow: statements that were granted, narrowed to the actions
 * and resources of the log, with the roles and bindings that they need. Nothing is granted that was not granted before,
 * and without any of the statements that allow, a logged Allow would be denied. A question that may have been allowed
 * keeps all that may allow it, and `undecided` names its lines: pass the log itself, not its items, which lack those of
 * the platform. A Deny stays if it may take something
 * from what remains. The state knows the days and users of the log only: see `log`. Users whose bindings the given
 * state lacks may have the same roles, and would lose what the log does not need.
 * @param log the decisions, from `readDecisions`
 * @param state the state that is reduced; it does not change
 * @param options see {@link LeastPrivilegeOptions}
 * @throws AnalysisError (code `ANALYSIS`) for input that is not valid; PolicyError (code `POLICY`) for a state that
 *   does not validate; the log's own error while it is read.
 * @example
 * ```ts
 * import { compare, leastPrivilege } from 'arango-services/analysis';
 *
 * const before = { roles: { viewer: { policies: [] } } };
 * const { state, log } = await leastPrivilege([], before);
 * console.log(state.roles(), compare(before, state).gained, log.days); // [] [] 0
 * ```
 */
export async function leastPrivilege(
  log: LoggedDecisions,
  state: AnalysisState,
  options: LeastPrivilegeOptions = {},
): Promise<LeastPrivilege> {
  const { fidelity, ...rest } = readOptions(options, readers);
  const evaluator = readEvaluator(state, { fidelity });
  return leastForQuestions(await readQuestions(log), evaluator, rest);
}

const none: KeptParts = { grants: new Map(), roles: new Set(), bindings: [] };

/** Finds the least permissions for the questions of a log. A hidden user may have bindings that the state lacks. */
export function leastForQuestions(
  { questions, coverage, hidden, undecided }: Questions,
  evaluator: Evaluator,
  { generalise, by }: LeastOptions,
  parts: KnownParts = {},
): LeastPrivilege {
  const byGroup = by === 'group';
  const hasGroups = ({ roles }: Question['subject'] | HiddenQuestion) => roles?.some((name) => name !== '') === true;
  if (byGroup && !questions.some(({ subject }) => hasGroups(subject)) && !hidden.some(hasGroups)) {
    refuse('by', 'the log names no groups');
  }
  const isAllowed = ({ subject, action, resource }: Question) => evaluator.isAllowed({ ...subject, action, resource });
  const needed = questions.filter(
    (question) => (question.allowed.count > 0 || question.unclear !== undefined) && isAllowed(question),
  );

  const wide = narrowAll(evaluator, findGrants(new Reasons(evaluator, byGroup), needed), generalise);
  const policies = policiesOf(evaluator, wide);
  // Narrowed statements may overlap where users share a policy.
  const narrow = reduce(evaluator, policies, needed, { ...none, byGroup });
  const chosen = cover(findGrants(new Reasons(narrow, byGroup), needed));
  const least = [...policies].map(([name, { statements }]): [string, NarrowedStatement[]] => [
    name,
    statements.filter((statement, i) => isAllow(statement) && chosen.has(keyOf(name, i))),
  ]);
  const hiddenParts =
    hidden.length > 0
      ? keepHidden(evaluator, hidden, generalise, { knowledge: new Knowledge(evaluator, parts) })
      : none;
  const grants = hidden.length > 0 ? join(new Map(least), hiddenParts.grants) : new Map(least);
  return {
    log: coverage,
    state: reduce(evaluator, policiesOf(evaluator, grants), needed, { ...hiddenParts, byGroup }),
    notGranted: questions
      .filter((question) => question.allowed.count > 0 && !isAllowed(question))
      .map((question) => toLogged(question, question.allowed)),
    undecided: readUndecided(undecided),
  };
}
