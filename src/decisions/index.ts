// Decision logs: the line of a decision, and the reader of logs. Runs in any runtime.
export type { Effect } from '../policy/index.js';
export type { ByteSource } from '../stream/chunks.js';
export type {
  DecisionLine,
  DecisionReason,
  DecisionRevision,
  DecisionStatement,
  DecisionSubject,
  GapLine,
  ShadowDecision,
} from './line.js';
export {
  type DecisionsOfLog,
  type LoggedDecision,
  type ReadDecisionsOptions,
  readDecisions,
} from './read-decisions.js';
export type { LogOrigin } from './read-line.js';
export type { SkipReason } from './reading.js';
export type { LogSummary, SkippedLines } from './summary.js';
