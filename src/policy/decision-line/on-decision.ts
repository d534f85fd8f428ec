import { quietly } from '../../base/lib/quietly.js';
import { hasMethod } from '../../base/lib/values.js';
import type { MadeDecision } from './made-decision.js';

/** Takes each decision as it is made, such as `record` of a decision log. What it throws is ignored. */
export type OnDecision = (decision: MadeDecision) => void;

/** Notifies a hook of a decision; its failures, rejections included, stay here. */
export function notify(hook: OnDecision, decision: MadeDecision): void {
  try {
    const returned: unknown = hook(decision);
    if (hasMethod(returned, 'then')) void quietly(() => returned);
  } catch {
    // The decision stands without the hook.
  }
}

/** Starts a clock that returns the microseconds since then. */
export function startClock(): () => number {
  const start = performance.now();
  return () => Math.max(0, Math.round((performance.now() - start) * 10_000) / 10);
}
