import type { Policy, Role } from '../../policy/index.js';
import type { Change, Stage, Step } from '../model/change.js';
import { grows, lacks, narrower, wider } from './between-policies.js';

// Access grows with each Allow that is added and each Deny that is removed, in a policy, a scope or the policies of a
// role; it shrinks with the opposite changes. So each change is split, with an intermediate content, into a part that
// only shrinks access and a part that only grows it. Revoke-first makes all shrinking parts, then all growing parts:
// each intermediate state grants a subset of what the start grants, or of what the end grants, in any order inside a
// stage. Grant-first does the opposite: each intermediate state grants at least what the start grants, or at least what
// the end grants.

/** The order in which access is revoked and granted. */
export type PlanOrder = 'revoke-first' | 'grant-first';

/** Stages, with the indexes of those after which access differs most from the start and the end. */
export interface Ordered {
  readonly stages: readonly Stage[];
  /** Indexes of the stages after which the state has to be checked. */
  readonly checks: readonly number[];
}

/** Returns the contents of a policy at the start and at the end. */
export type FindPolicy = (name: string) => readonly (Policy | null)[];
/** For each affected role of a state, the names of its policies. */
export type RoleLists = ReadonlyMap<string, readonly string[]>;

const nothing: Policy = { statements: [] };
const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** The contents that a change passes through: one for each write. */
interface Way {
  readonly first: readonly Step[];
  readonly second: readonly Step[];
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).size === new Set(b).size && a.every((name) => b.includes(name));

/** The intermediate content of a role; undefined if there is none. */
function roleBetween(before: Role, after: Role, find: FindPolicy, isRevoke: boolean): Role | undefined {
  const classOf = (name: string): 'allow' | 'deny' | 'mixed' | 'none' => {
    const versions = find(name);
    const [noAllow, noDeny] = (['Allow', 'Deny'] as const).map((effect) =>
      versions.every((one) => lacks(one ?? undefined, effect)),
    );
    return noAllow ? (noDeny ? 'none' : 'deny') : noDeny ? 'allow' : 'mixed';
  };
  const both = after.policies.filter((name) => before.policies.includes(name));
  const removed = before.policies.filter((name) => !both.includes(name)).map((name) => [name, classOf(name)] as const);
  const added = after.policies.filter((name) => !both.includes(name)).map((name) => [name, classOf(name)] as const);
  const isMixed = [...removed, ...added].some(([, kind]) => kind === 'mixed');
  // An Allow and a Deny of one policy cannot be added or removed separately.
  if (isMixed) return undefined;
  const extra = isRevoke ? 'deny' : 'allow';
  const isFirst =
    removed.some(([, kind]) => kind !== extra && kind !== 'none') || added.some(([, kind]) => kind === extra);
  const names = [
    ...removed.filter(([, kind]) => kind === extra || (kind === 'none' && !isFirst)),
    ...added.filter(([, kind]) => kind === extra || (kind === 'none' && isFirst)),
  ].map(([name]) => name);
  const policies = [...both, ...names].sort();
  const between = isRevoke ? narrower : wider;
  const [had, has] = [before.scope ?? everything, after.scope ?? everything];
  const scope = before.scope || after.scope ? between(had, has) : null;
  return { policies, scope, description: after.description };
}

/** Splits a change of a policy or a scope. */
function cutPolicy(change: Change, at: number, isRevoke: boolean): Way {
  // The casts: the content of a policy or a binding is a policy.
  const [before, after] = [(change.before ?? nothing) as Policy, (change.after ?? nothing) as Policy];
  const whole: Step = { change: at, content: change.after };
  // A scope without an Allow grants nothing, whatever it denies. A role differs: its Deny also restricts other
  // policies.
  const isScope = change.kind === 'binding';
  const isGrowth = grows(before, after) || (isScope && lacks(before, 'Allow'));
  const isLoss = grows(after, before) || (isScope && lacks(after, 'Allow'));
  if (isRevoke ? isGrowth : isLoss) return { first: [], second: [whole] };
  if (isRevoke ? isLoss : isGrowth) return { first: [whole], second: [] };
  const content = (isRevoke ? narrower : wider)(before, after);
  return { first: [{ change: at, content }], second: [whole] };
}

