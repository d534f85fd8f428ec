import { optional, type Reader, readArgument, readFields, readFlag, strictObject } from '../../../base/lib/readers.js';
import type { Policy } from '../../../policy/model/model.js';
import { samePolicy } from '../../../policy/model/normalize.js';
import type { CallSender } from '../../connection/call.js';
import {
  type CallParts,
  readCallOptions,
  readNameSegment,
  Service,
  type ServiceCallOptions,
} from '../service-client.js';
import {
  type BindingChange,
  type BindingOwner,
  bindingChanges,
  readPolicy,
  type UserRole,
  userRoles,
} from './authorization-messages.js';
import { onLaterPlatform } from './newer-platform.js';
import { upsert } from './upsert.js';

/** The user or group, and the role of a binding. */
export type BindingName<K extends BindingOwner = 'user'> = { readonly [owner in K]: string } & {
  readonly role: string;
};

/** A binding to write: a user or group, a role, and the scope in which the role applies. */
export type BindingRequest<K extends BindingOwner = 'user'> = BindingName<K> & {
  readonly scope: Policy;
  /**
   * Allows a `:` in the name of the user or group. The services look up bindings by the prefix `user:` of their names,
   * so a binding of `a:b` also applies to the user `a`; so for groups. Default false: such names are rejected.
   */
  readonly allowColon?: boolean | undefined;
};

/** A binding after an upsert. */
export type UpsertedBinding<K extends BindingOwner = 'user'> = UserRole & { readonly [owner in K]: string } & {
  /** Set only after a write: the services do not return it for an existing binding. */
  readonly index?: number | undefined;
  /** The write, as text for `replica.reached` and `atLeast`; set when `index` is. */
  readonly revision?: string | undefined;
  /** True if the upsert wrote the binding. */
  readonly changed: boolean;
};

/** The permission that writing a binding requires; `-` stands for `User` or `Group`. */
const bindingActions = { POST: 'Assign-Role', PUT: 'Replace-RoleScope', DELETE: 'Remove-Role' } as const;

/** Reads a name that is valid as a path segment, unencoded. */
const readPlainName: Reader<string> = (value, reading) => {
  readNameSegment(value, reading);
  // The cast: the segment was read from a string.
  return value as string;
};

/** The differences between the bindings of users and of groups. */
function kindOf<K extends BindingOwner>(owner: K) {
  const noun = owner === 'user' ? 'User' : 'Group';
  const names = { [owner]: readPlainName, role: readPlainName };
  const readRequest = strictObject({ ...names, scope: readPolicy, allowColon: optional(readFlag) });
  // The casts: the fields are those of the types.
  const read = {
    name: strictObject(names) as Reader<BindingName<K>>,
    /** Rejects a binding that would also apply to another user or group. */
    request: ((value, reading) => {
      const request = readRequest(value, reading) as BindingRequest<K>;
      if (reading.issues.length > 0 || request.allowColon || !request[owner].includes(':')) return request;
      const why = `a ":" also binds ${owner}s named by its prefixes: set allowColon: true`;
      return reading.at(owner, 0, () => reading.report(why));
    }) as Reader<BindingRequest<K>>,
    change: bindingChanges[owner] as Reader<unknown> as Reader<BindingChange<K>>,
  };
  return { owner, path: `/${owner}/`, read, actionOf: (name: string) => `rbac:${name.replace('-', noun)}` };
}

/**
 * The roles of users, or of groups, each limited to a scope: `client.authorization.bindings` and
 * `client.authorization.groupBindings`.
 *
 * The services can list the roles of one user or group, but neither all users and groups nor those with a role. Only
 * later platforms bind roles to groups: others answer 404, and the error says so.
 * @example
 * ```ts
 * const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['orders:*'] }] } as const;
 * await client.authorization.bindings.assign({ user: 'alice', role: 'viewer', scope });
 * await client.authorization.groupBindings.upsert({ group: 'developers', role: 'viewer', scope });
 * ```
 */
export class Bindings<K extends BindingOwner = 'user'> {
  readonly #service: Service;
  readonly #kind: ReturnType<typeof kindOf<K>>;

  /** @internal */
  constructor(connection: CallSender, owner: K) {
    this.#service = new Service(connection, 'management', '/_management/permissions');
    this.#kind = kindOf(owner);
  }

