import { isHttpError } from '../base/error-guards.js';
import { InvalidArgumentError } from '../base/errors.js';
import { byCodePoint } from '../base/lib/code-points.js';
import { inParallel } from '../base/lib/parallel.js';
import { quietly } from '../base/lib/quietly.js';
import {
  anyText,
  listOf,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readFunction,
  transform,
  wholeNumber,
  withMethods,
} from '../base/lib/readers.js';
import type { AuthenticationClient } from '../client/services/authentication/authentication-client.js';
import type { AuthorizationClient } from '../client/services/authorization/authorization-client.js';
import type { UserRole } from '../client/services/authorization/authorization-messages.js';
import type { Bindings } from '../client/services/authorization/bindings.js';
import type { Collection } from '../client/services/authorization/management.js';
import type { EvaluatorSource } from '../policy/analysis/analysis-types.js';
import type { Fidelity } from '../policy/index.js';
import { evaluationRules } from '../policy/model/fidelity.js';
import { nameFault } from '../policy/model/predefined-names.js';
import { type PermissionKind, type PermissionsState, stateOf } from './model/permissions-state.js';
import { readClient } from './model/read-argument.js';
import { readFidelity, type VersionClient } from './read-fidelity.js';
import { findUnclear } from './unclear-users.js';

/** A client of this package, or an object with the same fields. */
export interface PermissionsClient extends VersionClient {
  /** Identifies the owner of the token, so that `apply` knows if its caller can finish. */
  readonly authentication?: Pick<AuthenticationClient, 'identity'> | undefined;
  readonly authorization: Pick<AuthorizationClient, 'policies' | 'roles' | 'bindings'> &
    Partial<Pick<AuthorizationClient, 'checkSelf' | 'groupBindings'>>;
}

/**
 * Returns the bindings of groups of a client.
 * @throws InvalidArgumentError for an object in place of a client that lacks them.
 */
export function groupBindingsOf({ groupBindings }: PermissionsClient['authorization']): Bindings<'group'> {
  if (groupBindings === undefined) throw new InvalidArgumentError('client', 'has no authorization.groupBindings');
  return groupBindings;
}

/** Options of {@link readState}. One of `users` and `replica` is needed. */
export interface ReadStateOptions {
  /** The users whose bindings are read. */
  readonly users?: readonly string[] | undefined;
  /**
   * The groups whose bindings are read, beside `users`. A deployment that does not bind roles to groups has none: then
   * `groups` of the state is `none`. Default: none.
   */
  readonly groups?: readonly string[] | undefined;
  /** A replica, which knows the bindings of all users. It should be ready and live. */
  readonly replica?: EvaluatorSource | undefined;
  /**
   * The fidelity of the deployment, for analyses of the state. Default: that of the replica, or that which a mock
   * reports; `sidecar` for any other deployment.
   */
  readonly fidelity?: Fidelity | undefined;
  /** The maximum number of concurrent calls, default 16. */
  readonly concurrency?: number | undefined;
  /**
   * Leaves out the policies, roles and bindings that the token may not read, and lists them in `unread` of the state;
   * also users of whom the services do not tell which bindings count (names with `:`). Default: a forbidden item
   * rejects the call.
   */
  readonly allowUnread?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each call that read an item. */
  readonly onProgress?: ((progress: ReadStateProgress) => void) | undefined;
}

/** The progress of {@link readState}, which reads one kind of items after the other. */
export interface ReadStateProgress {
  readonly kind: PermissionKind;
  /** The number of items that were read; of bindings, the number of users or groups. */
  readonly done: number;
  readonly total: number;
}

