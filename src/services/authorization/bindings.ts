import { type CallSender, prepareCall } from '../../connection/call.js';
import { type Reader, readArgument, readFields, strictObject } from '../../lib/readers.js';
import type { Policy } from '../../policy/model.js';
import { samePolicy } from '../../policy/normalize.js';
import { readCallOptions, readSegment, Service, type ServiceCallOptions } from '../service-client.js';
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
  readSegment(value, reading);
  // The cast: a segment is made of nothing but text.
  return value as string;
};
const bindingName = { user: readPlainName, role: readPlainName };
const readBindingName = strictObject(bindingName);
const readBinding = strictObject({ ...bindingName, scope: readPolicy });

/** The users' roles; each counts inside its scope. The services list neither users nor who has a role: ask for each user. */
export class Bindings {
  readonly #service: Service;

  /** `client.authorization.bindings` is the shorter way. @throws InvalidArgumentError */
  constructor(connection: CallSender) {
    this.#service = new Service(connection, 'management', 'permissions');
  }

  /** A user's roles, sorted by role. (GET /user/{user}/role) */
  list(user: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    return this.#service.ask('GET', '/user/', userRoles, options, () => ({
      path: `${readArgument(user, 'user', readSegment)}/role`,
      needs: { action: 'rbac:ListUserRoleBinding', resource: user },
    }));
  }

  /** Gives a user a role inside a scope; `HttpError` 409 where the user has it. The role need not exist. (POST) */
  assign(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('POST', readBinding, request, options);
  }

  /** Replaces the scope of a user's role; `HttpError` 404 where the user does not have it. (PUT) */
  replaceScope(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('PUT', readBinding, request, options);
  }

  /**
   * Makes sure that a user has a role inside a scope: reads the user's roles, and assigns it or replaces its scope unless that is the
   * same. The order of statements, actions and resources does not count, nor do duplicates. Where reading is forbidden (403) it
   * writes. A timeout counts for each of its calls. (GET, then PUT or POST)
   *
   * @returns the binding, with `changed`: whether it was written.
   * @throws HttpError (code `HTTP`) 403 where the token may not write; `needs` says what that takes.
   * @example
   * ```ts
   * import { createClient } from 'arango-services';
   *
   * const { bindings } = createClient({ url: 'http://localhost:8529' }).authorization;
   * const scope = { statements: [{ effect: 'Allow', actions: ['orders:*'], resources: ['*'] }] } as const;
   * const { changed } = await bindings.upsert({ user: 'alice', role: 'viewer', scope });
   * console.log(changed ? 'written' : 'was there');
   * ```
   */
  async upsert(request: BindingRequest, options?: ServiceCallOptions): Promise<UpsertedBinding> {
    const { kept, call } = prepareCall(this.#service.nameOf('PUT', '/user/'), () => ({
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
      write: (method) => this.#call(method, readBinding, kept, call),
    });
  }

  /** Takes a role from a user; an `HttpError` where the user does not have it. (DELETE) */
  remove(request: BindingName, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('DELETE', readBindingName, request, options);
  }

  #call(
    method: keyof typeof bindingActions,
    reader: Reader<BindingName & { readonly scope?: Policy }>,
    request: unknown,
    options: unknown,
  ): Promise<BindingChange> {
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