  /**
   * Lists the roles of a user or group, sorted by role. (GET `/_management/permissions/user/{user}/role`,
   * `/_management/permissions/group/{group}/role`)
   * @throws HttpError (code `HTTP`, status 404) for groups, if the platform does not bind roles to groups.
   */
  list(name: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    const { owner, actionOf } = this.#kind;
    return this.#ask('GET', userRoles, options, () => ({
      path: `${readArgument(name, owner, readNameSegment)}/role`,
      service: { needs: { action: actionOf('List-RoleBinding'), resource: name } },
    }));
  }

  /**
   * Assigns a role to a user or group within a scope. The role need not exist yet. (POST `…/user/{user}/role/{role}`,
   * `…/group/{group}/role/{role}`)
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 409) if the user or group already has the role.
   */
  assign(request: BindingRequest<K>, options?: ServiceCallOptions): Promise<BindingChange<K>> {
    return this.#call('POST', request, options);
  }

  /**
   * Replaces the scope of a role of a user or group. (PUT `…/user/{user}/role/{role}`, `…/group/{group}/role/{role}`)
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 404) if the user or group does not have the role.
   */
  replaceScope(request: BindingRequest<K>, options?: ServiceCallOptions): Promise<BindingChange<K>> {
    return this.#call('PUT', request, options);
  }

  /**
   * Ensures that a user or group has a role within a scope: reads its roles, then assigns the role or replaces its
   * scope, unless the scope is the same. Order and duplicates of statements, actions and resources do not matter. If
   * reading is forbidden (403), it writes. A timeout applies to each of its calls. (GET, then PUT or POST)
   * @returns the binding; `changed` is true if it was written.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name with a `:`, unless `allowColon` is true.
   * @throws HttpError (code `HTTP`, status 403) if the token may not write; `needs` is the missing permission.
   * @example
   * ```ts
   * const scope = { statements: [{ effect: 'Allow', actions: ['orders:*'], resources: ['*'] }] } as const;
   * const { changed } = await client.authorization.bindings.upsert({ user: 'alice', role: 'viewer', scope });
   * console.log(changed ? 'written' : 'was there');
   * ```
   */
  async upsert(request: BindingRequest<K>, options?: ServiceCallOptions): Promise<UpsertedBinding<K>> {
    const { owner, path, read } = this.#kind;
    const { copy, call } = this.#service.prepare('PUT', path, () => ({
      copy: readFields(request, 'request', read.request),
      call: readCallOptions(options),
    }));
    const written = await upsert<UserRole>(
      async () => {
        const listed = (await this.list(copy[owner], call)).find((binding) => binding.role === copy.role);
        return listed && { [owner]: copy[owner], ...listed };
      },
      (stored) => samePolicy(stored.scope, copy.scope),
      (method) => this.#call(method, copy, call),
    );
    // The cast: the owner is set, and a write adds the rest.
    return written as UpsertedBinding<K>;
  }

  /**
   * Removes a role from a user or group. (DELETE `…/user/{user}/role/{role}`, `…/group/{group}/role/{role}`)
   * @throws HttpError (code `HTTP`) if there is no such binding; {@link isNotFound} tells it from other failures.
   */
  remove(request: BindingName<K>, options?: ServiceCallOptions): Promise<BindingChange<K>> {
    return this.#call('DELETE', request, options);
  }

  #call(method: keyof typeof bindingActions, request: unknown, options: unknown): Promise<BindingChange<K>> {
    const { owner, read, actionOf } = this.#kind;
    const reader: Reader<BindingName<K> & { readonly scope?: Policy }> = method === 'DELETE' ? read.name : read.request;
    return this.#ask(method, read.change, options, () => {
      const { role, scope, [owner]: name } = readFields(request, 'request', reader);
      return {
        path: [name, 'role', role].map(encodeURIComponent).join('/'),
        body: scope && { scope },
        service: { needs: { action: actionOf(bindingActions[method]), resource: name } },
      };
    });
  }

  #ask<T>(method: string, answer: Reader<T>, options: unknown, read: () => CallParts): Promise<T> {
    const response = this.#service.ask(method, this.#kind.path, answer, options, read);
    return this.#kind.owner === 'user' ? response : onLaterPlatform(response);
  }
}
