import { outcomeWords, reasonWords } from '../../policy/explain/format-explanation.js';
import {
  type Consideration,
  type Evaluator,
  type EvaluatorQuestion,
  type EvaluatorSubject,
  explain,
  formatExplanation,
  type MatchedStatement,
  type Statement,
} from '../../policy/index.js';
import { Pattern } from '../../policy/model/pattern.js';
import type { BindingNode, ExplanationTree, PatternNode, PolicyNode, StatementNode } from '../api.js';
import { nearestMiss } from './nearest-miss.js';

const quote = JSON.stringify;

interface BindingPair {
  readonly action: string;
  readonly resource: string;
}

/** Why a statement matches or does not, in words. */
function wordsFor(
  { effect, actions, resources }: Statement,
  question: BindingPair,
  action?: string,
  resource?: string,
): string {
  if (action !== undefined && resource !== undefined) return `${effect} by ${quote(action)} on ${quote(resource)}`;
  if (question.action === '') return 'nothing matches an empty action';
  if (actions.length === 0 || resources.length === 0) {
    return `has no ${actions.length === 0 ? 'actions' : 'resources'} and never matches`;
  }
  const noAction = `no action matches ${quote(question.action)}`;
  const noResource = `no resource matches ${quote(question.resource)}`;
  if (action === undefined && resource === undefined) return `${noAction}, and ${noResource}`;
  return action === undefined ? noAction : noResource;
}

const patternNodes = (patterns: readonly string[], text: string, isOpen: boolean): PatternNode[] =>
  patterns.map((pattern) => ({ pattern, matches: isOpen && new Pattern(pattern).matches(text) }));

/** Compares the statements of a policy or a scope with a question. */
function statementNodes(
  statements: readonly Statement[],
  question: BindingPair,
  decisive: number | undefined,
): readonly StatementNode[] {
  // Nothing matches an empty action, not even "*".
  const isOpen = question.action !== '';
  return statements.map((statement, index) => {
    const actions = patternNodes(statement.actions, question.action, isOpen);
    const resources = patternNodes(statement.resources, question.resource, isOpen);
    const [action, resource] = [actions, resources].map((list) => list.find(({ matches }) => matches)?.pattern);
    return {
      index,
      effect: statement.effect,
      description: statement.description || null,
      actions,
      resources,
      matched: action !== undefined && resource !== undefined,
      decisive: index === decisive,
      because: wordsFor(statement, question, action, resource),
    };
  });
}

function policyNode(
  evaluator: Evaluator,
  name: string,
  { skipped, statement }: Consideration,
  question: BindingPair,
): PolicyNode {
  const why = skipped.find(({ policy }) => policy === name)?.why;
  const decisive = statement?.policy === name ? statement.index : undefined;
  const statements = evaluator.policy(name)?.statements ?? [];
  return { name, state: why ?? 'evaluated', statements: statementNodes(statements, question, decisive) };
}

const scopeIndex = (matched: MatchedStatement | undefined): number | undefined => matched?.index;

function bindingNode(
  evaluator: Evaluator,
  considered: Consideration,
  by: Consideration | undefined,
  question: BindingPair,
): BindingNode {
  const { via, group, role: name, scope, outcome, scopeStatement } = considered;
  const role = evaluator.role(name);
  return {
    via,
    ...(group !== undefined && { group }),
    role: name,
    roleExists: role !== undefined,
    outcome,
    because: outcomeWords[outcome],
    granted: considered === by,
    scope: scope ? { statements: statementNodes(scope.statements, question, scopeIndex(scopeStatement)) } : null,
    policies: [...new Set(role?.policies)].map((policy) => policyNode(evaluator, policy, considered, question)),
  };
}

/** Explains a decision as a tree: binding, role, policy, statement, pattern. */
export function explanationTree(
  evaluator: Evaluator,
  subject: EvaluatorSubject,
  question: BindingPair,
): ExplanationTree {
  const { action, resource } = question;
  const request: EvaluatorQuestion = { ...subject, action, resource };
  const explanation = explain(evaluator, request);
  const { decision, reason, explicit, by, considered } = explanation;
  const bindings = considered.map((binding) => bindingNode(evaluator, binding, by, question));
  return {
    subject,
    action,
    resource,
    effect: decision.effect,
    reason,
    because: reasonWords[reason],
    explicit,
    bindings,
    // Nothing matches an empty action.
    nearest: decision.allowed || action === '' ? null : nearestMiss(bindings),
    text: formatExplanation(explanation),
  };
}