export const readStateOptions = transform(
  optionsOf({
    users: listOf(anyText),
    groups: listOf(anyText),
    replica: withMethods<EvaluatorSource>('a replica', 'evaluator'),
    fidelity: oneOf<Fidelity>('documented', 'sidecar'),
    concurrency: wholeNumber('a whole number', 1, Number.MAX_SAFE_INTEGER),
    allowUnread: readFlag,
    signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener'),
    onProgress: readFunction as Reader<NonNullable<ReadStateOptions['onProgress']>>,
  } satisfies ReadersOf<ReadStateOptions>),
  (options, reading) =>
    (options.users === undefined) === (options.replica === undefined)
      ? reading.report<typeof options>('expected one of users and replica')
      : options.groups && options.replica
        ? reading.at('groups', undefined, () => reading.report<typeof options>('a replica knows all groups'))
        : options,
);

/** Options of reading any items. */
export type ReadOptions = Pick<ReadStateOptions, 'concurrency' | 'allowUnread' | 'signal' | 'onProgress'>;

const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  isHttpError(error) && statuses.includes(error.status);

/** The names of a kind: those of the service's list, and names outside it, whose items need not exist. */
interface Wanted {
  readonly kind: PermissionKind;
  readonly listed: readonly string[];
  readonly unlisted: readonly string[];
}

/** Items by name, and the names of those that the token may not read. */
interface Found<T> {
  readonly items: ReadonlyMap<string, T>;
  readonly unread: readonly string[];
}

/**
 * Reads items by name, without those that are missing. Without `allowUnread` it rejects at the first one that the token
 * may not read.
 */
async function readItems<T>(
  { kind, listed, unlisted }: Wanted,
  { allowUnread = false, onProgress, ...parallel }: ReadOptions,
  get: (name: string) => Promise<T>,
): Promise<Found<T>> {
  const unread: string[] = [];
  const all = [...listed, ...unlisted];
  let done = 0;
  const read = await inParallel([...all.keys()], parallel, async (i) => {
    // The cast: an index of the list.
    const name = all[i] as string;
    const item = await get(name).catch((error: unknown) => {
      const isListed = i < listed.length;
      if (isListed && allowUnread && hasStatus(error, 403)) unread.push(name);
      else if (!hasStatus(error, 404, ...(isListed ? [] : [403]))) throw error;
    });
    done += 1;
    const returned: unknown = onProgress?.({ kind, done, total: all.length });
    void quietly(() => returned);
    return item === undefined ? [] : [[name, item] as const];
  });
  return { items: new Map(read.flat()), unread: unread.sort(byCodePoint) };
}

/** Reads all policies or roles: those of the list, and those that others refer to. */
async function readCollection<T>(
  kind: 'policy' | 'role',
  collection: Pick<Collection<T>, 'list' | 'get'>,
  referred: Iterable<string>,
  options: ReadOptions,
) {
  const call = { signal: options.signal };
  const listed = new Set<string>();
  for await (const name of collection.list({ ...call, pageSize: 1_000 })) listed.add(name);
  // A deletion between two pages moves a name to the page that was read already, so the list lacks it.
  const unlisted = [...new Set(referred)].filter((name) => !listed.has(name) && nameFault(name) === undefined);
  const { items, unread } = await readItems({ kind, listed: [...listed], unlisted }, options, (name) =>
    collection.get(name, call),
  );
  const stored = [...items.values()];
  return {
    items: new Map(stored.map(({ name, item }) => [name, item])),
    indexes: new Map(stored.map(({ name, index }) => [name, index])),
    unread,
  };
}

/** Reads the bindings of users, as `readState` does. */
export async function readBindings(
  { authorization }: Pick<PermissionsClient, 'authorization'>,
  users: readonly string[],
  { fidelity, ...options }: ReadOptions & { readonly fidelity: Fidelity },
) {
  const names = [...new Set(users)];
  const call = { signal: options.signal };
  const { items, unread } = await readItems({ kind: 'binding', listed: names, unlisted: [] }, options, (user) =>
    authorization.bindings.list(user, call),
  );
  const isByName = evaluationRules[fidelity].bindingsByName;
  const hidden = new Set([...unread, ...(options.allowUnread && isByName ? findUnclear(items) : [])]);
  const knownUsers = names.filter((user) => !hidden.has(user));
  return {
    bindings: knownUsers.flatMap((user) => (items.get(user) ?? []).map(({ role, scope }) => ({ user, role, scope }))),
    users: knownUsers,
    unread: [...hidden].sort(byCodePoint),
  };
}

