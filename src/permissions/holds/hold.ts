import { anyText, fieldsOf, listOf, optional, type Reader, type ReadersOf } from '../../base/lib/readers.js';
import { printable } from '../../base/lib/text/printable.js';
import { bindingKey } from '../model/binding-key.js';
import type { PermissionsState } from '../model/permissions-state.js';
import {
  type AnyBinding,
  allBindings,
  type BindingItem,
  type BindingItemOwner,
  describeOwner,
  ownerOf,
} from '../model/plan-change.js';

/**
 * A revocation that plans respect until it ends: bindings of a user or a group that no plan gives, whatever the files
 * say.
 */
export interface Hold {
  /** The user whose bindings are held. A hold has a user or a group. */
  readonly user?: string | undefined;
  /** The group whose bindings are held. */
  readonly group?: string | undefined;
  /** The roles that the user or group does not get. Default: all. */
  readonly roles?: readonly string[] | undefined;
  /** The end in ISO 8601, with a zone: `2026-12-01T08:00:00Z`. */
  readonly until: string;
  /** The reason, for people. */
  readonly reason: string;
}

const readFields = fieldsOf({
  user: optional(anyText),
  group: optional(anyText),
  roles: optional(listOf(anyText)),
  until: anyText,
  reason: anyText,
} satisfies ReadersOf<Hold>);

/** The problem of a hold that has no owner, or two. */
export const ownersFault = 'expected a user or a group';

/** True for a hold that has one owner. */
export const hasOwner = ({ user, group }: Pick<Hold, 'user' | 'group'>): boolean =>
  (user === undefined) !== (group === undefined);

/** Reads holds as the option of a function. */
export const readHoldList: Reader<readonly Hold[]> = listOf((value, reading) => {
  const hold = readFields(value, reading);
  if (reading.issues.length === 0 && !hasOwner(hold)) reading.report(ownersFault);
  return hold;
});

/**
 * Selects the holds that are in force at a time.
 * @param at milliseconds since 1970; default now.
 * @example
 * ```ts
 * import { holdsAt } from 'arango-services/permissions';
 *
 * const hold = { user: 'alice', until: '2026-12-01T08:00:00Z', reason: 'INC-7' };
 * holdsAt([hold], Date.UTC(2026, 11, 2)); // → []
 * ```
 */
export const holdsAt = <T extends Hold>(holds: readonly T[], at: number = Date.now()): T[] =>
  // An end or a time that is not a number leaves a hold in force.
  holds.filter(({ until }) => !(Date.parse(until) <= at));

/** The user or the group of a hold. The cast: it has one of them. */
const holdOwner = ({ user, group }: Hold) => (group === undefined ? { user } : { group }) as BindingItemOwner;

/** Returns a function that finds the hold of a binding. */
export function heldBy(holds: readonly Hold[]): (binding: AnyBinding | BindingItem) => Hold | undefined {
  const byOwner = Map.groupBy(holds, (hold) => describeOwner(holdOwner(hold)));
  return (binding) =>
    byOwner.get(describeOwner(ownerOf(binding)))?.find(({ roles }) => roles?.includes(binding.role) ?? true);
}

/** Takes the held bindings from a state, without those that the operator makes. */
export function withoutHeld<T extends PermissionsState>(state: T, isHeld: ReturnType<typeof heldBy>): T {
  const operated = new Set(state.operator?.bindings.map(bindingKey));
  const stays = (binding: AnyBinding) => !isHeld(binding) || operated.has(bindingKey(binding));
  if (allBindings(state).every(stays)) return state;
  const { bindings, groupBindings } = state;
  const groups = groupBindings && { groupBindings: groupBindings.filter(stays) };
  return { ...state, bindings: bindings.filter(stays), ...groups };
}

/** Formats a hold with its end. */
export function formatHold(hold: Hold): string {
  const { roles, until, reason } = hold;
  const what = `${describeOwner(holdOwner(hold))}: ${roles ? roles.join(', ') : 'all roles'}`;
  return printable(`${what}, until ${until} – ${reason}`);
}
