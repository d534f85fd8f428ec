export { checkConformance } from './check-conformance.js';
export type { ConformanceOptions, KnownDifference } from './conformance-options.js';
export type {
  ConformanceDifference,
  ConformanceFit,
  ConformanceReport,
  ConformanceResult,
  NotTried,
} from './conformance-report.js';
export type { DeploymentSettings } from './deployment-settings.js';
export { formatConformance } from './format-conformance.js';
export type { ConformanceClock } from './pace.js';
export { type Parity, type ParityEntry, parityOf } from './parity.js';
export type { CheckedClient } from './side.js';