/** Splits a change of a binding: creating one only grants, and removing one only revokes. */
function cutBinding(change: Change, at: number, isRevoke: boolean): Way {
  if (change.action === 'update') return cutPolicy(change, at, isRevoke);
  const whole = [{ change: at, content: change.after }];
  return (change.action === 'delete') === isRevoke ? { first: whole, second: [] } : { first: [], second: whole };
}

/** Splits a change of a role; `alone` if it can only be made in one step. */
function cutRole(change: Change, at: number, find: FindPolicy, isRevoke: boolean): Way & { readonly alone?: Step } {
  const whole: Step = { change: at, content: change.after };
  // The casts: the content of a role is a role.
  const [before, after] = [change.before as Role | null, change.after as Role | null];
  if (!before || !after)
    return (after === null) === isRevoke ? { first: [whole], second: [] } : { first: [], second: [whole] };
  const content = roleBetween(before, after, find, isRevoke);
  if (content === undefined) return { first: [], second: [], alone: whole };
  const [had, has, scope] = [before, after, content].map((role) => role.scope ?? everything) as [
    Policy,
    Policy,
    Policy,
  ];
  const isAt = (policies: readonly string[], its: Policy) =>
    sameNames(content.policies, policies) && grows(its, scope) && grows(scope, its);
  if (isAt(before.policies, had)) return { first: [], second: [whole] };
  if (isAt(after.policies, has)) return { first: [whole], second: [] };
  return { first: [{ change: at, content }], second: [whole] };
}

/** Splits changes into stages; each change comes with its index in the plan. */
export function orderStages(
  changes: readonly (readonly [at: number, Change])[],
  order: PlanOrder,
  find: FindPolicy,
  lists: { readonly before: RoleLists; readonly after: RoleLists },
): Ordered {
  // A single call has no intermediate states.
  const [only] = changes;
  if (only && changes.length === 1) return { stages: [[{ change: only[0], content: only[1].after }]], checks: [] };
  const isRevoke = order === 'revoke-first';
  const of = (kind: Change['kind']) => changes.filter(([, change]) => change.kind === kind);
  const bindings = of('binding').map(([at, change]) => cutBinding(change, at, isRevoke));
  const middle = new Map(lists.before);
  const roles = of('role').map(([at, change]) => {
    const way = cutRole(change, at, find, isRevoke);
    const [next = isRevoke ? way.alone : undefined] = way.first;
    // The cast: the content of a role is a role.
    if (next) middle.set(change.name ?? '', (next.content as Role | null)?.policies ?? []);
    return way;
  });
  const names = (all: RoleLists) => new Set([...all.values()].flat());
  const [named, namedMiddle, namedAfter] = [names(lists.before), names(middle), names(lists.after)];
  const early: Step[] = [];
  const policies = of('policy').map(([at, change]): Way => {
    const whole = [{ change: at, content: change.after }];
    const name = change.name ?? '';
    // A policy has no effect until a role names it, so it can be written in one step before those roles.
    if (!named.has(name) && isRevoke && namedMiddle.has(name)) {
      early.push(...whole);
      return { first: [], second: [] };
    }
    if (!named.has(name) && !isRevoke) return { first: whole, second: [] };
    if (isRevoke && !namedMiddle.has(name)) return { first: [], second: whole };
    if (!isRevoke && !namedAfter.has(name)) return { first: [], second: whole };
    return cutPolicy(change, at, isRevoke);
  });
  const pick = (ways: readonly Way[], part: 'first' | 'second') => ways.flatMap((way) => way[part]);
  const alone = roles.flatMap((way) => (way.alone ? [[way.alone]] : []));
  const [shrink, grow] = isRevoke ? (['first', 'second'] as const) : (['second', 'first'] as const);
  const down = [early, pick(bindings, shrink), pick(roles, shrink), pick(policies, shrink)];
  const up = [pick(policies, grow), pick(roles, grow), pick(bindings, grow)];
  const [firsts, seconds] = isRevoke ? [down, up] : [up, down];
  const isFull = (stage: Stage) => stage.length > 0;
  const [before, after] = [firsts.filter(isFull), seconds.filter(isFull)];
  const stages = [...before, ...alone, ...after];
  // All changes only shrink, or only grow access, so each intermediate state lies between the start and the end.
  if (alone.length === 0 && (before.length === 0 || after.length === 0)) return { stages, checks: [] };
  return { stages, checks: Array.from({ length: alone.length + 1 }, (_, i) => before.length + i - 1) };
}
