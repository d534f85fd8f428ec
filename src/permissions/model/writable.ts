import { byCodePoint } from '../../base/lib/code-points.js';
import { counted } from '../../base/lib/counted.js';
import { formatPath } from '../../base/lib/text/paths.js';
import { printable } from '../../base/lib/text/printable.js';
import { type Issue, type Policy, type Role, validatePolicy, validateRole } from '../../policy/index.js';
import { superAdmin } from '../../policy/model/fresh-deployment.js';
import { keeperOf, nameFault, userFault } from '../../policy/model/predefined-names.js';
import { bindingKey } from './binding-key.js';
import type { PermissionsState } from './permissions-state.js';
import {
  type AnyBinding,
  allBindings,
  type BindingItemOwner,
  bindingItem,
  describeItem,
  type ItemName,
  ownerOf,
} from './plan-change.js';

/** An item that a file of permissions cannot hold, or that the platform or its operator manages. */
export type Omitted = ItemName & {
  /** The reason as a sentence. */
  readonly reason: string;
};

/** The items of a state that a file can hold, sorted. */
export interface Writable {
  readonly policies: readonly (readonly [name: string, Policy])[];
  readonly roles: readonly (readonly [name: string, Role])[];
  /** The bindings of users, then those of groups. */
  readonly bindings: readonly (AnyBinding & { readonly scope: Policy })[];
  readonly omitted: readonly Omitted[];
}

/** The first issue as a sentence. */
export const describeIssue = ([issue]: readonly Issue[]): string | undefined =>
  issue && `${formatPath(issue.path)} ${issue.message}`.trim();

export const sorted = <T>(items: ReadonlyMap<string, T>) => [...items].sort(([a], [b]) => byCodePoint(a, b));

/** Sorts bindings by user and role, then those of groups. Of two with the same key the last one counts. */
export function sortBindings<T extends AnyBinding>(bindings: readonly T[]): T[] {
  const owners = (binding: T) => [ownerOf(binding).group ?? '', ownerOf(binding).user ?? ''] as const;
  return [...new Map(bindings.map((binding) => [bindingKey(binding), binding])).values()].sort((a, b) => {
    const [[group, user], [otherGroup, otherUser]] = [owners(a), owners(b)];
    return byCodePoint(group, otherGroup) || byCodePoint(user, otherUser) || byCodePoint(a.role, b.role);
  });
}

const belongs = 'belongs to ';
const groupColon = 'holds a ":": groups named by its prefixes would get the role, too';

const keptBy = (name: string): string | undefined => {
  const keeper = keeperOf(name);
  return keeper && `${belongs}${keeper}`;
};

/** The problem of the name of a user or group. */
export const ownerFault = ({ user, group }: BindingItemOwner): string | undefined => {
  if (group === undefined) return nameFault(user) ?? userFault(user);
  return nameFault(group) ?? (group.includes(':') ? groupColon : undefined);
};

/** The problem of a name that cannot be stored, or that the platform or its operator manages. */
const nameProblem = (name: string) => nameFault(name) ?? keptBy(name);

/**
 * Selects the items of a state that a file can hold. `hasPolicy` tells if the files already define a policy. Items for
 * which `isWanted` is false are not reported as omitted.
 */
export function findWritable(
  state: PermissionsState,
  isWanted: (item: ItemName) => boolean = () => true,
  hasPolicy: (name: string) => boolean = () => false,
): Writable {
  const omitted: Omitted[] = [];
  const keep = (item: ItemName, problem: string | undefined): boolean => {
    if (problem !== undefined) omitted.push({ ...item, reason: problem });
    return problem === undefined;
  };
  const policies = sorted(state.policies).filter(([name, policy]) => {
    const item = { kind: 'policy', name } as const;
    return isWanted(item) && keep(item, nameProblem(name) ?? describeIssue(validatePolicy(policy)));
  });
  const written = new Set(policies.map(([name]) => name));
  const fault = (name: string): string | undefined => {
    const problem = nameFault(name);
    if (problem !== undefined) return `names the policy ${JSON.stringify(name)}, which ${problem}`;
    if (written.has(name) || name.startsWith('managed:') || hasPolicy(name)) return undefined;
    const isOwned = !isWanted({ kind: 'policy', name });
    const why = isOwned ? 'the files own and do not define' : state.policies.has(name) ? 'is left out' : 'is missing';
    return `names the policy ${JSON.stringify(name)}, which ${why}`;
  };
  const faultOfRole = (role: Role) =>
    describeIssue(validateRole(role)) ?? role.policies.map(fault).find((problem) => problem !== undefined);
  const roles = sorted(state.roles).filter(([name, role]) => {
    const item = { kind: 'role', name } as const;
    return isWanted(item) && keep(item, nameProblem(name) ?? faultOfRole(role));
  });
  const bindings = sortBindings(allBindings(state)).flatMap((binding) => {
    const { role, scope } = binding;
    const item = bindingItem(binding);
    if (!isWanted(item)) return [];
    // The platform gives super-admin to root by itself.
    const isKept = keeperOf(role) === 'the operator' || (role === superAdmin && item.user === 'root');
    const operator = isKept ? keptBy(role) : undefined;
    const problem = ownerFault(item) ?? nameFault(role) ?? operator;
    const unscoped = scope ? describeIssue(validatePolicy(scope)) : 'has no scope';
    return keep(item, problem ?? unscoped) && scope ? [{ ...ownerOf(binding), role, scope }] : [];
  });
  return { policies, roles, bindings, omitted };
}

const mostShown = 10;

/** Joins the first texts and the number of the others. */
export const shorten = (texts: readonly string[]): string[] => [
  ...texts.slice(0, mostShown),
  ...(texts.length > mostShown ? [`and ${texts.length - mostShown} more`] : []),
];

/** Formats the omitted items in a few lines; those of the platform and the operator are only counted. */
export function formatOmitted(omitted: readonly Omitted[]): string[] {
  const others = omitted.filter(({ reason }) => !reason.startsWith(belongs));
  const platformCount = omitted.length - others.length;
  return [
    ...(platformCount > 0 ? [`Left out: ${counted(platformCount, 'item')} of the platform and its operator.`] : []),
    ...(others.length > 0 ? ['Left out, because a file cannot hold them:'] : []),
    ...shorten(others.map((other) => printable(`  ${describeItem(other)}: ${other.reason}`))),
  ];
}
