import type { AccessException, AccessPair, AccessRegion, Reason } from './analysis-types.js';

/** The number of groups shown. */
export const mostGroups = 20;

/** Beyond this number of groups, regions are grouped by fewer parts of their reasons. */
const mostDetailed = 10;

/** A pattern, and how many users of the group have it. */
interface GroupPattern extends AccessPair {
  readonly users: number;
  /** Exceptions that are denied both before and after. */
  readonly denied: readonly AccessPair[];
}

/** An exception that some of the users still have, or had before. */
export interface GroupException extends AccessPair {
  readonly users: number;
  /** The roles that grant this exception. */
  readonly roles: readonly string[];
}

/** Access that is gained, lost or held by the same statements. */
export interface AccessGroup {
  readonly change: ChangedRegion['change'];
  /** The roles through which it is granted. */
  readonly via: readonly string[];
  /** The policies that grant it, each with the numbers of its statements, counted from 0. */
  readonly policies: ReadonlyMap<string, ReadonlySet<number>>;
  /** Sorted. */
  readonly users: readonly string[];
  /** Groups that subjects name, sorted. */
  readonly groups: readonly string[];
  /** Roles that subjects name, sorted. */
  readonly roles: readonly string[];
  /** The names that `{ own }` patterns of all users stand for. */
  readonly own: ReadonlySet<string>;
  /** Sorted by the number of users, largest first. */
  readonly patterns: readonly GroupPattern[];
  readonly except: readonly GroupException[];
  /** The region that the example is taken from. */
  readonly example: AccessRegion;
}

/** A region, with the kind of its change. */
export type ChangedRegion = { readonly change: 'gained' | 'lost' | 'held'; readonly region: AccessRegion };

/** Parts of reasons to group regions by, the most detailed first; the first with few enough groups is used. */
const levels: readonly ((reason: Reason) => readonly unknown[])[] = [
  ({ role, policy, statement }) => [role, policy, statement],
  ({ role, policy }) => [role, policy],
  ({ role }) => [role],
];

/** Groups regions by the statements that grant them; groups of the most users come first. */
export function groupAccess(regions: readonly ChangedRegion[]): AccessGroup[] {
  let groups: ReadonlyMap<string, readonly ChangedRegion[]> = new Map();
  for (const [i, level] of levels.entries()) {
    groups = groupBy(regions, level, i + 1 < levels.length ? mostDetailed : Number.POSITIVE_INFINITY);
    if (groups.size <= mostDetailed) break;
  }
  return Array.from(groups.values(), groupOf).sort((a, b) => b.users.length - a.users.length);
}

/** Gives up as soon as there are too many groups. */
function groupBy(
  regions: readonly ChangedRegion[],
  level: (reason: Reason) => readonly unknown[],
  most: number,
): Map<string, ChangedRegion[]> {
  const groups = new Map<string, ChangedRegion[]>();
  for (const region of regions) {
    const parts = new Set(region.region.because.map((reason) => JSON.stringify(level(reason))));
    const key = `${region.change} ${[...parts].sort().join()}`;
    const group = groups.get(key);
    if (group) group.push(region);
    else groups.set(key, [region]);
    if (groups.size > most) break;
  }
  return groups;
}

function groupOf(changed: readonly ChangedRegion[]): AccessGroup {
  const regions = changed.map(({ region }) => region);
  const [users, roles, via, own] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const groups = new Set<string>();
  const policies = new Map<string, Set<number>>();
  const lists = new Set<object>();
  for (const region of regions) {
    for (const role of region.roles) roles.add(role);
    for (const group of region.groups ?? []) groups.add(group);
    for (const { role, policy, statement } of region.because) {
      if (role !== undefined) via.add(role);
      if (policy === undefined || statement === undefined) continue;
      policies.set(policy, (policies.get(policy) ?? new Set()).add(statement));
    }
    // Regions share these list objects, so each list is added once.
    if (!lists.has(region.users)) for (const user of region.users) users.add(user);
    if (region.own && !lists.has(region.own)) for (const name of region.own.flat()) own.add(name);
    lists.add(region.users).add(region.own ?? region.users);
  }
  // The cast: a group has at least one region.
  const [first] = changed as [ChangedRegion];
  return {
    change: first.change,
    via: [...via].sort(),
    policies,
    users: [...users].sort(),
    groups: [...groups].sort(),
    roles: [...roles].sort(),
    own,
    patterns: patternsOf(regions),
    except: exceptionsOf(regions),
    example: first.region,
  };
}

const keyOf = ({ action, resource }: AccessPair): string => JSON.stringify([action, resource]);

/** Groups regions by a key, and counts the users of each. */
function countUsers<T>(regions: Iterable<readonly [key: string, item: T, region: AccessRegion]>) {
  const groups = new Map<string, { readonly items: T[]; readonly lists: Set<readonly string[]> }>();
  for (const [key, item, { users }] of regions) {
    const entry = groups.get(key) ?? { items: [], lists: new Set() };
    entry.items.push(item);
    entry.lists.add(users);
    groups.set(key, entry);
  }
  const counted = Array.from(groups.values(), ({ items, lists }) => {
    const [only = []] = lists;
    // The cast: each key comes from an item.
    const [item] = items as [T, ...T[]];
    return { item, items, users: lists.size === 1 ? only.length : new Set([...lists].flat()).size };
  });
  return counted.sort((a, b) => b.users - a.users);
}

function patternsOf(regions: readonly AccessRegion[]): GroupPattern[] {
  const keyed = regions.map((region) => [keyOf(region), region, region] as const);
  return countUsers(keyed).map(({ item, items, users }) => {
    const denied = items.flatMap(({ except }) => except.filter(({ because }) => because === undefined));
    const distinct = new Map(denied.map((pair) => [keyOf(pair), pair]));
    return { action: item.action, resource: item.resource, users, denied: [...distinct.values()] };
  });
}

function exceptionsOf(regions: readonly AccessRegion[]): GroupException[] {
  const rolesOf = ({ because = [] }: AccessException) => [...new Set(because.flatMap(({ role }) => role ?? []))].sort();
  const keyed = regions.flatMap((region) =>
    region.except
      .filter(({ because }) => because)
      .map((pair) => [`${keyOf(pair)} ${JSON.stringify(rolesOf(pair))}`, pair, region] as const),
  );
  return countUsers(keyed).map(({ item, users }) => ({
    action: item.action,
    resource: item.resource,
    users,
    roles: rolesOf(item),
  }));
}
