import { isObject, ownField } from '../../base/lib/values.js';

/** Anything but an own `allowed: true` is a denial. */
const isAllow = (decision: unknown): boolean => ownField(decision, 'allowed') === true;

/** Returns true only for an own `allowed: true`; throws TypeError for a value that is not a decision. */
export function readDecision(answer: unknown): boolean {
  if (!isObject(answer)) throw new TypeError('the decider returned no decision');
  return isAllow(answer);
}

/**
 * Reads a list of decisions.
 * @throws TypeError for a value without such a list, and if it has another length than the items.
 */
export function readDecisions(answer: unknown, count: number): readonly boolean[] {
  const items = ownField(answer, 'items');
  if (!Array.isArray(items) || items.length !== count)
    throw new TypeError(`the decider did not return ${count} decisions`);
  return Array.from(items, isAllow);
}
