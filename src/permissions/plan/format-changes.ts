import { printable } from '../../base/lib/text/printable.js';
import { formatList } from '../../policy/analysis/format-regions.js';
import type { Policy, Role } from '../../policy/index.js';
import { describeScope } from '../../policy/model/scope-forms.js';
import { describeItem, type ItemContent, type ItemName, type PlanChange } from '../model/plan-change.js';

/** Begin the line of a change. */
export const signs = { create: '+', update: '~', delete: '-' } as const;

/** Longer output is grouped. */
const [mostItems, mostLines] = [20, 30];
/** The number of changed lines shown for each group. */
const mostShared = 6;

/** The content as lines that can be compared one by one. */
function linesOf(content: ItemContent, isScope: boolean): string[] {
  if (content === null) return [];
  const of = (policy: Policy, place: string) =>
    policy.statements.map(({ effect, actions, resources, description }) => {
      const pair = `${[...actions].sort().join(', ')} on ${[...resources].sort().join(', ')}`;
      return `${place}${effect} ${pair}${description ? ` (${JSON.stringify(description)})` : ''}`;
    });
  const ofScope = (scope: Policy, place: string) => {
    const words = describeScope(scope);
    return words === undefined ? of(scope, place) : [`scope: ${words}`];
  };
  const text = content.description ? [`description ${JSON.stringify(content.description)}`] : [];
  if ('statements' in content) return [...text, ...(isScope ? ofScope : of)(content, '')];
  const { policies, scope } = content satisfies Role;
  const narrowed = scope ? ofScope(scope, 'scope: ') : [];
  return [...text, ...policies.map((name) => `policy ${JSON.stringify(name)}`), ...narrowed];
}

function differenceOf({ kind, before, after }: PlanChange): string[] {
  const setOf = (content: ItemContent) => new Set(linesOf(content, kind === 'binding'));
  const [old, now] = [setOf(before), setOf(after)];
  const gone = [...old].filter((line) => !now.has(line)).map((line) => `    - ${line}`);
  const come = [...now].filter((line) => !old.has(line)).map((line) => `    + ${line}`);
  return [...gone, ...come];
}

/** A change with its lines. */
export const formatChange = (change: PlanChange): string[] =>
  [`${signs[change.action]} ${describeItem(change)}: ${change.reason}`, ...differenceOf(change)].map(printable);

const plurals = { policy: 'policies', role: 'roles', binding: 'bindings' } as const;

function describeItems(items: readonly ItemName[]): string {
  const [first] = items as [ItemName];
  if (items.length === 1) return describeItem(first);
  const roles = new Set(items.map(({ role }) => role));
  const names = (all: readonly (string | undefined)[]) => formatList(all.map((name) => JSON.stringify(name)));
  if (first.kind !== 'binding')
    return `${items.length} ${plurals[first.kind]} (${names(items.map(({ name }) => name))})`;
  const to = roles.size === 1 ? `to role ${names([...roles])}` : `to ${roles.size} roles`;
  const owners = (['user', 'group'] as const).flatMap((kind) => {
    const ownerNames = [...new Set(items.flatMap((item) => item[kind] ?? []))];
    return ownerNames.length === 0 ? [] : `${kind}${ownerNames.length === 1 ? '' : 's'} ${names(ownerNames)}`;
  });
  return `${items.length} bindings ${to} (of ${owners.join(' and of ')})`;
}

/** Groups by the first key that leaves no more groups than are shown, or by the last one. */
function groupBy<T>(items: readonly T[], keys: readonly ((item: T) => readonly unknown[])[]): T[][] {
  let groups: T[][] = [];
  for (const key of keys) {
    groups = [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()];
    if (groups.length <= mostItems) break;
  }
  return groups;
}

const moreOf = (count: number): string => `and ${count} more: see the details (--details)`;

/** The reason of a group of items, with its verb in the plural for several. */
const reasonOf = (items: readonly { readonly reason: string }[]): string => {
  const reason = items[0]?.reason ?? '';
  return items.length === 1 ? reason : reason.replace(/^is /, 'are ').replace(/^differs/, 'differ');
};

/** Formats groups of equal changes: a head for each and, as far as there is room, the difference that all share. */
function formatGroups(groups: readonly PlanChange[][]): string[] {
  const parts = groups.map((group) => {
    const [first, ...others] = group as [PlanChange, ...PlanChange[]];
    const shared = differenceOf(first);
    const isSame = others.every((other) => differenceOf(other).join() === shared.join());
    return { head: `${signs[first.action]} ${describeItems(group)}: ${reasonOf(group)}`, shared: isSame ? shared : [] };
  });
  // Each group may use an equal part of the lines that the heads leave.
  const room = Math.max(0, Math.floor((mostLines - parts.length) / Math.max(1, parts.length)));
  const most = Math.min(mostShared, room);
  return parts.flatMap(({ head, shared }) => {
    if (shared.length <= most) return [head, ...shared];
    const part = shared.slice(0, Math.max(0, most - 1));
    return [head, ...part, ...(most > 0 ? [`    ${moreOf(shared.length - part.length)}`] : [])];
  });
}

/** Formats a few changes one by one, and many in groups of equal changes. */
export function formatChanges(changes: readonly PlanChange[]): string[] {
  const all = changes.slice(0, mostItems + 1).flatMap(formatChange);
  if (changes.length <= mostItems && all.length <= mostLines) return all;
  const kindOf = ({ kind, action, reason, role }: PlanChange) => [kind, action, reason, role];
  const groups = groupBy(changes, [
    (change) => [...kindOf(change), differenceOf(change)],
    kindOf,
    ({ kind, action, reason }) => [kind, action, reason],
  ]);
  const firstGroups = groups.slice(0, mostItems);
  const rest = groups.slice(firstGroups.length).flat().length;
  return [...formatGroups(firstGroups), ...(rest > 0 ? [moreOf(rest)] : [])].map(printable);
}

/** Formats items with their reasons; items with the same reason share a line. */
export function formatReasons(items: readonly (ItemName & { readonly reason: string })[]): string[] {
  if (items.length <= mostItems) return items.map((item) => `${describeItem(item)}: ${item.reason}`);
  const groups = groupBy(items, [
    ({ kind, reason, role }) => [kind, reason, role],
    ({ kind, reason }) => [kind, reason],
  ]);
  return groups.map((group) => `${describeItems(group)}: ${reasonOf(group)}`);
}
