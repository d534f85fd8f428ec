import { type CallSender, prepareCall } from '../../connection/call.js';
import { encodeQuery } from '../../connection/url.js';
import { isHttpError } from '../../errors.js';
import { accepting, optionsOf, type Reader, readArgument, readFields, strictObject } from '../../lib/readers.js';
import type { Policy, Role } from '../../policy/model.js';
import {
  readCallOptions,
  readNameSegment,
  Service,
  type ServiceCallOptions,
  serviceCallReaders,
} from '../service-client.js';
import {
  type BindingChange,
  binding,
  deleted,
  names,
  readPolicy,
  readRole,
  type Stored,
  storedPolicy,
  storedRole,
  type UserRole,
  userRoles,
} from './messages.js';

/** What {@link Collection.list} takes. */
export interface ListOptions extends ServiceCallOptions {
  /** Names asked for at once, 1 to 1000. Default: the service's own, 128. */
  readonly pageSize?: number | undefined;
}

const readPageSize = accepting<number>(
  'a whole number from 1 to 1000',
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1000,
);
const mostTries = 6;
const readListOptions = optionsOf({ ...serviceCallReaders, pageSize: readPageSize });

/**
 * The policies of a deployment, or its roles, each by its name: `client.authorization.policies` and `client.authorization.roles`.
 *
 * Each call needs a token that may do it; else it rejects with `HttpError` 401 or 403. A name with a `/` is refused, because the
 * service does not find it in any spelling.
 *
 * @example
 * ```ts
 * const { policies, roles } = client.authorization;
 * await policies.create('read-orders', {
 *   statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }],
 * });
 * await roles.create('viewer', { policies: ['read-orders'] });
 * ```
 */
export class Collection<T> {
  readonly #service: Service;
  readonly #kind: string;
  readonly #reader: Reader<T>;
  readonly #answer: Reader<Stored<T>>;

  private constructor(connection: CallSender, kind: 'policy' | 'role', reader: Reader<T>, answer: Reader<Stored<T>>) {
    this.#service = new Service(connection, 'management', 'permissions');
    this.#kind = kind;
    this.#reader = reader;
    this.#answer = answer;
  }

  /** Gives the policies of a connection's deployment; `client.authorization.policies` is the shorter way. @throws InvalidArgumentError */
  static policies(connection: CallSender): Collection<Policy> {
    return new Collection(connection, 'policy', readPolicy, storedPolicy);
  }

  /** Gives the roles of a connection's deployment; `client.authorization.roles` is the shorter way. @throws InvalidArgumentError */
  static roles(connection: CallSender): Collection<Role> {
    return new Collection(connection, 'role', readRole, storedRole);
  }

  /**
   * Lists the names in their order; a page is asked for when its first name is needed.
   * (GET `/_management/permissions/policy`, `/role`)
   *
   * @example
   * ```ts
   * for await (const name of client.authorization.policies.list()) console.log(name);
   * ```
   */
  async *list(options?: ListOptions): AsyncGenerator<string, void, undefined> {
    const path = `/${this.#kind}`;
    const { pageSize, ...call } = prepareCall(this.#service.nameOf('GET', path), () =>
      readFields(options ?? {}, 'options', readListOptions),
    );
    for (let page = 1, seen = 0; ; page++) {
      const read = () => ({ query: encodeQuery({ page, itemsPerPage: pageSize }) });
      const answer = await this.#service.ask('GET', path, names, call, read);
      yield* answer.names;
      seen += answer.names.length;
      if (answer.names.length === 0 || seen >= (answer.page?.items ?? 0)) return;
    }
  }

