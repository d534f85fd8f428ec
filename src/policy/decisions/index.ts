// Decision logs: the line of a decision, its writer, and the reader of logs. Runs in any runtime.

export type * from '../decision-line/gap-line.js';
export { type AttributeValue, decisionAttributes } from './decision-attributes.js';
export { type DecisionLog, type DecisionLogOptions, decisionLog } from './decision-log.js';
export type { LineStream, LineWritable } from './line-output.js';
export type { SkipReason } from './line-reading.js';
export type { LogSummary, SkippedLines } from './log-summary.js';
export type { LoggedDecision } from './logged-decision.js';
export { type DecisionsOfLog, type ReadDecisionsOptions, readDecisions } from './read-decisions.js';
export type { LogOrigin } from './read-line.js';
