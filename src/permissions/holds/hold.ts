import { anyText, fieldsOf, listOf, optional, type Reader, type ReadersOf } from '../../base/lib/readers.js';
import { printable } from '../../base/lib/text/printable.js';
import { bindingKey } from '../model/binding-key.js';
import type { PermissionsState } from '../model/permissions-state.js';
import type { AnyBinding, BindingItem } from '../model/plan-change.js';

/** A revocation that plans respect until it ends: bindings of a user that no plan gives, whatever the files say. */
export interface Hold {
  /** The user whose bindings are held. */
  readonly user: string;
  /** The roles that the user does not get. Default: all. */
  readonly roles?: readonly string[] | undefined;
  /** The end in ISO 8601, with a zone: `2026-12-01T08:00:00Z`. */
  readonly until: string;
  /** The reason, for people. */
  readonly reason: string;
}

/** Reads holds as the option of a function. */
export const readHoldList: Reader<readonly Hold[]> = listOf(
  fieldsOf({
    user: anyText,
    roles: optional(listOf(anyText)),
    until: anyText,
    reason: anyText,
  } satisfies ReadersOf<Hold>),
);

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

/** Returns a function that finds the hold of a binding; those of groups have none. */
export function heldBy(holds: readonly Hold[]): (binding: AnyBinding | BindingItem) => Hold | undefined {
  const byUser = Map.groupBy(holds, ({ user }) => user);
  return (binding) => {
    const { user, role } = binding as { readonly user?: string; readonly role: string };
    return user === undefined ? undefined : byUser.get(user)?.find(({ roles }) => roles?.includes(role) ?? true);
  };
}

/** Takes the held bindings from a state, without those that the operator makes. */
export function withoutHeld<T extends PermissionsState>(state: T, isHeld: ReturnType<typeof heldBy>): T {
  const operated = new Set(state.operator?.bindings.map(bindingKey));
  const bindings = state.bindings.filter((one) => !isHeld(one) || operated.has(bindingKey(one)));
  return bindings.length === state.bindings.length ? state : { ...state, bindings };
}

/** Formats a hold with its end. */
export const formatHold = ({ user, roles, until, reason }: Hold): string =>
  printable(`user ${JSON.stringify(user)}: ${roles ? roles.join(', ') : 'all roles'}, until ${until} – ${reason}`);
