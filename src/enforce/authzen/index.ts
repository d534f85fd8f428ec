// The OpenID AuthZEN Authorization API 1.0: a PDP in front of a decider, and a client of any PDP.

export type { AnalysisState, EvaluatorSource } from '../../policy/analysis/analysis-types.js';
export type { AccessEvaluation, Entity, EntityAction } from '../../policy/authzen-protocol/entities.js';
export type {
  MappingOptions,
  PolicyQuestion,
  ToEvaluation,
  ToQuestion,
} from '../../policy/authzen-protocol/mapping.js';
export type { AccessSearch, CandidateSource, Candidates } from '../../policy/authzen-protocol/search.js';
export type * from '../../policy/decision-line/line.js';
export type { MadeDecision } from '../../policy/decision-line/made-decision.js';
export type { OnDecision } from '../../policy/decision-line/on-decision.js';
export type { ExplainedReason } from '../../policy/explain/explain.js';
export type { Decider, Evaluator, IssuePath, PolicyFault, UserSubject } from '../../policy/index.js';
export type * from '../../policy/model/model.js';
export { createPdp, type Pdp, type PdpDecider, type PdpOptions } from './create-pdp.js';
export { type NodeRequest, type NodeResponse, toNodeListener } from './node-listener.js';
export { createPdpClient, type PdpClient, type PdpClientOptions } from './pdp-client.js';
