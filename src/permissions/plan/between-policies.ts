import { covers, parseShape, type Shape } from '../../analysis/shape.js';
import type { Effect, Policy, Statement } from '../../policy/index.js';

// Policies between an old and a new one. Adding Allow pairs or removing Deny pairs never shrinks access; the opposite
// never grows it. So a change that goes through such a policy reaches no state that grants more than both.

/** A pair of patterns, and the statement that has only this pair. */
interface Atom {
  readonly statement: Statement;
  readonly action: Shape;
  readonly resource: Shape;
}

/** Above this many comparisons, pairs are compared as text only. */
const mostComparisons = 100_000;

const of = (policy: Policy, effect: Effect) => policy.statements.filter((one) => one.effect === effect);

/** The pairs of an action and a resource of the statements with an effect. */
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

/** The statements of pairs of `policy` that `other` covers, or those that it does not cover. */
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

/** Statements without duplicates. */
const distinct = (statements: readonly Statement[]): Statement[] => [
  ...new Map(statements.map((one) => [JSON.stringify([one.effect, one.actions, one.resources]), one])).values(),
];

/** True if the policy has no statement with this effect that can match. */
export const lacks = (policy: Policy | undefined, effect: Effect): boolean =>
  policy === undefined ||
  policy.statements.every((one) => one.effect !== effect || one.actions.length === 0 || one.resources.length === 0);

/** True if `after` grants all that `before` does, whatever policies are beside them. */
export const grows = (before: Policy, after: Policy): boolean =>
  covered(before, after, 'Allow', false).length === 0 && covered(after, before, 'Deny', false).length === 0;

/** A policy that grants no more than either, whatever policies are beside it. */
export const narrower = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...covered(after, before, 'Allow', true),
    ...covered(before, after, 'Allow', true),
    ...of(after, 'Deny'),
    ...covered(before, after, 'Deny', false),
  ]),
  description: after.description ?? '',
});

/** A policy that grants no less than either, whatever policies are beside it. */
export const wider = (before: Policy, after: Policy): Policy => ({
  statements: distinct([
    ...of(after, 'Allow'),
    ...covered(before, after, 'Allow', false),
    ...covered(after, before, 'Deny', true),
    ...covered(before, after, 'Deny', true),
  ]),
  description: after.description ?? '',
});
