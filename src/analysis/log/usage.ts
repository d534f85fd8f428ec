import type { Binding } from '../../policy/index.js';
import { readEvaluator } from '../model.js';
import { readAnalysisOptions, readOptions } from '../read-input.js';
import { remember } from '../space.js';
import type { AnalysisOptions, AnalysisState } from '../types.js';
import { type Question, readQuestions } from './questions.js';
import { Reasons } from './reasons.js';
import type { DecisionLog, LogCoverage } from './types.js';

/** Options of `usage`. */
export type UsageOptions = Pick<AnalysisOptions, 'fidelity'>;

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
}

/** The parts of a state that decided none of the questions of a log. */
export interface Usage extends UnusedParts {
  /** The extent of the log; a part that is listed here decided nothing since its `firstSeen`. */
  readonly log: LogCoverage;
}

/**
 * Finds the statements, policies, roles and bindings that decided none of the questions of a log, as the state decides
 * them. A statement decides if it is one of those that allow a question, or one that denies it explicitly. The less a
 * log covers, the less this says about what is not needed: see `log`.
 * @param log the decisions, from `readDecisions`
 * @param state the state to decide by
 * @throws AnalysisError (code `ANALYSIS`) for input that is not valid; PolicyError (code `POLICY`) for a state that
 *   does not validate; the log's own error while it is read.
 * @example
 * ```ts
 * import { usage } from 'arango-services/analysis';
 *
 * const { roles, log } = await usage([], { roles: { viewer: { policies: [] } } });
 * console.log(roles, log.days); // [ 'viewer' ] 0
 * ```
 */
export async function usage(log: DecisionLog, state: AnalysisState, options: UsageOptions = {}): Promise<Usage> {
  const evaluator = readEvaluator(state, readOptions(options, readAnalysisOptions));
  const { questions, coverage } = await readQuestions(log);
  return { log: coverage, ...findUnused(new Reasons(evaluator), questions) };
}

/** Finds the parts that decided none of the questions. */
export function findUnused(reasons: Reasons, questions: readonly Question[]): UnusedParts {
  const { evaluator } = reasons;
  const used = { policies: new Map<string, Set<number>>(), roles: new Set<string>(), bindings: new Set<Binding>() };
  for (const { subject, action, resource } of questions) {
    for (const { role, binding, rules } of reasons.ruling(subject, action, resource).by) {
      used.roles.add(role);
      if (binding) used.bindings.add(binding);
      for (const { policy, statement } of rules) {
        if (policy === undefined) continue;
        remember(used.policies, policy, () => new Set<number>()).add(statement);
      }
    }
  }
  const bindings = new Set([...used.bindings].map(textOf));
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
  };
}

const textOf = ({ user, role, scope }: Binding): string => JSON.stringify([user, role, scope]);
