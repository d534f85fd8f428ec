import { type Reader, readFields, readSegment } from '../arguments.js';
import { callReaders, readOptions } from '../connection/options.js';
import type { StandardSchema } from '../connection/schema.js';
import { encodeQuery } from '../connection/url.js';
import { expected, isHttpError } from '../errors.js';
import type { Policy } from '../policy/model.js';
import type { Service, ServiceCallOptions } from '../service.js';
import {
  type BindingChange,
  bindingAnswer,
  deletedAnswer,
  namesAnswer,
  readPolicy,
  type Stored,
  type UserRole,
  userRolesAnswer,
} from './messages.js';

/** What `list` takes. */
export interface ListOptions extends ServiceCallOptions {
  /** Names asked for at once, 1 to 1000. Default: the service's own, 128. */
  readonly pageSize?: number | undefined;
}

const { timeout, signal, retry } = callReaders;
const readPageSize: Reader<number> = (value, field) => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1000) return value;
  throw expected(field, 'a whole number from 1 to 1000', value);
};
const listReaders = { timeout, signal, retry, pageSize: readPageSize };

/**
 * The policies, or the roles, by name. A name with a `/` is refused: the service does not find it in any spelling.
 * Each call needs a token that may do it; else it rejects with `HttpError` 401 or 403.
 */
export class Collection<T> {
  readonly #service: Service;
  readonly #kind: string;
  readonly #reader: Reader<T>;
  readonly #answer: StandardSchema<Stored<T>>;

  /** @internal */
  constructor(service: Service, kind: string, reader: Reader<T>, answer: StandardSchema<Stored<T>>) {
    this.#service = service;
    this.#kind = kind;
    this.#reader = reader;
    this.#answer = answer;
  }

  /** The names in their order, one page after the other as they are needed. (GET /policy, /role) */
  async *list(options?: ListOptions): AsyncGenerator<string, void, undefined> {
    const path = `/${this.#kind}`;
    const { pageSize, ...call } = this.#service.check('GET', path, () => readOptions(options ?? {}, listReaders));
    for (let page = 1, seen = 0; ; page++) {
      const query = encodeQuery({ page, itemsPerPage: pageSize });
      const { names, total } = await this.#service.ask('GET', path, namesAnswer, call, () => ({ query }));
      yield* names;
      seen += names.length;
      if (names.length === 0 || seen >= total) return;
    }
  }

  /** One by its name; `HttpError` 404 where there is none. (GET) */
  get(name: string, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('GET', this.#answer, name, options);
  }

  /** Makes a new one; `HttpError` 409 where the name is taken. (POST) */
  create(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#write('POST', name, item, options);
  }

  /** Replaces one; `HttpError` 404 where there is none. (PUT) */
  update(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#write('PUT', name, item, options);
  }

  /** Deletes one; `HttpError` 404 where there is none. Bindings and roles that name it stay. (DELETE) */
  delete(name: string, options?: ServiceCallOptions): Promise<{ name: string; index: number }> {
    return this.#call('DELETE', deletedAnswer, name, options);
  }

  /** Replaces one or makes it. The token needs both permissions. A timeout counts for each of its calls. */
  async upsert(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.update(name, item, options);
      } catch (error) {
        if (!isHttpError(error) || error.status !== 404) throw error;
      }
      try {
        return await this.create(name, item, options);
      } catch (error) {
        // Somebody else made it in between.
        if (!isHttpError(error) || error.status !== 409 || tries === 3) throw error;
      }
    }
  }

  #write(method: string, name: string, item: T, options: unknown): Promise<Stored<T>> {
    return this.#call(method, this.#answer, name, options, () => ({ item: this.#reader(item, this.#kind) }));
  }

  #call<A>(
    method: string,
    answer: StandardSchema<A>,
    name: string,
    options: unknown,
    read: () => object | undefined = () => undefined,
  ): Promise<A> {
    return this.#service.ask(method, `/${this.#kind}/`, answer, options, () => ({
      path: readSegment(name, 'name'),
      body: read(),
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

/** The users' roles; each counts inside its scope. */
export class Bindings {
  readonly #service: Service;

  /** @internal */
  constructor(service: Service) {
    this.#service = service;
  }

  /** A user's roles, sorted by role. (GET /user/{user}/role) */
  list(user: string, options?: ServiceCallOptions): Promise<UserRole[]> {
    return this.#service.ask('GET', '/user/', userRolesAnswer, options, () => ({
      path: `${readSegment(user, 'user')}/role`,
    }));
  }

  /** Gives a user a role inside a scope; `HttpError` 409 where the user has it. The role need not exist. (POST) */
  assign(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('POST', request, { scope: readPolicy }, options);
  }

  /** Replaces the scope of a user's role; `HttpError` 404 where the user does not have it. (PUT) */
  replaceScope(request: BindingRequest, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('PUT', request, { scope: readPolicy }, options);
  }

  /** Takes a role from a user; an `HttpError` where the user does not have it. (DELETE) */
  remove(request: BindingName, options?: ServiceCallOptions): Promise<BindingChange> {
    return this.#call('DELETE', request, {}, options);
  }

  #call(
    method: string,
    request: BindingName,
    more: { readonly scope?: Reader<Policy> },
    options: unknown,
  ): Promise<BindingChange> {
    return this.#service.ask(method, '/user/', bindingAnswer, options, () => {
      const { user, role, ...body } = readFields(
        request,
        'request',
        { user: readSegment, role: readSegment, ...more },
        {},
      );
      return { path: `${user}/role/${role}`, body: method === 'DELETE' ? undefined : body };
    });
  }
}
