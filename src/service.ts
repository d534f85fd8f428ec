import { type Call, Connection } from './connection/connection.js';
import { type CallOptions, callReaders, readOptions } from './connection/options.js';
import type { StandardSchema } from './connection/schema.js';
import { expected, locate } from './errors.js';

/** What every call of a service client takes as its last argument. */
export type ServiceCallOptions = Pick<CallOptions, 'timeout' | 'signal' | 'retry'>;

/** What the arguments of a call make of it. */
export type Asked = Partial<Omit<Call, 'method' | 'base' | 'options'>>;

const { timeout, signal, retry } = callReaders;
const readers = { timeout, signal, retry };

/** @throws InvalidArgumentError naming the option. */
export const readCallOptions = (options: unknown): ServiceCallOptions => readOptions(options ?? {}, readers);

/** The calls of one service: their arguments are read, they are sent, their answers are read. */
export class Service {
  readonly connection: Connection;
  readonly #base: 'integration' | 'management';
  readonly #prefix: string;

  constructor(connection: Connection, base: 'integration' | 'management', prefix: string) {
    if (!(connection instanceof Connection)) throw expected('connection', 'a Connection', connection);
    this.connection = connection;
    this.#base = base;
    this.#prefix = prefix;
  }

  /** Reads arguments; what it refuses names the call. */
  check<T>(method: string, path: string, read: () => T): T {
    return locate({ method, path: this.pathOf(path) }, read);
  }

  /** Where a path below the service's is, for messages. */
  pathOf(path: string): string {
    return this.connection.pathOf(this.#prefix + path, this.#base);
  }

  /** Sends a call below the service's path; what `read` gives as `path` comes behind `path`. Never throws synchronously. */
  async ask<T>(
    method: string,
    path: string,
    schema: StandardSchema<T> | undefined,
    options: unknown,
    read: () => Asked = () => ({}),
  ): Promise<T> {
    const call = this.check(method, path, (): Call => {
      const asked = read();
      const own: CallOptions = {
        ...readCallOptions(options),
        schema,
        responseType: schema === undefined ? 'text' : 'json',
      };
      return { ...asked, method, base: this.#base, path: this.#prefix + path + (asked.path ?? ''), options: own };
    });
    const { body } = await this.connection.send(call);
    // The edge where bytes become values: the schema has made the body.
    return body as T;
  }
}
