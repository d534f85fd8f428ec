import { remember } from '../../../base/lib/remember.js';
import { bindingsOfGroups } from '../../evaluate/hiding-roles.js';
import type { Binding, Evaluator, EvaluatorSubject, GroupBinding, Policy } from '../../index.js';
import type { AnalysisOptions, AnalysisState } from '../analysis-types.js';
import { readEvaluator } from '../read-evaluator.js';
import { analysisOptions, readOptions } from '../read-input.js';
import { type HiddenQuestion, readUndecided } from './hidden.js';
import { Knowledge, type KnownParts, knownReaders, type UnknownQuestion } from './known-parts.js';
import type { Question } from './log-question.js';
import type { LogCoverage, LoggedDecisions, Undecided } from './log-types.js';
import { Possible, type UnknownParts } from './possible.js';
import { type Questions, readQuestions } from './read-questions.js';
import { compile, matches, matchesAction, Reasons, type Rule } from './reasons.js';

/** Options of `permissionUsage`. */
export type UsageOptions = Pick<AnalysisOptions, 'fidelity'> & KnownParts;

const readUsageOptions = analysisOptions(knownReaders);

/** The parts of a state that decided nothing. */
export interface UnusedParts {
  /** Statements of policies, by the index from 0. */
  readonly statements: readonly { readonly policy: string; readonly statement: number }[];
  /** Policies without a statement that decided. */
  readonly policies: readonly string[];
  /** Roles by which nothing was decided. */
  readonly roles: readonly string[];
  /** Bindings by which nothing was decided. */
  readonly bindings: readonly { readonly user: string; readonly role: string }[];
  /** Bindings of groups by which nothing was decided. Undefined if no role is bound to a group. */
  readonly groupBindings?: readonly { readonly group: string; readonly role: string }[] | undefined;
}

/** The parts of a state that decided none of the questions of a log. */
export interface PermissionUsage extends UnusedParts {
  /** The extent of the log; a part that is listed here decided nothing since its `firstSeen`. */
  readonly log: LogCoverage;
  /** The lines that name a question without the decision. What may have decided such a question is not listed. */
  readonly undecided: Undecided;
}

/**
 * Finds the statements, policies, roles and bindings that decided none of the questions of a log, as the state decides
 * them. A statement decides if it is one of those that allow a question, or one that denies it explicitly. The less a
 * log covers, the less this says about what is not needed: see `log`. Nothing is listed that may have decided a
 * question of which the log hides a part or the decision (see `undecided`; all of it, if a line cannot be read), or,
 * with `users` and `unread`, one that is not known. Pass what `readDecisions` returns, not its items: those lack the
 * lines without a decision.
 * @param log the decisions, from `readDecisions`
 * @param state the state to decide by
 * @throws AnalysisError (code `ANALYSIS`) for input that is not valid; PolicyError (code `POLICY`) for a state that
 *   does not validate; the log's own error while it is read.
 * @example
 * ```ts
 * import { permissionUsage } from 'arango-services/analysis';
 *
 * const { roles, log } = await permissionUsage([], { roles: { viewer: { policies: [] } } });
 * console.log(roles, log.days); // [ 'viewer' ] 0
 * ```
 */
export async function permissionUsage(
  log: LoggedDecisions,
  state: AnalysisState,
  options: UsageOptions = {},
): Promise<PermissionUsage> {
  const { users, groups, unread, ...rest } = readOptions(options, readUsageOptions);
  return usageOfQuestions(await readQuestions(log), readEvaluator(state, rest), { users, groups, unread });
}

/** Finds the parts of a state that decided none of the questions of a log that was read already. */
export function usageOfQuestions(all: Questions, evaluator: Evaluator, parts: KnownParts): PermissionUsage {
  const knowledge = new Knowledge(evaluator, parts);
  const { known, unknown } = knowledge.divide(all);
  const { coverage, questions, hidden, undecided } = known;
  return {
    log: coverage,
    ...findUnused(new Reasons(evaluator), { questions, unknown, unread: parts.unread, hidden, knowledge }),
    undecided: readUndecided(undecided),
  };
}

/** The parts that decided a question, or may have. */
interface UsedParts {
  readonly policies: Map<string, Set<number>>;
  readonly roles: Set<string>;
  readonly bindings: Set<Binding | GroupBinding>;
}

/** The questions of a log, with what is not known about them. */
interface AskedParts extends UnknownParts {
  readonly questions: readonly Question[];
  readonly unknown?: readonly UnknownQuestion[] | undefined;
  readonly hidden?: readonly HiddenQuestion[] | undefined;
}

