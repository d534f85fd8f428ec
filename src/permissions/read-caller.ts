import { isArangoServicesError, isHttpError } from '../base/errors.js';
import { readIdentity } from '../base/jwt/token-text.js';
import { readArgument } from '../base/lib/readers.js';
import type { AuthenticationClient } from '../client/services/authentication/authentication-client.js';
import type { ServiceCallOptions } from '../client/services/service-client.js';
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
    // The cast: other implementations of the client may lack it.
    const { currentToken } = authentication as Partial<Pick<AuthenticationClient, 'currentToken'>>;
    return readIdentity((await currentToken?.call(authentication))?.replace(/^bearer /i, '') ?? '');
  };
  const known = await read();
  if (known) return known;
  const { user } = await authentication.identity(options);
  // The credentials may have had no token before the call, which obtained one.
  return (await read()) ?? (/^(root)?$/.test(user) ? undefined : { user, groups: [] });
}

/**
 * Reads the owner of a client's token and the bindings of that user, so that `plan` can tell if this caller is allowed
 * to make all calls. If the token may not list its own bindings, `unknown` holds the reason.
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
  const { authentication, authorization } = client;
  const nobody = { user: undefined, groups: [], bindings: [] };
  if (!authentication) return { ...nobody, unknown: 'the client cannot identify its token' };
  let owner: Owner | undefined;
  try {
    owner = await identify(authentication, options);
  } catch (error) {
    return { ...nobody, unknown: reasonOf(error) };
  }
  if (!owner) return { ...nobody, unknown: 'the owner of its token cannot be read' };
  const { user, groups } = owner;
  if (user === undefined || user === '') return { user, groups, bindings: [] };
  try {
    const found = await authorization.bindings.list(user, options);
    return { user, groups, bindings: found.map(({ role, scope }) => ({ user, role, scope })) };
  } catch (error) {
    return { user, groups, bindings: [], unknown: reasonOf(error) };
  }
}
