import type { DecisionReason } from '../decision-line/line.js';

/** The reasons of decisions. */
export const decisionReasons = [
  'superuser',
  'allowed',
  'explicit-deny',
  'nothing-allows',
  'no-binding',
  'no-subject',
  'empty-user',
  'empty-action',
  'failed',
] as const satisfies readonly DecisionReason[];
