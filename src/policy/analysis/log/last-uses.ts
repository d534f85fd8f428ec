import { remember } from '../../../base/lib/remember.js';
import type { Binding, Evaluator, GroupBinding } from '../../index.js';
import type { Question } from './log-question.js';
import { Reasons } from './reasons.js';
import { Tally } from './tally.js';

/**
 * Finds the time of the last question of a log that each binding allows, as the state decides, and that was allowed. A
 * binding without such a question is not in the map, whose keys are `keyOf(binding)`.
 */
export function lastUses(
  questions: readonly Question[],
  evaluator: Evaluator,
  keyOf: (binding: Binding | GroupBinding) => string,
): ReadonlyMap<string, string> {
  const reasons = new Reasons(evaluator);
  const tallies = new Map<string, Tally>();
  for (const { subject, action, resource, allowed } of questions) {
    if (allowed.count === 0) continue;
    const ruling = reasons.ruling(subject, action, resource);
    for (const { binding, ofGroup } of ruling.allowed ? ruling.by : []) {
      const used = binding ?? ofGroup;
      if (used === undefined) continue;
      remember(tallies, keyOf(used), () => new Tally()).merge(allowed);
    }
  }
  return new Map([...tallies].map(([key, { lastSeen = '' }]) => [key, lastSeen]));
}
