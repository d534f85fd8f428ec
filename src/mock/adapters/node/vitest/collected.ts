import { isObject } from '../../../../base/lib/values.js';
import type { MadeDecision } from '../../../../policy/decision-line/made-decision.js';

/** The name under which the decisions of a test file travel from its worker to the reporter, in the file's `meta`. */
export const metaName = 'arangoServicesDecisions';

/** The decisions in the `meta` of a test file. Other values are left out. */
export function readCollected(meta: unknown): readonly MadeDecision[] {
  const collected = isObject(meta) ? meta[metaName] : undefined;
  if (!Array.isArray(collected)) return [];
  // The cast: this package's setup file has put the decisions there.
  return collected.filter((decision) => isObject(decision) && isObject(decision.subject)) as unknown as MadeDecision[];
}