  /**
   * Gives the one with this name. (GET `…/policy/{name}`, `…/role/{name}`)
   *
   * @throws HttpError 404 where there is none.
   */
  get(name: string, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('GET', this.#answer, name, options);
  }

  /**
   * Makes a new one. (POST `…/policy/{name}`, `…/role/{name}`)
   *
   * @throws HttpError 409 where the name is taken.
   */
  create(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('POST', this.#answer, name, options, () => this.#body(item));
  }

  /**
   * Replaces the one with this name. (PUT `…/policy/{name}`, `…/role/{name}`)
   *
   * @throws HttpError 404 where there is none.
   */
  update(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('PUT', this.#answer, name, options, () => this.#body(item));
  }

  /**
   * Deletes the one with this name. Roles and bindings that name it stay as they are. (DELETE `…/policy/{name}`, `…/role/{name}`)
   *
   * @throws HttpError 404 where there is none.
   */
  delete(name: string, options?: ServiceCallOptions): Promise<{ name: string; index: number }> {
    return this.#call('DELETE', deleted, name, options);
  }

  /**
   * Replaces the one with this name, or makes it where there is none (PUT, then POST after a 404). The token needs the permission
   * for both. A `timeout` counts for each of the calls.
   */
  async upsert(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    const { body, call } = prepareCall(this.#service.nameOf('PUT', `/${this.#kind}/`), () => ({
      body: this.#body(item),
      call: readCallOptions(options),
    }));
    for (let tries = 1; ; tries++) {
      // Somebody else may make it, or delete it, in between.
      const [method, other] = tries % 2 === 1 ? (['PUT', 404] as const) : (['POST', 409] as const);
      try {
        return await this.#call(method, this.#answer, name, call, () => body);
      } catch (error) {
        if (!isHttpError(error) || error.status !== other || tries === mostTries) throw error;
      }
    }
  }

  #body(item: T): object {
    return { item: readArgument(item, this.#kind, this.#reader) };
  }

  #call<A>(method: string, answer: Reader<A>, name: string, options: unknown, read?: () => object): Promise<A> {
    return this.#service.ask(method, `/${this.#kind}/`, answer, options, () => ({
      path: readArgument(name, 'name', readNameSegment),
      body: read?.(),
    }));
  }
}

/** Which user has which role. */
export interface BindingName {
  readonly user: string;
  readonly role: string;
}

/** Which user gets which role, and where it counts. */
export interface BindingRequest extends BindingName {
  readonly scope: Policy;
}

const bindingName = { user: readNameSegment, role: readNameSegment };
const readBindingName = strictObject(bindingName);
const readBinding = strictObject({ ...bindingName, scope: readPolicy });

/**
 * Which users have which roles, each inside a scope: `client.authorization.bindings`.
 *
 * @example
 * ```ts
 * const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['orders:*'] }] } as const;
 * await client.authorization.bindings.assign({ user: 'alice', role: 'viewer', scope });
 * ```
 */
export class Bindings {
  readonly #service: Service;

  /** `client.authorization.bindings` is the shorter way. @throws InvalidArgumentError */
  constructor(connection: CallSender) {
    this.#service = new Service(connection, 'management', 'permissions');
  }

  /** Lists a user's roles, sorted by role. (GET `/_management/permissions/user/{user}/role`) */
  list(user: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    return this.#service.ask('GET', '/user/', userRoles, options, () => ({
      path: `${readArgument(user, 'user', readNameSegment)}/role`,
    }));
  }

  /**
   * Gives a user a role inside a scope. The role need not exist yet. (POST `…/user/{user}/role/{role}`)
   *
   * @throws HttpError 409 where the user has the role.
   */
  assign(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('POST', readBinding, request, options);
  }

  /**
   * Replaces the scope of a user's role. (PUT `…/user/{user}/role/{role}`)
   *
   * @throws HttpError 404 where the user does not have the role.
   */
  replaceScope(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('PUT', readBinding, request, options);
  }

  /**
   * Takes a role from a user. (DELETE `…/user/{user}/role/{role}`)
   *
   * @throws HttpError where the user does not have the role.
   */
  remove(request: BindingName, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('DELETE', readBindingName, request, options);
  }

  #call(
    method: string,
    reader: Reader<BindingName & { readonly scope?: Policy }>,
    request: unknown,
    options: unknown,
  ): Promise<BindingChange> {
    return this.#service.ask(method, '/user/', binding, options, () => {
      const { user, role, scope } = readFields(request, 'request', reader);
      return { path: `${user}/role/${role}`, body: scope && { scope } };
    });
  }
}
