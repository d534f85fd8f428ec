// The policy engine: pure, no I/O, no clock, no dependency.
export type { Decider, UserSubject } from './decider.js';
export { createEvaluator, type Evaluator, type Fault } from './evaluate.js';
export {
  type Consideration,
  type Explanation,
  explain,
  formatExplanation,
  type MatchedStatement,
  type Outcome,
  type SkippedPolicy,
} from './explain.js';
export { type LintFinding, type LintRule, lint } from './lint.js';
export type {
  Binding,
  Decision,
  Effect,
  EvaluateManyRequest,
  EvaluationItem,
  EvaluationRequest,
  Fidelity,
  Issue,
  ManyDecisions,
  Named,
  Path,
  Policy,
  PolicyState,
  Role,
  Statement,
  Subject,
} from './model.js';
export { type NormalPolicy, type NormalStatement, normalizePolicy, samePolicy } from './normalize.js';
export { formatPath, PolicyError, validateBinding, validatePolicy, validateRole } from './validate.js';
