export type { Client } from '../../client/client.js';
export type { PlatformVersion } from '../../mock/platform-version.js';
export type { Fidelity } from '../../policy/index.js';
export type { AuthorizationType } from '../../policy/model/authorization-type.js';
export type {
  PoolBinding,
  PoolCall,
  PoolContent,
  PoolItem,
  PoolKind,
  PoolTransport,
} from '../../policy/pool/pool-items.js';
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
