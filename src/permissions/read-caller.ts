import { isArangoServicesError } from '../base/arango-services-error.js';
import { isHttpError } from '../base/error-guards.js';
import { readIdentity } from '../base/jwt/token-text.js';
import { readArgument } from '../base/lib/readers.js';
import type { AuthenticationClient } from '../client/services/authentication/authentication-client.js';
import type { ServiceCallOptions } from '../client/services/service-client.js';
import type { GroupBinding } from '../policy/index.js';
import { nameFault } from '../policy/model/predefined-names.js';
import type { Caller } from './model/applying-caller.js';
import { readClient } from './model/read-argument.js';
import type { PermissionsClient } from './read-state.js';

/** Returns the reason why a call failed, as a sentence. Rethrows failures such as aborts. */
function reasonOf(error: unknown): string {
  if (!isArangoServicesError(error)) throw error;
  const needs = isHttpError(error) && error.status === 403 ? error.needs : undefined;
  if (needs) return `the token has no ${needs.action} on ${JSON.stringify(needs.resource)}`;
  if (isHttpError(error)) return `the services answered ${error.status}`;
  throw error;
}

type Owner = Pick<Caller, 'user' | 'groups'>;

/**
 * Identifies the owner of a client's credentials: from the claims of the bearer token, without verifying it, or else by
 * asking the service, which does not return groups. Undefined if the name may stand for a token without a user.
 */
async function identify(
  authentication: NonNullable<PermissionsClient['authentication']>,
  options: ServiceCallOptions,
): Promise<Owner | undefined> {
  const read = async () => {
    // The cast: other implementations of the client may lack `currentToken`.
    const { currentToken } = authentication as Partial<Pick<AuthenticationClient, 'currentToken'>>;
    return readIdentity((await currentToken?.call(authentication))?.replace(/^bearer /i, '') ?? '');
  };
  const identity = await read();
  if (identity) return identity;
  const { user } = await authentication.identity(options);
  // The credentials may have had no token before the call, which obtained one.
  return (await read()) ?? (/^(root)?$/.test(user) ? undefined : { user, groups: [] });
}

/** Reads the bindings of the token's groups. Older platforms have none, nor do objects in place of a client. */
async function readGroups(
  { groupBindings }: PermissionsClient['authorization'],
  groups: readonly string[],
  options: ServiceCallOptions,
): Promise<Pick<Caller, 'groupBindings'>> {
  const bindings: GroupBinding[] = [];
  for (const group of groupBindings ? new Set(groups.filter((name) => nameFault(name) === undefined)) : []) {
    try {
      const listed = (await groupBindings?.list(group, options)) ?? [];
      bindings.push(...listed.map(({ role, scope }) => ({ group, role, scope })));
    } catch (error) {
      if (!isHttpError(error) || error.status !== 404) throw error;
      return {};
    }
  }
  return bindings.length > 0 ? { groupBindings: bindings } : {};
}

/**
 * Reads the owner of a client's token and the bindings of that user and of its groups, so that `plan` can tell if this
 * caller is allowed to make all calls. If the token may not list its own bindings, `unknown` holds the reason.
 *
 * @throws Every error of the client for other failures.
 *
 * @example
 * ```ts
 * import { plan, readCaller, readPermissions, readState } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const desired = await readPermissions('permissions.yaml', { read: (file) => files.get(file) ?? '' });
 * const caller = await readCaller(client);
 * const { own } = plan(await readState(client, { users: desired.users }), desired, { caller });
 * console.log(own?.missing, own?.lost);
 * ```
 */
export async function readCaller(client: PermissionsClient, options: ServiceCallOptions = {}): Promise<Caller> {
  readArgument(client, 'client', readClient);
  const { authentication } = client;
  const nobody = { user: undefined, groups: [], bindings: [] };
  if (!authentication) return { ...nobody, unknown: 'the client cannot identify its token' };
  let owner: Owner | undefined;
  try {
    owner = await identify(authentication, options);
  } catch (error) {
    return { ...nobody, unknown: reasonOf(error) };
  }
  if (!owner) return { ...nobody, unknown: 'the owner of its token cannot be read' };
  return readCallerAs(client, owner, options);
}

/**
 * Reads the bindings of a user and groups who will apply a plan with a token of their own. If the client's token may
 * not list them, `unknown` holds the reason.
 */
export async function readCallerAs(
  { authorization }: PermissionsClient,
  { user, groups }: Owner,
  options: ServiceCallOptions = {},
): Promise<Caller> {
  try {
    const userBindings = user ? await authorization.bindings.list(user, options) : [];
    // The cast: without a user there are none.
    const bindings = userBindings.map(({ role, scope }) => ({ user: user as string, role, scope }));
    return { user, groups, bindings, ...(await readGroups(authorization, groups, options)) };
  } catch (error) {
    return { user, groups, bindings: [], unknown: reasonOf(error) };
  }
}
