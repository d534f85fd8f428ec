// The entry `arango-services/policy`: the policy engine, pure, no I/O, no clock, no dependency. Types that the main
// entry names are exported there alone, so `index.ts` has them for the other rooms only.
export { formatPath, type IssuePath } from '../base/lib/text/paths.js';
export { createEvaluator } from './evaluate/create-evaluator.js';
export type { Evaluator, PolicyFault } from './evaluate/evaluator.js';
export type { EvaluatorOptions } from './evaluate/state-options.js';
export {
  type Consideration,
  type Explanation,
  explain,
  type MatchedStatement,
  type Outcome,
  type SkippedPolicy,
} from './explain/explain.js';
export { formatExplanation } from './explain/format-explanation.js';
export type { ActionCatalog, CatalogAction, CatalogNeed } from './lint/action-catalog.js';
export { type LintFinding, lint } from './lint/lint.js';
export type { LintOptions, LintRule } from './lint/lint-options.js';
export type { AuthorizationType } from './model/authorization-type.js';
export type {
  Binding,
  EvaluatorBatch,
  EvaluatorQuestion,
  EvaluatorSubject,
  Fidelity,
  GroupBinding,
  Issue,
  Named,
  PolicyState,
} from './model/model.js';
export { type NormalPolicy, type NormalStatement, normalizePolicy, samePolicy } from './model/normalize.js';
export { isPolicyError, PolicyError, validateBinding, validatePolicy, validateRole } from './model/validate.js';
export type {
  PoolBinding,
  PoolCall,
  PoolContent,
  PoolItem,
  PoolKind,
  PoolTransport,
} from './pool/pool-items.js';
