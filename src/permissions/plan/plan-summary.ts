import { counted } from '../../base/lib/counted.js';
import type { AccessRegion } from '../../policy/analysis/analysis-types.js';
import type { Plan } from './plan.js';

/** Counts users, groups or roles of regions; many regions share one list. */
const subjects = (regions: readonly AccessRegion[], kind: 'users' | 'groups' | 'roles'): number =>
  new Set([...new Set(regions.map((region) => region[kind] ?? []))].flat()).size;

/** Counts the users that lose and gain access, or the groups and roles if only subjects that name them are affected. */
function accessOf({ lost, gained }: Plan['access']): string[] {
  const [losing, gaining] = [subjects(lost, 'users'), subjects(gained, 'users')];
  const verb = (count: number, singular: string, plural: string) => (count === 1 ? singular : plural);
  if (losing > 0 && gaining > 0) {
    const lose = `${counted(losing, 'user')} ${verb(losing, 'loses', 'lose')} access`;
    return [`${lose}, ${gaining} ${verb(gaining, 'gains', 'gain')}`];
  }
  if (losing > 0) return [`${counted(losing, 'user')} ${verb(losing, 'loses', 'lose')} access`];
  if (gaining > 0) return [`${counted(gaining, 'user')} ${verb(gaining, 'gains', 'gain')} access`];
  const named = (['group', 'role'] as const).flatMap((kind) => {
    const count = subjects([...lost, ...gained], `${kind}s`);
    return count > 0 ? [counted(count, kind)] : [];
  });
  return named.length > 0 ? [`access changes for requests that name ${named.join(' or ')}`] : [];
}

/** The changed access in words, or `no access changes`. */
function accessOrNone(access: Plan['access']): string[] {
  const notCompared = access.notCompared?.length ?? 0;
  const who = accessOf(access);
  const none = notCompared > 0 ? [] : ['no access changes'];
  const unknown = notCompared > 0 ? [`that of ${counted(notCompared, 'user')} was not compared`] : [];
  return [...(who.length > 0 ? who : none), ...unknown];
}

/** Counts the users and groups with bindings that no file owns. */
function orphansOf({ orphaned }: Plan): string[] {
  return (['user', 'group'] as const).flatMap((kind) => {
    const { size } = new Set(orphaned.flatMap((item) => item[kind] ?? []));
    return size > 0 ? [counted(size, `orphaned ${kind}`)] : [];
  });
}

/**
 * Summarizes a plan in one sentence.
 * @param unchanged the summary of a plan without changes.
 */
export function summaryOf(plan: Plan, unchanged: string): string {
  const orphans = orphansOf(plan).join(', ');
  const { changes, access, operator, holds } = plan;
  const held = holds.length > 0 && counted(holds.length, 'hold');
  const left = [held, orphans]
    .filter(Boolean)
    .map((part) => `${part}; `)
    .join('');
  if (changes.length === 0) {
    const { length } = operator.changes;
    const resources = length > 0 && `${counted(length, 'change')} of custom resources to make with kubectl`;
    if (resources) return `${left}${[resources, ...accessOrNone(operator.access)].join('; ')}.`;
    return left ? `${left}nothing to change.` : unchanged;
  }
  const count = (action: Plan['changes'][number]['action']) =>
    changes.filter((change) => change.action === action).length;
  const counts = [
    [count('create'), 'to create'],
    [count('update'), 'to change'],
    [count('delete'), 'to delete'],
  ] as const;
  const items = counts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : []));
  return `${left}${[items.join(', '), ...accessOrNone(access)].join('; ')}.`;
}
