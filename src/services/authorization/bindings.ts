import type { CallSender } from '../../connection/call.js';
import { optional, type Reader, readArgument, readFields, readFlag, strictObject } from '../../lib/readers.js';
import type { Policy } from '../../policy/model.js';
import { samePolicy } from '../../policy/normalize.js';
import { readCallOptions, readNameSegment, Service, type ServiceCallOptions } from '../service-client.js';
import { type BindingChange, binding, readPolicy, type UserRole, userRoles } from './messages.js';
import { upsert } from './upsert.js';

/** Which user has which role. */
export interface BindingName {
  readonly user: string;
  readonly role: string;
}

/** Which user gets which role, and where it counts. */
export interface BindingRequest extends BindingName {
  readonly scope: Policy;
  /**
   * Allows a `:` in the name of the user. The services find bindings by the prefix `user:` of their names, so whatever
   * `a:b` is given counts for the user `a`, too. Default false: refused.
   */
  readonly allowColon?: boolean | undefined;
}

/** A binding after an upsert. */
export interface UpsertedBinding extends UserRole {
  readonly user: string;
  /** Only after a write: the services do not tell it of a binding that is there. */
  readonly index?: number | undefined;
  /** Whether it was written. */
  readonly changed: boolean;
}

/** What writing a binding needs. */
const bindingActions = { POST: 'AssignUserRole', PUT: 'ReplaceUserRoleScope', DELETE: 'RemoveUserRole' } as const;

/** A name that can be a path segment, as it was given. */
const readPlainName: Reader<string> = (value, reading) => {
  readNameSegment(value, reading);
  // The cast: a segment is made of nothing but text.
  return value as string;
};
const bindingName = { user: readPlainName, role: readPlainName };
const readBindingName = strictObject(bindingName);
const readBindingRequest = strictObject({ ...bindingName, scope: readPolicy, allowColon: optional(readFlag) });
/** A binding that gives nothing to a user whom the caller may not have in mind. */
const readBinding: Reader<BindingRequest> = (value, reading) => {
  const request = readBindingRequest(value, reading);
  if (reading.issues.length === 0 && !request.allowColon && request.user.includes(':')) {
    const why = 'holds a ":": users whose names it begins with would get the role, too; allowColon: true allows it';
    return reading.at('user', 0, () => reading.report(why));
  }
  return request;
};

/**
 * Which users have which roles, each inside a scope: `client.authorization.bindings`.
 *
 * The services list neither users nor who has a role: ask for each user.
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
   * Makes a client over a connection; `client.authorization.bindings` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for what is no connection.
   */
  constructor(connection: CallSender) {
    this.#service = new Service(connection, 'management', 'permissions');
  }

  /** Lists a user's roles, sorted by role. (GET `/_management/permissions/user/{user}/role`) */
  list(user: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    return this.#service.ask('GET', '/user/', userRoles, options, () => ({
      path: `${readArgument(user, 'user', readNameSegment)}/role`,
      needs: { action: 'rbac:ListUserRoleBinding', resource: user },
    }));
  }

  /**
   * Gives a user a role inside a scope. The role need not exist yet. (POST `…/user/{user}/role/{role}`)
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 409) where the user has the role.
   */
  assign(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('POST', request, options);
  }

  /**
   * Replaces the scope of a user's role. (PUT `…/user/{user}/role/{role}`)
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 404) where the user does not have the role.
   */
  replaceScope(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('PUT', request, options);
  }

  /**
   * Makes sure that a user has a role inside a scope: reads the user's roles, and assigns it or replaces its scope
   * unless that is the same. The order of statements, actions and resources does not count, nor do duplicates. Where
   * reading is forbidden (403) it writes. A timeout counts for each of its calls. (GET, then PUT or POST)
   *
   * @returns the binding, with `changed`: whether it was written.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a user with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 403) where the token may not write; `needs` says what that takes.
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
    return upsert<Omit<UpsertedBinding, 'changed'>>({
      read: async () => {
        const found = (await this.list(user, call)).find((one) => one.role === role);
        return found && { user, ...found };
      },
      isSame: (stored) => samePolicy(stored.scope, scope),
      write: (method) => this.#call(method, kept, call),
    });
  }

  /**
   * Takes a role from a user. (DELETE `…/user/{user}/role/{role}`)
   *
   * @throws HttpError (code `HTTP`) where the user does not have the role.
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
        needs: { action: `rbac:${bindingActions[method]}`, resource: user },
      };
    });
  }
}