/** Adds the parts that may have decided questions of which the log hides a part. */
function addHidden(reasons: Reasons, { hidden = [], ...parts }: AskedParts, used: UsedParts): void {
  if (hidden.length === 0) return;
  const possible = new Possible(reasons, parts);
  for (const question of hidden) {
    for (const { role, bindings, rules } of possible.of(question)) {
      used.roles.add(role);
      for (const binding of bindings) used.bindings.add(binding);
      for (const { policy = '', statement } of rules)
        remember(used.policies, policy, () => new Set<number>()).add(statement);
    }
  }
}

/** Adds the parts that may have decided questions, as far as it depends on what is not known. */
function addPossible(
  evaluator: Evaluator,
  { questions, unknown = [], unread = {} }: AskedParts,
  used: UsedParts,
): void {
  const hidden = { policies: new Set(unread.policies), roles: new Set(unread.roles) };
  if (unknown.length + hidden.policies.size + hidden.roles.size === 0) return;
  const isHiddenIn = (name: string): boolean =>
    hidden.roles.has(name) || evaluator.role(name)?.policies.some((policy) => hidden.policies.has(policy)) === true;
  // Another statement may have decided a question, too.
  const readParts = ({ user, roles = [] }: EvaluatorSubject, isWanted: (role: string) => boolean): boolean => {
    const own = user === undefined ? [] : evaluator.bindings(user);
    const bindings = [...own, ...bindingsOfGroups(evaluator, roles)].filter(({ role }) => isWanted(role));
    const wanted = [...bindings.map(({ role }) => role), ...roles.filter(isWanted)];
    for (const binding of bindings) used.bindings.add(binding);
    for (const role of wanted) used.roles.add(role);
    return wanted.some((role) => hidden.roles.has(role));
  };
  const isOpen = new Map<EvaluatorSubject, boolean>();
  const possible = questions.filter(({ subject }) => remember(isOpen, subject, () => readParts(subject, isHiddenIn)));
  for (const { subject } of unknown) readParts(subject, () => true);
  // The scope of a binding may deny, so any role may have decided.
  if (unknown.some(({ hasBindings }) => !hasBindings)) for (const name of evaluator.roles()) used.roles.add(name);
  addMatching(evaluator, [...possible, ...unknown], used);
}

/** Adds the statements that match questions. */
function addMatching(evaluator: Evaluator, questions: readonly Question[], used: UsedParts): void {
  const resources = new Map<string, Set<string>>();
  for (const { action, resource } of questions) remember(resources, action, () => new Set<string>()).add(resource);
  const isPossible = (rule: Rule): boolean =>
    [...resources].some(
      ([action, of]) => matchesAction(rule, action) && [...of].some((resource) => matches(rule, action, resource)),
    );
  for (const name of evaluator.policies()) {
    for (const rule of compile(evaluator.policy(name) as Policy, name)) {
      if (isPossible(rule)) remember(used.policies, name, () => new Set<number>()).add(rule.statement);
    }
  }
}

/** Finds the parts that decided no question, and cannot have decided one whose answer is not known. */
export function findUnused(reasons: Reasons, parts: AskedParts): UnusedParts {
  const { evaluator } = reasons;
  const used: UsedParts = { policies: new Map(), roles: new Set(), bindings: new Set() };
  addPossible(evaluator, parts, used);
  addHidden(reasons, parts, used);
  for (const { subject, action, resource } of parts.questions) {
    for (const { role, binding, ofGroup, rules } of reasons.ruling(subject, action, resource).by) {
      used.roles.add(role);
      for (const bound of [binding, ofGroup]) if (bound) used.bindings.add(bound);
      for (const { policy, statement } of rules) {
        if (policy === undefined) continue;
        remember(used.policies, policy, () => new Set<number>()).add(statement);
      }
    }
  }
  const bindings = new Set([...used.bindings].map(textOf));
  const groupBindings = evaluator.groupBindings();
  return {
    statements: evaluator.policies().flatMap((policy) => {
      const statements = evaluator.policy(policy)?.statements ?? [];
      return [...statements.keys()].flatMap((statement) =>
        used.policies.get(policy)?.has(statement) ? [] : { policy, statement },
      );
    }),
    policies: evaluator.policies().filter((name) => !used.policies.has(name)),
    roles: evaluator.roles().filter((name) => !used.roles.has(name)),
    bindings: evaluator
      .bindings()
      .filter((binding) => !bindings.has(textOf(binding)))
      .map(({ user, role }) => ({ user, role })),
    ...(groupBindings.length > 0 && {
      groupBindings: groupBindings
        .filter((binding) => !bindings.has(textOf(binding)))
        .map(({ group, role }) => ({ group, role })),
    }),
  };
}

const textOf = ({ role, scope, ...owner }: Binding | GroupBinding): string => JSON.stringify([owner, role, scope]);
