// The policy engine as the other rooms import it.
export type { ExplainedReason } from './explain/explain.js';
export type { Decider } from './model/decider.js';
export type * from './model/model.js';
export * from './public.js';
