// The OpenID AuthZEN Authorization API 1.0: a PDP in front of a decider, and a client of any PDP.

export type { AccessEvaluation, Entity, EntityAction } from '../../policy/authzen-protocol/entities.js';
export type {
  MappingOptions,
  PolicyQuestion,
  ToEvaluation,
  ToQuestion,
} from '../../policy/authzen-protocol/mapping.js';
export type { AccessSearch, CandidateSource, Candidates } from '../../policy/authzen-protocol/search.js';
export { createPdp, type Pdp, type PdpDecider, type PdpOptions } from './create-pdp.js';
export { type NodeRequest, type NodeResponse, toNodeListener } from './node-listener.js';
export { createPdpClient, type PdpClient, type PdpClientOptions } from './pdp-client.js';
