export type { Pem, TlsOptions } from '../../client/node/transport/transport-options.js';
export type * from '../../policy/decision-line/line.js';
export type { MadeDecision } from '../../policy/decision-line/made-decision.js';
export type { OnDecision } from '../../policy/decision-line/on-decision.js';
export type {
  Consideration,
  Evaluator,
  ExplainedReason,
  Explanation,
  IssuePath,
  MatchedStatement,
  Outcome,
  PolicyFault,
  SkippedPolicy,
} from '../../policy/index.js';
export type { AuthorizationType } from '../../policy/model/authorization-type.js';
export type * from '../../policy/model/model.js';
export type { Authenticate, TokenOwner } from '../../policy/model/subject.js';
export type {
  PoolBinding,
  PoolCall,
  PoolContent,
  PoolItem,
  PoolKind,
  PoolTransport,
} from '../../policy/pool/pool-items.js';
export { createReplica } from './create-replica.js';
export type { Overlay } from './overlay.js';
export type { PoolIndexes } from './policy-copy.js';
export { type PoolTransportOptions, poolTransport } from './pool-transport.js';
export type { ProposedChange } from './proposed-changes.js';
export type { ReachedOptions, Written } from './reaching.js';
export type { Replica } from './replica.js';
export { isReplicaError, ReplicaError, type ReplicaReason } from './replica-error.js';
export type { ReplicaChange, ReplicaEvents } from './replica-events.js';
export type { ReplicaFailure } from './replica-failure.js';
export type { ReplicaOptions, ReplicaTransport, TokenChecks, WhenStale } from './replica-options.js';
export type { ReplicaState, ReplicaStatus } from './status.js';
export type { ReadyOptions } from './waiting.js';
