// Answers computed from the policies: pure, without I/O, clock or dependencies.
export { AnalysisError, isAnalysisError } from './analysis-error.js';
export type { Allowance, AnalysisState, MissingAccess, Requirement } from './analysis-types.js';
export { catalog } from './catalog/catalog.js';
export { type CatalogDefinition, type CatalogDocument, defineCatalog } from './catalog/define-catalog.js';
export type { RoleSets } from './catalog/role-sets.js';
export { scopeOf } from './catalog/scope-of.js';
export { type ActionPattern, type StatementOptions, statement } from './catalog/statement.js';
export { type CompareOptions, compare } from './compare.js';
export { formatComparison } from './format-comparison.js';
export { formatAccess, formatPattern } from './format-regions.js';
export { grants, regionContains } from './grants.js';
export type { AddedStatement, ChangedItem, GrantingChange } from './log/granting-change.js';
export type { KnownParts } from './log/known-parts.js';
export { type LeastPrivilege, type LeastPrivilegeOptions, leastPrivilege } from './log/least-privilege.js';
export type * from './log/log-types.js';
export {
  type NotGranted,
  type Rehearsal,
  type RehearsedDenials,
  type RehearseOptions,
  rehearse,
} from './log/rehearse.js';
export { type Replay, type ReplayOptions, replay } from './log/replay.js';
export type { ReplayChange, ReplayErrors, ReplayGroup } from './log/replay-changes.js';
export { type PermissionUsage, permissionUsage, type UnusedParts, type UsageOptions } from './log/usage.js';
export type { NotGrantedReason } from './log/wishes.js';
export { type ExcessOptions, excessAccess, missingAccess } from './requirements.js';
export { type ResourceFilter, type ResourceRegion, resourceFilter } from './resource-filter.js';
export { type AqlCondition, type AqlOptions, toAql } from './to-aql.js';
export { whoCan } from './who-can.js';
