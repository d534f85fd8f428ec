import { optional, type Reader, readArgument, readFields, readFlag, strictObject } from '../../../base/lib/readers.js';
import type { Policy } from '../../../policy/model/model.js';
import { samePolicy } from '../../../policy/model/normalize.js';
import type { CallSender } from '../../connection/call.js';
import { readCallOptions, readNameSegment, Service, type ServiceCallOptions } from '../service-client.js';
import { type BindingChange, binding, readPolicy, type UserRole, userRoles } from './authorization-messages.js';
import { upsert } from './upsert.js';

/** The user and the role of a binding. */
export interface BindingName {
  readonly user: string;
  readonly role: string;
}

/** A binding to write: a user, a role, and the scope in which the role applies. */
export interface BindingRequest extends BindingName {
  readonly scope: Policy;
  /**
   * Allows a `:` in the user name. The services look up bindings by the prefix `user:` of their names, so a binding of
   * `a:b` also applies to the user `a`. Default false: such names are rejected.
   */
  readonly allowColon?: boolean | undefined;
}

/** A binding after an upsert. */
export interface UpsertedBinding extends UserRole {
  readonly user: string;
  /** Set only after a write: the services do not return it for an existing binding. */
  readonly index?: number | undefined;
  /** The write, as text for `replica.reached` and `atLeast`; set when `index` is. */
  readonly revision?: string | undefined;
  /** True if the upsert wrote it. */
  readonly changed: boolean;
}

/** The permission that writing a binding requires. */
const bindingActions = { POST: 'AssignUserRole', PUT: 'ReplaceUserRoleScope', DELETE: 'RemoveUserRole' } as const;

/** Reads a name that is valid as a path segment, unencoded. */
const readPlainName: Reader<string> = (value, reading) => {
  readNameSegment(value, reading);
  // The cast: the segment was read from a string.
  return value as string;
};
const bindingName = { user: readPlainName, role: readPlainName };
const readBindingName = strictObject(bindingName);
const readBindingRequest = strictObject({ ...bindingName, scope: readPolicy, allowColon: optional(readFlag) });
/** Rejects a binding that would also apply to another user. */
const readBinding: Reader<BindingRequest> = (value, reading) => {
  const request = readBindingRequest(value, reading);
  if (reading.issues.length === 0 && !request.allowColon && request.user.includes(':')) {
    const why = 'a ":" also binds users named by its prefixes: set allowColon: true';
    return reading.at('user', 0, () => reading.report(why));
  }
  return request;
};

/**
 * The roles of users, each limited to a scope: `client.authorization.bindings`.
 *
 * The services can list the roles of one user, but neither all users nor the users of a role.
 *
 * @example
 * ```ts
 * const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['orders:*'] }] } as const;
 * await client.authorization.bindings.assign({ user: 'alice', role: 'viewer', scope });
 * ```
 */
export class Bindings {
  readonly #service: Service;

  /**
   * Creates a client over a connection; `client.authorization.bindings` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  constructor(connection: CallSender) {
    this.#service = new Service(connection, 'management', '/_management/permissions');
  }

  /** Lists a user's roles, sorted by role. (GET `/_management/permissions/user/{user}/role`) */
  list(user: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    return this.#service.ask('GET', '/user/', userRoles, options, () => ({
      path: `${readArgument(user, 'user', readNameSegment)}/role`,
      service: { needs: { action: 'rbac:ListUserRoleBinding', resource: user } },
    }));
  }

  /**
   * Assigns a role to a user within a scope. The role need not exist yet. (POST `…/user/{user}/role/{role}`)
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 409) if the user already has the role.
   */
  assign(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('POST', request, options);
  }

  /**
   * Replaces the scope of a user's role. (PUT `…/user/{user}/role/{role}`)
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 404) if the user does not have the role.
   */
  replaceScope(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('PUT', request, options);
  }

  /**
   * Ensures that a user has a role within a scope: reads the user's roles, then assigns the role or replaces its scope,
   * unless the scope is the same. Order and duplicates of statements, actions and resources do not matter. If reading
   * is forbidden (403), it writes. A timeout applies to each of its calls. (GET, then PUT or POST)
   *
   * @returns the binding; `changed` is true if it was written.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 403) if the token may not write; `needs` is the missing permission.
   * @example
   * ```ts
   * const scope = { statements: [{ effect: 'Allow', actions: ['orders:*'], resources: ['*'] }] } as const;
   * const { changed } = await client.authorization.bindings.upsert({ user: 'alice', role: 'viewer', scope });
   * console.log(changed ? 'written' : 'was there');
   * ```
   */
  async upsert(request: BindingRequest, options?: ServiceCallOptions): Promise<UpsertedBinding> {
    const { kept, call } = this.#service.prepare('PUT', '/user/', () => ({
      kept: readFields(request, 'request', readBinding),
      call: readCallOptions(options),
    }));
    const { user, role, scope } = kept;
    return upsert<Omit<UpsertedBinding, 'changed'>>(
      async () => {
        const found = (await this.list(user, call)).find((one) => one.role === role);
        return found && { user, ...found };
      },
      (stored) => samePolicy(stored.scope, scope),
      (method) => this.#call(method, kept, call),
    );
  }

  /**
   * Removes a role from a user. (DELETE `…/user/{user}/role/{role}`)
   *
   * @throws HttpError (code `HTTP`) if the user does not have the role.
   */
  remove(request: BindingName, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('DELETE', request, options);
  }

  #call(method: keyof typeof bindingActions, request: unknown, options: unknown): Promise<BindingChange> {
    const reader: Reader<BindingName & { readonly scope?: Policy }> =
      method === 'DELETE' ? readBindingName : readBinding;
    return this.#service.ask(method, '/user/', binding, options, () => {
      const { user, role, scope } = readFields(request, 'request', reader);
      return {
        path: [user, 'role', role].map(encodeURIComponent).join('/'),
        body: scope && { scope },
        service: { needs: { action: `rbac:${bindingActions[method]}`, resource: user } },
      };
    });
  }
}
