// A transport for a deployment with several addresses. Runs in any runtime.
export type { FailoverAddress } from './addresses.js';
export { type FailoverOptions, failover } from './failover.js';
