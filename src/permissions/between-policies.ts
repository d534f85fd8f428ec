import { covers, parseShape, type Shape } from '../analysis/shape.js';
import type { Effect, Policy, Statement } from '../policy/index.js';

// Policies between an old and a new one. Access never shrinks if Allow pairs are added or Deny pairs removed, and never
// grows if it is the other way round. So a change by way of such a policy passes no state that grants more than both.

/** A pair of patterns of a statement. */
interface Atom {
  readonly effect: Effect;
  readonly action: Shape;
  readonly resource: Shape;
}

/** Above this many comparisons, pairs count only if they are written alike. */
const mostComparisons = 100_000;

/** A statement for each pair of an action and a resource. */
const split = ({ statements }: Policy): Statement[] =>
  statements.flatMap(({ effect, actions, resources }) =>
    actions.flatMap((action) =>
      resources.map((resource) => ({ effect, actions: [action], resources: [resource], description: '' })),
    ),
  );

const toAtom = ({ effect, actions: [action = ''], resources: [resource = ''] }: Statement): Atom => ({
  effect,
  action: parseShape(action, true),
  resource: parseShape(resource, false),
});

const keyOf = ({ effect, action, resource }: Atom) => JSON.stringify([effect, action.key, resource.key]);

/** The statements of pairs of `policy` that `other` covers, or those that it does not cover. */
function covered(policy: Policy, other: Policy, effect: Effect, isCovered: boolean): Statement[] {
  const mine = split(policy).filter((one) => one.effect === effect);
  const theirs = split(other).flatMap((one) => (one.effect === effect ? toAtom(one) : []));
  if (mine.length === 0) return [];
  const keys = new Set(theirs.map(keyOf));
  const compares = mine.length * theirs.length <= mostComparisons;
  return mine.filter((one) => {
    const atom = toAtom(one);
    const isIn =
      keys.has(keyOf(atom)) ||
      (compares && theirs.some((its) => covers(its.action, atom.action) && covers(its.resource, atom.resource)));
    return isIn === isCovered;
  });
}

/** Statements that are not written twice. */
const distinct = (statements: readonly Statement[]): Statement[] => [
  ...new Map(statements.map((one) => [JSON.stringify([one.effect, one.actions, one.resources]), one])).values(),
];

const of = (policy: Policy, effect: Effect) => policy.statements.filter((one) => one.effect === effect);

/** True if the policy has no statement with this effect that can match. */
export const lacks = (policy: Policy | undefined, effect: Effect): boolean =>
  policy === undefined ||
  policy.statements.every((one) => one.effect !== effect || one.actions.length === 0 || one.resources.length === 0);

/** True if `after` grants all that `before` does, wherever the two stand. */
export const grows = (before: Policy, after: Policy): boolean =>
  covered(before, after, 'Allow', false).length === 0 && covered(after, before, 'Deny', false).length === 0;

/** A policy that grants no more than either, wherever it stands. */
export const narrower = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...covered(after, before, 'Allow', true),
    ...covered(before, after, 'Allow', true),
    ...of(after, 'Deny'),
    ...covered(before, after, 'Deny', false),
  ]),
  description: after.description ?? '',
});

/** A policy that grants no less than either, wherever it stands. */
export const wider = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...of(after, 'Allow'),
    ...covered(before, after, 'Allow', false),
    ...covered(after, before, 'Deny', true),
    ...covered(before, after, 'Deny', true),
  ]),
  description: after.description ?? '',
});
