// The OpenID AuthZEN Authorization API 1.0: a PDP in front of a decider, and a client of any PDP.

export type { AnalysisState, EvaluatorSource } from '../analysis/types.js';
export type { AccessEvaluation, Entity, EntityAction } from '../authzen-protocol/entities.js';
export type { MappingOptions, PolicyQuestion, ToEvaluation, ToQuestion } from '../authzen-protocol/mapping.js';
export type { AccessSearch, CandidateSource, Candidates } from '../authzen-protocol/search.js';
export type * from '../decision-line/line.js';
export type { MadeDecision } from '../decision-line/made-decision.js';
export type { OnDecision } from '../decision-line/on-decision.js';
export type { ExplainedReason } from '../policy/explain/explain.js';
export type {
  Binding,
  Decider,
  Decision,
  Effect,
  EvaluationItem,
  EvaluationRequest,
  EvaluationsRequest,
  Evaluator,
  EvaluatorSubject,
  Fidelity,
  Issue,
  ManyDecisions,
  Named,
  Path,
  Policy,
  PolicyFault,
  PolicyState,
  Role,
  Statement,
  UserSubject,
} from '../policy/index.js';
export { createPdp, type Pdp, type PdpDecider, type PdpOptions } from './create-pdp.js';
export { type NodeRequest, type NodeResponse, toNodeListener } from './node-listener.js';
export { createPdpClient, type PdpClient, type PdpClientOptions } from './pdp-client.js';
