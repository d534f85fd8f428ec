import { covers, parseShape, type Shape } from '../../policy/analysis/shape.js';
import type { Effect, Policy, Statement } from '../../policy/index.js';

// Intermediate policies between the old and the new one. Adding Allow pairs or removing Deny pairs never shrinks
// access; removing Allow pairs or adding Deny pairs never grows it. So no state on the way through an intermediate
// policy grants more than the old and the new policy together.

/** One action pattern and one resource pattern, with a statement that holds only these two. */
interface Atom {
  readonly statement: Statement;
  readonly action: Shape;
  readonly resource: Shape;
}

/** Above this many comparisons, pairs are compared as text only. */
const mostComparisons = 100_000;

const of = (policy: Policy, effect: Effect) => policy.statements.filter((one) => one.effect === effect);

/** Splits the statements with an effect into single pairs of an action and a resource. */
const split = (policy: Policy, effect: Effect): Atom[] =>
  of(policy, effect).flatMap(({ actions, resources }) =>
    actions.flatMap((action) =>
      resources.map((resource) => ({
        statement: { effect, actions: [action], resources: [resource], description: '' },
        action: parseShape(action, true),
        resource: parseShape(resource, false),
      })),
    ),
  );

const keyOf = ({ action, resource }: Atom) => JSON.stringify([action.key, resource.key]);

/**
 * Returns single-pair statements of `policy`: those that `other` covers, or, if `isCovered` is false, those that it
 * does not cover.
 */
function covered(policy: Policy, other: Policy, effect: Effect, isCovered: boolean): Statement[] {
  const mine = split(policy, effect);
  if (mine.length === 0) return [];
  const theirs = split(other, effect);
  const keys = new Set(theirs.map(keyOf));
  const compares = mine.length * theirs.length <= mostComparisons;
  const isIn = (one: Atom) =>
    keys.has(keyOf(one)) ||
    (compares && theirs.some((its) => covers(its.action, one.action) && covers(its.resource, one.resource)));
  return mine.flatMap((one) => (isIn(one) === isCovered ? one.statement : []));
}

const distinct = (statements: readonly Statement[]): Statement[] => [
  ...new Map(statements.map((one) => [JSON.stringify([one.effect, one.actions, one.resources]), one])).values(),
];

/** True if the policy has no statement with this effect that can match. */
export const lacks = (policy: Policy | undefined, effect: Effect): boolean =>
  policy === undefined ||
  policy.statements.every((one) => one.effect !== effect || one.actions.length === 0 || one.resources.length === 0);

/** True if `after` grants everything that `before` grants, in combination with any other policies. */
export const grows = (before: Policy, after: Policy): boolean =>
  covered(before, after, 'Allow', false).length === 0 && covered(after, before, 'Deny', false).length === 0;

/**
 * An intermediate policy that grants no more than `before` or `after` alone, in combination with any other policies.
 */
export const narrower = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...covered(after, before, 'Allow', true),
    ...covered(before, after, 'Allow', true),
    ...of(after, 'Deny'),
    ...covered(before, after, 'Deny', false),
  ]),
  description: after.description ?? '',
});

/**
 * An intermediate policy that grants everything that `before` or `after` grants, in combination with any other
 * policies.
 */
export const wider = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...of(after, 'Allow'),
    ...covered(before, after, 'Allow', false),
    ...covered(after, before, 'Deny', true),
    ...covered(before, after, 'Deny', true),
  ]),
  description: after.description ?? '',
});
