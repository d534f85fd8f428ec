import { covers, parseShape } from '../../policy/analysis/text-shape.js';
import type { Effect, Evaluator, Policy, Role } from '../../policy/index.js';
import type { ItemContent, PlanChange } from '../model/plan-change.js';

// Access grows with each Allow pair that is added and each Deny pair that is removed, in a policy, a scope or the
// policies of a role; it shrinks with the opposite changes. So each change is split by a content in the middle into a
// part that only revokes and a part that only grants. A Deny restricts its own role only, so each role in each scope
// grants, with any of these contents, a part of what it grants at the start or at the end.

/** Above this many comparisons, pairs are compared as text only. */
const mostComparisons = 100_000;
const nothing: Policy = { statements: [] };
const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

const of = (policy: Policy, effect: Effect) => policy.statements.filter((statement) => statement.effect === effect);

/** Splits the statements with an effect into pairs of one action and one resource. */
const pairsOf = (policy: Policy, effect: Effect) =>
  of(policy, effect).flatMap(({ actions, resources }) =>
    actions.flatMap((action) =>
      resources.map((resource) => {
        const shapes = [parseShape(action, true), parseShape(resource, false)] as const;
        const statement = { effect, actions: [action], resources: [resource], description: '' };
        return { statement, shapes, key: JSON.stringify(shapes.map(({ key }) => key)) };
      }),
    ),
  );

/** The pairs of `policy` that `other` covers, or, if `isCovered` is false, those that it does not cover. */
function covered(policy: Policy, other: Policy, effect: Effect, isCovered: boolean) {
  const [mine, theirs] = [pairsOf(policy, effect), pairsOf(other, effect)];
  const keys = new Set(theirs.map(({ key }) => key));
  const isShort = mine.length * theirs.length <= mostComparisons;
  return mine.flatMap(({ statement, key, shapes: [action, resource] }) => {
    const isIn =
      keys.has(key) || (isShort && theirs.some(({ shapes: [its, on] }) => covers(its, action) && covers(on, resource)));
    return isIn === isCovered ? [statement] : [];
  });
}

/** True if the policy has no statement with this effect that can match. */
const lacks = (policy: Policy | undefined, effect: Effect): boolean =>
  policy === undefined || pairsOf(policy, effect).length === 0;

/** True if `after` grants everything that `before` grants, in combination with any other policies. */
const grows = (before: Policy, after: Policy): boolean =>
  covered(before, after, 'Allow', false).length === 0 && covered(after, before, 'Deny', false).length === 0;

/** A policy that grants no more than either of two, or at least what each of them grants: one of them if possible. */
function between(before: Policy, after: Policy, isRevoke: boolean): Policy {
  if (grows(before, after)) return isRevoke ? before : after;
  if (grows(after, before)) return isRevoke ? after : before;
  const pairs = isRevoke
    ? [
        ...[covered(after, before, 'Allow', true), covered(before, after, 'Allow', true)],
        ...[of(after, 'Deny'), covered(before, after, 'Deny', false)],
      ]
    : [
        ...[of(after, 'Allow'), covered(before, after, 'Allow', false)],
        ...[covered(after, before, 'Deny', true), covered(before, after, 'Deny', true)],
      ];
  const keyOf = ({ effect, actions, resources }: Policy['statements'][number]) =>
    JSON.stringify([effect, actions, resources]);
  const statements = [...new Map(pairs.flat().map((pair) => [keyOf(pair), pair])).values()];
  return { statements, description: after.description ?? '' };
}

/** Does the same as `between` for scopes: a scope without an Allow grants nothing, whatever it denies. */
function scopeBetween(before: Policy, after: Policy, isRevoke: boolean): Policy {
  if (lacks(before, 'Allow')) return isRevoke ? before : after;
  if (lacks(after, 'Allow')) return isRevoke ? after : before;
  return between(before, after, isRevoke);
}

const isSame = (a: Policy, b: Policy): boolean => grows(a, b) && grows(b, a);

/** Does the same as `between` for roles; undefined if an added or removed policy both allows and denies. */
function roleBetween(before: Role, after: Role, isRevoke: boolean, states: readonly Evaluator[]): Role | undefined {
  const [had, has] = [new Set(before.policies), new Set(after.policies)];
  const can = (name: string, effect: Effect) => states.some((state) => !lacks(state.policy(name), effect));
  const [come, gone] = [[...has].filter((name) => !had.has(name)), [...had].filter((name) => !has.has(name))];
  if ([...come, ...gone].some((name) => can(name, 'Allow') && can(name, 'Deny'))) return undefined;
  const [first, second] = isRevoke ? (['Deny', 'Allow'] as const) : (['Allow', 'Deny'] as const);
  const policies = new Set([
    ...[...has].filter((name) => had.has(name)),
    ...come.filter((name) => can(name, first)),
    ...gone.filter((name) => !can(name, second)),
  ]);
  const [old, now] = [before.scope ?? everything, after.scope ?? everything];
  const scope = scopeBetween(old, now, isRevoke);
  const isAt = (names: ReadonlySet<string>, its: Policy) =>
    names.size === policies.size && [...names].every((name) => policies.has(name)) && isSame(scope, its);
  if (isAt(had, old)) return before;
  if (isAt(has, now)) return after;
  return { policies: [...policies].sort(), scope: scope === everything ? null : scope, description: after.description };
}

/**
 * The content of a change after the part that revokes, with `isRevoke`, or the part that grants; its `before` or
 * `after` if one of the parts is empty. Undefined for a role that cannot be split.
 */
export function middleOf(change: PlanChange, isRevoke: boolean, states: readonly Evaluator[]): ItemContent | undefined {
  const { kind, before, after } = change;
  if (kind === 'policy') {
    // The casts: the content of a policy is a policy, that of a role a role, and that of a binding its scope.
    const [old, now] = [(before ?? nothing) as Policy, (after ?? nothing) as Policy];
    const middle = between(old, now, isRevoke);
    return middle === old ? before : middle === now ? after : middle;
  }
  if (!before || !after) return isRevoke ? null : (before ?? after);
  return kind === 'role'
    ? roleBetween(before as Role, after as Role, isRevoke, states)
    : scopeBetween(before as Policy, after as Policy, isRevoke);
}
