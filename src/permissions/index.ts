// Permissions as code: files, plans and their calls. Runs in any runtime; the caller reads the files.
// Types of `arango-services/analysis` that these name are exported here, because this subpath is stable.
export type {
  AccessException,
  AccessPair,
  AccessRegion,
  AnalysisOptions,
  Comparison,
  EvaluatorSource,
  GrantedRegion,
  Grantee,
  OwnPattern,
  PatternPair,
  Reason,
  Region,
  RegionPair,
  RegionPattern,
  Witness,
} from '../policy/analysis/analysis-types.js';
export type { PartialComparison } from '../policy/analysis/compare-partly.js';
export type { Unread } from '../policy/analysis/log/known-parts.js';
export type { WhoCanOptions } from '../policy/analysis/who-can.js';
export type { ScopeRequest } from '../policy/model/scope-forms.js';
export type { AnswerBasis, KnownBindings } from './access/answer-basis.js';
export { answerWhoCan, type Holder, type ScopedGrantee, type WhoCanAnswer } from './access/answer-who-can.js';
export {
  type AccessQuestion,
  type ExplainedAccess,
  explainAccess,
  formatExplainedAccess,
} from './access/explain-access.js';
export { type FormatWhoCanOptions, formatWhoCan } from './access/format-who-can.js';
export type { ScopedReason } from './access/scoped-reasons.js';
export { apply } from './apply/apply.js';
export { ApplyError, isApplyError } from './apply/apply-error.js';
export type { Applied, ApplyOptions, ApplyProgress } from './apply/apply-options.js';
export type { ApplyRecord, RecordEntry } from './apply/apply-record.js';
export { type Adopted, adoptPermissions } from './files/adopt.js';
export type { Permissions } from './files/collect-files.js';
export { findStaleResources } from './files/compare-resources.js';
export { type Exported, type ExportOptions, exportPermissions } from './files/export-permissions.js';
export type { ReadFile } from './files/read-file.js';
export { type ReadPermissionsOptions, readPermissions } from './files/read-permissions.js';
export { formatResourcePlan } from './folder/format-resource-plan.js';
export {
  type PlanResourcesOptions,
  planResources,
  type ResourceChange,
  type ResourcePlan,
} from './folder/plan-resources.js';
export { type WrittenResources, writeResources } from './folder/write-resources.js';
export type {
  FileBinding,
  FileGroupBinding,
  FileLimit,
  FileManage,
  FileManagedBindings,
  FileRole,
  FileScope,
  PermissionsFile,
  ScopeContent,
} from './format/file-schema.js';
export { type Hold, holdsAt } from './holds/hold.js';
export type { HoldsFile } from './holds/hold-schema.js';
export { readHolds } from './holds/read-holds.js';
export { type FileFinding, formatFindings, type LintPermissionsOptions, lintPermissions } from './lint-permissions.js';
export type { Caller } from './model/applying-caller.js';
export type { KnownOwners } from './model/known-owners.js';
export type { OperatorChanges } from './model/operator-items.js';
export {
  type FilePlace,
  isPermissionsError,
  PermissionsError,
  type PermissionsIssue,
} from './model/permissions-error.js';
export type { Indexes, Manage, OperatorItems, PermissionKind, PermissionsState } from './model/permissions-state.js';
export type {
  BindingItem,
  BindingItemOwner,
  ItemContent,
  ItemName,
  PlanChange,
  PlanStage,
  PlanStep,
} from './model/plan-change.js';
export type { AnswerOptions } from './model/read-argument.js';
export type { CustomResourceKind, Reference, ResourceSpecs } from './model/resource-kinds.js';
export type { Omitted } from './model/writable.js';
export type { Meanwhile, MeanwhileRegion } from './plan/effects.js';
export type { KeptItem } from './plan/find-changes.js';
export { formatPlan, type PlanFormat } from './plan/format-plan.js';
export type { MissingPermission, OwnAccess } from './plan/own-access.js';
export { type Plan, type PlanOptions, plan } from './plan/plan.js';
export type { PlanOrder } from './plan/stages.js';
export { readCaller } from './read-caller.js';
export type { VersionClient, VersionRoute } from './read-fidelity.js';
export { type PermissionsClient, type ReadStateOptions, type ReadStateProgress, readState } from './read-state.js';
export {
  type ExportedResources,
  exportCustomResources,
  type RenamedPolicy,
  type ResourceOptions,
} from './resources/export-resources.js';
export type { CustomResource } from './resources/read-resources.js';
export { formatCoverage } from './tests/format-coverage.js';
export { formatTests } from './tests/format-tests.js';
export type { PermissionTests } from './tests/parse-tests.js';
export { readTests } from './tests/read-tests.js';
export { runTests, type TestOptions, type TestReport, type TestResult } from './tests/run-tests.js';
export type { Coverage, CoveredItem, TestedState } from './tests/test-coverage.js';
export type { TestsFileExpectation, TestsFileNobody } from './tests/test-schema.js';
export type { UnknownName } from './tests/unknown-names.js';
