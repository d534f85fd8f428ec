import { type CallSender, prepareCall } from '../../connection/call.js';
import { encodeQuery } from '../../connection/url.js';
import { isHttpError } from '../../errors.js';
import { accepting, optionsOf, type Reader, readArgument, readFields, strictObject } from '../../lib/readers.js';
import type { Policy, Role } from '../../policy/model.js';
import {
  readCallOptions,
  readSegment,
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

/** What `list` takes. */
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
 * The policies, or the roles, by name. A name with a `/` is refused: the service does not find it in any spelling.
 * Each call needs a token that may do it; else it rejects with `HttpError` 401 or 403.
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

  /** The policies of a connection's deployment; `client.authorization.policies` is the shorter way. */
  static policies(connection: CallSender): Collection<Policy> {
    return new Collection(connection, 'policy', readPolicy, storedPolicy);
  }

  /** The roles of a connection's deployment; `client.authorization.roles` is the shorter way. */
  static roles(connection: CallSender): Collection<Role> {
    return new Collection(connection, 'role', readRole, storedRole);
  }

  /** The names in their order, one page after the other as they are needed. (GET /policy, /role) */
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

  /** One by its name; `HttpError` 404 where there is none. (GET) */
  get(name: string, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('GET', this.#answer, name, options);
  }

  /** Makes a new one; `HttpError` 409 where the name is taken. (POST) */
  create(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('POST', this.#answer, name, options, () => this.#body(item));
  }

  /** Replaces one; `HttpError` 404 where there is none. (PUT) */
  update(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('PUT', this.#answer, name, options, () => this.#body(item));
  }

  /** Deletes one; `HttpError` 404 where there is none. Bindings and roles that name it stay. (DELETE) */
  delete(name: string, options?: ServiceCallOptions): Promise<{ name: string; index: number }> {
    return this.#call('DELETE', deleted, name, options);
  }

  /** Replaces one or makes it. The token needs both permissions. A timeout counts for each of its calls. */
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
      path: readArgument(name, 'name', readSegment),
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

const bindingName = { user: readSegment, role: readSegment };
const readBindingName = strictObject(bindingName);
const readBinding = strictObject({ ...bindingName, scope: readPolicy });

/** The users' roles; each counts inside its scope. */
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

  /** Takes a role from a user; an `HttpError` where the user does not have it. (DELETE) */
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
