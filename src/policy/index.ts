// The policy engine: pure, no I/O, no clock, no dependency.
export { formatPath, type Path } from '../lib/reading.js';
export type { ActionCatalog, CatalogAction, CatalogNeed } from './catalog.js';
export { createEvaluator } from './create-evaluator.js';
export type { Decider, UserSubject } from './decider.js';
export type { Evaluator, PolicyFault } from './evaluator.js';
export {
  type Consideration,
  type Explanation,
  explain,
  type MatchedStatement,
  type Outcome,
  type SkippedPolicy,
} from './explain.js';
export { formatExplanation } from './format-explanation.js';
export { type LintFinding, lint } from './lint.js';
export type { LintOptions, LintRule } from './lint-options.js';
export type {
  Binding,
  Decision,
  Effect,
  EvaluationItem,
  EvaluationRequest,
  EvaluationsRequest,
  EvaluatorSubject,
  Fidelity,
  Issue,
  ManyDecisions,
  Named,
  Policy,
  PolicyState,
  Role,
  Statement,
} from './model.js';
export { type NormalPolicy, type NormalStatement, normalizePolicy, samePolicy } from './normalize.js';
export { PolicyError, validateBinding, validatePolicy, validateRole } from './validate.js';
