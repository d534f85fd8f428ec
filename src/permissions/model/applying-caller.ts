import type { Binding, GroupBinding } from '../../policy/index.js';

/** The owner of the token that a plan is applied with, and the bindings of that user and of the token's groups. */
export interface Caller {
  /** Undefined for a token without a user. A token without user and groups is the superuser's. */
  readonly user: string | undefined;
  /** The token's groups, which also count as roles in documented fidelity. */
  readonly groups: readonly string[];
  /** The user's bindings, as the services list them. */
  readonly bindings: readonly Binding[];
  /** The bindings of the token's groups, as the services list them. Default: none. */
  readonly groupBindings?: readonly GroupBinding[] | undefined;
  /** The reason why user, groups or bindings could not be read, as a sentence; undefined if they are known. */
  readonly unknown?: string | undefined;
}

/** True for the superuser, who may do everything. */
export const isSuperuserCaller = ({ user, groups, unknown }: Caller): boolean =>
  user === undefined && groups.length === 0 && unknown === undefined;

/** Describes the caller, to be used inside a sentence. */
export const describeCaller = ({ user, groups }: Pick<Caller, 'user' | 'groups'>): string =>
  user === undefined
    ? `groups ${groups.map((group) => JSON.stringify(group)).join(', ')}`
    : `user ${JSON.stringify(user)}`;
