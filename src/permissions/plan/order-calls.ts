import type { Evaluator } from '../../policy/index.js';
import type { PlanChange, PlanStage } from '../model/plan-change.js';
import { after as afterStages, type Effects, type Meanwhile } from './effects.js';
import { type Group, groupChanges } from './groups.js';
import type { OwnPermissions } from './own-access.js';
import { orderStages, type PlanOrder } from './stages.js';

/** The calls of a plan, and the access that differs from both states while they are made. */
interface OrderedCalls {
  readonly stages: readonly PlanStage[];
  readonly meanwhile: Meanwhile;
}

/** Merges lists of stages that run in parallel: the first stages together, then the second ones. */
function zip(all: readonly (readonly PlanStage[])[]): PlanStage[] {
  const count = all.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: count }, (_, i) => all.flatMap((stages) => stages[i] ?? []));
}

/**
 * Orders the calls of a plan. Each group of changes is made in the preferred order, or in the other one if only that
 * leaves access as it is at the start or the end. If the caller could not finish, its own group is made last, and then
 * granted first.
 */
export function orderCalls(
  changes: readonly PlanChange[],
  [start, end]: readonly [Evaluator, Evaluator],
  effects: Effects,
  { order, permissions }: { readonly order: PlanOrder; readonly permissions: OwnPermissions | undefined },
): OrderedCalls {
  const isOwn = permissions?.reached([start, end]) ?? (() => false);
  const ordered = (group: Group, by: PlanOrder) => {
    const { stages, checks } = orderStages(group, by, [start, end]);
    return { group, stages, differing: effects.differing(stages, checks, group) };
  };
  /** Makes the changes that take management permissions from the caller last, each in a stage of its own. */
  const losingLast = (group: Group, by: PlanOrder) => {
    const whole = ([at, { after }]: Group['changes'][number]): PlanStage => [{ change: at, content: after }];
    const isLosing = (entry: Group['changes'][number]) =>
      permissions !== undefined && permissions.lost(start, afterStages(start, changes, [whole(entry)])).length > 0;
    const losing = group.changes.filter(isLosing);
    const first = group.changes.filter((change) => !losing.includes(change));
    const middle = afterStages(start, changes, first.map(whole));
    const early = orderStages({ ...group, changes: first }, by, [start, middle]);
    const last = ['binding', 'role', 'policy'].flatMap((kind) => losing.filter(([, change]) => change.kind === kind));
    const stages = [...early.stages, ...last.map(whole)];
    return { group, stages, differing: effects.differing(stages, [...stages.keys()], group) };
  };
  const isClean = ({ differing: { users, roles } }: ReturnType<typeof ordered>) => users.size + roles.size === 0;
  const other = order === 'revoke-first' ? 'grant-first' : 'revoke-first';
  const ways = groupChanges(changes, [start, end], isOwn).map((group) => {
    const preferred = ordered(group, order);
    const second = isClean(preferred) ? preferred : ordered(group, other);
    return isClean(second) ? second : preferred;
  });
  const own = ways.filter(({ group }) => group.changes.some(([, change]) => isOwn(change)));
  const others = ways.filter((way) => !own.includes(way));
  const stagesOf = (all: typeof ways) => zip(all.map(({ stages }) => stages));
  const canFinish = (stages: readonly PlanStage[]) => !permissions?.missing(start, changes, stages).length;
  const finish = (chosen: typeof ways, stages: readonly PlanStage[]): OrderedCalls => {
    const union = (kind: 'users' | 'roles') => new Set(chosen.flatMap(({ differing }) => [...differing[kind]]));
    return { stages, meanwhile: effects.meanwhile(stages, { users: union('users'), roles: union('roles') }) };
  };
  const together = stagesOf(ways);
  if (canFinish(together)) return finish(ways, together);
  for (const late of [
    own,
    own.map(({ group }) => losingLast(group, order)),
    own.map(({ group }) => losingLast(group, 'grant-first')),
  ]) {
    const stages = [...stagesOf(others), ...stagesOf(late)];
    if (canFinish(stages)) return finish([...others, ...late], stages);
  }
  return finish(ways, together);
}
