import { type Call, Connection } from '../connection/connection.js';
import { type CallOptions, callReaders, readOptions } from '../connection/options.js';
import { type CallSite, expected, locate } from '../errors.js';
import { schemaOf } from '../lib/answers.js';
import type { Reader } from '../lib/arguments.js';

/** What every call of a service client takes as its last argument. */
export type ServiceCallOptions = Pick<CallOptions, 'timeout' | 'signal' | 'retry'>;

/** What the arguments of a call make of it. */
export type Asked = Partial<Omit<Call, 'method' | 'base' | 'options'>>;

const { timeout, signal, retry } = callReaders;
export const serviceCallReaders = { timeout, signal, retry };

/** @throws InvalidArgumentError naming the option. */
export const readCallOptions = (options: unknown = {}): ServiceCallOptions => readOptions(options, serviceCallReaders);

/** The calls of one service: their arguments are read, they are sent, their answers are read. */
export class Service {
  readonly connection: Connection;
  readonly #base: 'integration' | 'management';
  readonly #prefix: string;

  constructor(connection: Connection, base: 'integration' | 'management', name: string) {
    if (!(connection instanceof Connection)) throw expected('connection', 'a Connection', connection);
    this.connection = connection;
    this.#base = base;
    this.#prefix = `/_${base}/${name}`;
  }

  /** A call as messages name it. */
  site(method: string, path: string): CallSite {
    return { method, path: this.connection.pathOf(this.#prefix + path, this.#base) };
  }

  /** Sends a call below the service's path; what `read` gives as `path` comes behind `path`. Never throws synchronously. */
  async ask<T>(
    method: string,
    path: string,
    answer: Reader<T> | undefined,
    options: unknown,
    read: () => Asked = () => ({}),
  ): Promise<T> {
    const call = locate(this.site(method, path), (): Call => {
      const asked = read();
      return {
        ...asked,
        method,
        base: this.#base,
        path: this.#prefix + path + (asked.path ?? ''),
        options: {
          ...readCallOptions(options),
          schema: answer && schemaOf(answer),
          responseType: answer ? 'json' : 'text',
        },
      };
    });
    const { body } = await this.connection.send(call);
    // The edge where bytes become values: the schema has made the body.
    return body as T;
  }
}