/** Reads the bindings of groups, one list for each, as `readState` does. */
export async function readGroupBindings(
  { authorization }: Pick<PermissionsClient, 'authorization'>,
  groups: readonly string[],
  options: ReadOptions,
): Promise<Pick<PermissionsState, 'groups' | 'groupBindings'> & { readonly unread: readonly string[] }> {
  const names = [...new Set(groups)];
  let hasGroups = true;
  const { items, unread } = await readItems({ kind: 'binding', listed: names, unlisted: [] }, options, (group) =>
    groupBindingsOf(authorization)
      .list(group, { signal: options.signal })
      .catch((error: unknown): UserRole[] => {
        if (!hasStatus(error, 404)) throw error;
        hasGroups = false;
        return [];
      }),
  );
  if (!hasGroups) return { groups: 'none', unread };
  const groupBindings = names.flatMap((group) => (items.get(group) ?? []).map((binding) => ({ group, ...binding })));
  return { groups: names.filter((group) => !unread.includes(group)), groupBindings, unread };
}

/**
 * Reads the policies, roles and bindings of a deployment. The services can list the bindings of one user, but not all
 * users, and no groups: name them, or pass a replica, which knows all of them. Policies and roles that are deleted
 * meanwhile are left out. It takes a call for each user, role and policy, so writes of others meanwhile may be in the
 * state or not; a replica has the state of one moment.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for invalid options, and unless exactly one of `users` and
 *   `replica` is given.
 * @throws HttpError (code `HTTP`, status 403) if the token may not read; `needs` is the missing permission. With
 *   `allowUnread` only if it may not list policies and roles.
 *
 * @example
 * ```ts
 * import { readState } from 'arango-services/permissions';
 *
 * const { policies, bindings } = await readState(client, { users: ['alice', 'bob'] });
 * console.log(policies.size, bindings.length);
 * ```
 */
export async function readState(client: PermissionsClient, options: ReadStateOptions): Promise<PermissionsState> {
  readArgument(client, 'client', readClient);
  const { users = [], groups, replica, fidelity, ...rest } = readFields(options, 'options', readStateOptions);
  if (replica) return stateOf(replica.evaluator(), fidelity);
  const { policies, roles } = client.authorization;
  const rules = fidelity ?? (await readFidelity(client, rest.signal));
  // In this order: whatever a role or binding refers to was written before it.
  const bound = await readBindings(client, users, { ...rest, fidelity: rules });
  const groupPart = groups && (await readGroupBindings(client, groups, rest));
  const { unread: unreadGroups = [], ...ofGroups }: Partial<NonNullable<typeof groupPart>> = groupPart ?? {};
  const ofRoles = await readCollection(
    'role',
    roles,
    [...bound.bindings, ...(ofGroups.groupBindings ?? [])].map(({ role }) => role),
    rest,
  );
  const ofPolicies = await readCollection(
    'policy',
    policies,
    [...ofRoles.items.values()].flatMap((role) => role.policies),
    rest,
  );
  const { bindings } = bound;
  return {
    policies: ofPolicies.items,
    roles: ofRoles.items,
    bindings,
    users: bound.users,
    ...ofGroups,
    fidelity: rules,
    indexes: { policies: ofPolicies.indexes, roles: ofRoles.indexes },
    ...(rest.allowUnread && {
      unread: {
        policies: ofPolicies.unread,
        roles: ofRoles.unread,
        users: bound.unread,
        ...(unreadGroups.length > 0 && { groups: unreadGroups }),
      },
    }),
  };
}
