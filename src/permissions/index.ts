// Permissions as code: files, plans and their calls. Runs in any runtime; the caller reads the files.
export type {
  AccessRegion,
  AnalysisOptions,
  Comparison,
  EvaluatorSource,
  GrantedRegion,
  Grantee,
  PatternPair,
  Reason,
  Region,
  RegionPair,
  RegionPattern,
  WhoCanOptions,
  Witness,
} from '../analysis/index.js';
export type {
  ActionCatalog,
  Binding,
  CatalogAction,
  CatalogNeed,
  Consideration,
  Decision,
  Effect,
  EvaluationItem,
  EvaluationRequest,
  EvaluationsRequest,
  Evaluator,
  EvaluatorSubject,
  Explanation,
  Fidelity,
  Issue,
  LintOptions,
  LintRule,
  ManyDecisions,
  MatchedStatement,
  Outcome,
  Path,
  Policy,
  PolicyFault,
  Role,
  SkippedPolicy,
  Statement,
} from '../policy/index.js';
export {
  type AccessHolders,
  type AccessQuestion,
  type ExplainedAccess,
  explainAccess,
  findHolders,
  formatExplainedAccess,
  formatHolders,
  type KnownBindings,
} from './access.js';
export { type Adopted, adoptPermissions } from './adopt.js';
export { type Applied, type ApplyOptions, type ApplyProgress, apply } from './apply.js';
export { ApplyError } from './apply-error.js';
export type { Change, Content, ItemName, Stage, Step } from './change.js';
export type { Kept } from './changes.js';
export { findStaleResources } from './compare-resources.js';
export type { Meanwhile } from './effects.js';
export { PermissionsError, type PermissionsIssue, type Place } from './error.js';
export { type Exported, type ExportOptions, exportPermissions } from './export.js';
export {
  type ExportedResources,
  exportCustomResources,
  type RenamedPolicy,
  type ResourceOptions,
} from './export-resources.js';
export type { FileBinding, FileManage, FileRole, FileScope, PermissionsFile } from './file-schema.js';
export type { ReadFile } from './files.js';
export { formatPlan } from './format-plan.js';
export { type FileFinding, formatFindings, type LintPermissionsOptions, lintPermissions } from './lint.js';
export type { Indexes, Manage, OperatorItems, PermissionKind, PermissionsState } from './model.js';
export type { OperatorChanges } from './operated.js';
export { type Plan, type PlanOptions, plan } from './plan.js';
export { type Permissions, type ReadPermissionsOptions, readPermissions } from './read-permissions.js';
export type { CustomResource } from './read-resources.js';
export { type PermissionsClient, type ReadStateOptions, readState } from './read-state.js';
export type { CustomResourceKind, Reference, ResourceSpecs } from './resource-kinds.js';
export type { PlanOrder } from './stages.js';
export type { Coverage, CoveredItem, TestedState } from './tests/coverage.js';
export { formatCoverage } from './tests/format-coverage.js';
export { formatTests } from './tests/format-tests.js';
export { type PermissionTests, readTests } from './tests/read-tests.js';
export { runTests, type TestOptions, type TestReport, type TestResult } from './tests/run-tests.js';
export type { TestsFileExpectation, TestsFileNobody } from './tests/test-schema.js';
export type { Omitted } from './writable.js';
