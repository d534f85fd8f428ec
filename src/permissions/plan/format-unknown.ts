import { printable } from '../../base/lib/text/printable.js';
import { formatList } from '../../policy/analysis/format-regions.js';
import type { PermissionKind } from '../model/permissions-state.js';
import { describeItem, describeOwner, type PlanChange, takesOver } from '../model/plan-change.js';
import { shorten } from '../model/writable.js';
import type { Plan } from './plan.js';

const plurals: readonly (readonly [PermissionKind, one: string, many: string])[] = [
  ['policy', 'policy', 'policies'],
  ['role', 'role', 'roles'],
  ['binding', 'binding', 'bindings'],
];

/** Formats the number of items that the files neither define nor own. */
export function formatUnowned({ unowned, changes, prune }: Plan): string[] {
  if (unowned.length === 0) return [];
  const counts = plurals.flatMap(([kind, singular, plural]) => {
    const { length } = unowned.filter((item) => item.kind === kind);
    return length === 0 ? [] : [length === 1 ? `1 ${singular}` : `${length} ${plural}`];
  });
  const all = counts.length > 1 ? `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}` : counts.join();
  const isOne = unowned.length === 1;
  const isPruned = prune && !changes.some(({ action }) => action === 'delete');
  const note = isPruned ? '; --prune changes nothing' : '';
  return ['', `${all} ${isOne ? 'is' : 'are'} not in "manage": ${isOne ? 'it stays' : 'they stay'}${note}.`];
}

/** Names the users and groups with bindings that no file owns, a line for each. */
export function formatOrphans({ orphaned }: Plan): string[] {
  const lines = Map.groupBy(orphaned, describeOwner);
  return [...lines].map(([owner, items]) => {
    const roles = [...new Set(items.map(({ role }) => JSON.stringify(role)))];
    return `${owner}: role${roles.length === 1 ? '' : 's'} ${shorten(roles).join(', ')}`;
  });
}

/** Formats the reasons for refusing a plan that overwrites items which their file does not own, as an error message. */
export const formatTakeOver = (changes: readonly PlanChange[]): string[] => [
  'refused, because it overwrites items that "manage" of their file does not own (takeOver)',
  ...changes.filter(takesOver).map(describeItem),
];

/** Formats the roles that a plan creates or deletes although unlisted users may have bindings to them. */
export function formatUnknown({ changes, users }: Plan): string[] {
  if (users === 'all') return [];
  return (['create', 'delete'] as const).flatMap((action) => {
    const names = changes.flatMap((change) => (change.kind === 'role' && change.action === action ? change.name : []));
    if (names.length === 0) return [];
    const list = formatList(names.map((name) => JSON.stringify(name)));
    const roles = names.length === 1 ? `role ${list}` : `${names.length} roles (${list})`;
    return [printable(`Bindings of unknown users may name the ${roles} that the plan ${action}s.`)];
  });
}
