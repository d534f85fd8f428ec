// A transport for a deployment with several addresses. Runs in any runtime.
export type { Clock } from '../connection/credentials-contract.js';
export type {
  Transport,
  TransportBody,
  TransportHeaders,
  TransportRequest,
  TransportResponse,
} from '../connection/transport.js';
export type { FailoverAddress } from './addresses.js';
export { type FailoverOptions, failover } from './failover.js';
