import {
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  wholeNumber,
} from '../../../base/lib/readers.js';
import { encodeQuery } from '../../../base/lib/url.js';
import type { Policy, Role } from '../../../policy/model/model.js';
import { samePolicy, sameRole } from '../../../policy/model/normalize.js';
import type { CallSender } from '../../connection/call.js';
import {
  readCallOptions,
  readNameSegment,
  Service,
  type ServiceCallOptions,
  serviceCallReaders,
} from '../service-client.js';
import {
  type Deleted,
  deletedOf,
  names,
  readPolicy,
  readRole,
  type Stored,
  storedPolicy,
  storedRole,
} from './authorization-messages.js';
import { upsert } from './upsert.js';

/** Options of {@link Collection.list}. */
export interface ListOptions extends ServiceCallOptions {
  /** The page size, 1 to 1000. Default: the service's own, 128. */
  readonly pageSize?: number | undefined;
}

export const readListOptions = optionsOf({
  ...serviceCallReaders,
  pageSize: wholeNumber('a whole number', 1, 1000),
} satisfies ReadersOf<ListOptions>);

/** A policy or role after an upsert. */
export interface Upserted<T> extends Stored<T> {
  /** True if the upsert wrote the item. */
  readonly changed: boolean;
}

/** The prefix of permission names (`rbac:GetPolicy`). */
const verbs = { GET: 'Get', POST: 'Create', PUT: 'Update', DELETE: 'Delete' } as const;

/** The differences between policies and roles. */
interface CollectionKind<T> {
  readonly noun: 'Policy' | 'Role';
  readonly reader: Reader<T>;
  readonly answer: Reader<Stored<T>>;
  readonly isSame: (a: T, b: T) => boolean;
}

/**
 * The policies of a deployment, or its roles, each by its name: `client.authorization.policies` and
 * `client.authorization.roles`.
 *
 * Each call needs a token with its permission; else it rejects with `HttpError` 401 or 403. A name with a `/` is
 * rejected, because the service finds it in no encoding.
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
  readonly #kind: CollectionKind<T>;
  readonly #path: string;

  /** @internal */
  constructor(connection: CallSender, kind: CollectionKind<T>) {
    this.#service = new Service(connection, 'management', '/_management/permissions');
    this.#kind = kind;
    this.#path = `/${kind.noun.toLowerCase()}`;
  }

  /**
   * Returns the policies of a connection's deployment; `client.authorization.policies` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  static policies(connection: CallSender): Collection<Policy> {
    return new Collection(connection, { noun: 'Policy', reader: readPolicy, answer: storedPolicy, isSame: samePolicy });
  }

  /**
   * Returns the roles of a connection's deployment; `client.authorization.roles` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  static roles(connection: CallSender): Collection<Role> {
    return new Collection(connection, { noun: 'Role', reader: readRole, answer: storedRole, isSame: sameRole });
  }

  /**
   * Lists the names in order. Pages are fetched lazily.
   * (GET `/_management/permissions/policy`, `/role`)
   * @example
   * ```ts
   * for await (const name of client.authorization.policies.list()) console.log(name);
   * ```
   */
  async *list(options: ListOptions = {}): AsyncGenerator<string, void, undefined> {
    const path = this.#path;
    const service = { needs: { action: `rbac:List${this.#kind.noun}`, resource: '' } };
    const { pageSize, ...call } = this.#service.prepare('GET', path, () =>
      readFields(options, 'options', readListOptions),
    );
    for (let page = 1, seen = 0; ; page++) {
      const read = () => ({ query: encodeQuery({ page, itemsPerPage: pageSize }), service });
      const answer = await this.#service.ask('GET', path, names, call, read);
      yield* answer.names;
      seen += answer.names.length;
      if (answer.names.length === 0 || seen >= (answer.page?.items ?? 0)) return;
    }
  }

  /**
   * Returns the policy or role with this name. (GET `…/policy/{name}`, `…/role/{name}`)
   * @throws HttpError (code `HTTP`, status 404) if it does not exist.
   */
  get(name: string, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('GET', name, options);
  }

  /**
   * Creates a policy or role. (POST `…/policy/{name}`, `…/role/{name}`)
   * @throws HttpError (code `HTTP`, status 409) if the name is taken.
   */
  create(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('POST', name, options, () => this.#read(item));
  }

  /**
   * Replaces the policy or role with this name. (PUT `…/policy/{name}`, `…/role/{name}`)
   * @throws HttpError (code `HTTP`, status 404) if it does not exist.
   */
  update(name: string, item: T, options?: ServiceCallOptions): Promise<Stored<T>> {
    return this.#call('PUT', name, options, () => this.#read(item));
  }

  /**
   * Deletes the policy or role with this name. Roles and bindings that refer to it do not change. (DELETE
   * `…/policy/{name}`, `…/role/{name}`)
   * @throws HttpError (code `HTTP`, status 404) if it does not exist.
   */
  delete(name: string, options?: ServiceCallOptions): Promise<Deleted> {
    return this.#call('DELETE', name, options);
  }

  /**
   * Ensures that the policy or role is stored as given: reads it, then creates or replaces it unless it is the same.
   * Order and duplicates of statements, actions, resources and a role's policies do not matter; a missing description
   * equals an empty one, but a missing scope differs from an empty one. If reading is forbidden (403), it writes. A
   * timeout applies to each of its calls. (GET, then PUT or POST)
   * @returns the stored policy or role; `changed` is true if it was written.
   * @throws HttpError (code `HTTP`, status 403) if the token may not write; `needs` is the missing permission.
   * @example
   * ```ts
   * const { changed } = await client.authorization.roles.upsert('viewer', { policies: ['read-orders'] });
   * console.log(changed ? 'written' : 'was there');
   * ```
   */
  async upsert(name: string, item: T, options?: ServiceCallOptions): Promise<Upserted<T>> {
    const { copy, call } = this.#service.prepare('PUT', `${this.#path}/`, () => ({
      copy: this.#read(item),
      call: readCallOptions(options),
    }));
    return upsert(
      () => this.get(name, call),
      (stored) => this.#kind.isSame(stored.item, copy),
      (method) => this.#call(method, name, call, () => copy),
    );
  }

  #read(item: unknown): T {
    return readArgument(item, this.#path.slice(1), this.#kind.reader);
  }

  #call(method: keyof typeof verbs, name: string, options: unknown, read?: () => T): Promise<Stored<T>> {
    // The cast: the response to a delete has no item.
    const answer = method === 'DELETE' ? (deletedOf(this.#path.slice(1)) as Reader<Stored<T>>) : this.#kind.answer;
    return this.#service.ask(method, `${this.#path}/`, answer, options, () => ({
      path: readArgument(name, 'name', readNameSegment),
      body: read && { item: read() },
      service: { needs: { action: `rbac:${verbs[method]}${this.#kind.noun}`, resource: name } },
    }));
  }
}
