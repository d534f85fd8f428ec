import {
  type Call,
  type CallOptions,
  type CallSender,
  type NamedCall,
  prepareCall,
  readSender,
} from '../connection/call.js';
import { readSignal, readTimeout } from '../connection/deadline.js';
import { type HeadersSource, mergeHeaders, readHeaders } from '../connection/headers.js';
import { readRetry } from '../connection/retry.js';
import type { StandardSchema } from '../connection/schema.js';
import { readSegment } from '../connection/url.js';
import { optionsOf, type Reader, readArgument, readFields, readName, readWith, transform } from '../lib/readers.js';

/**
 * What every call of a service client takes as its last argument. The other options of a call are the service's own
 * matter.
 */
export interface ServiceCallOptions extends Pick<CallOptions, 'timeout' | 'signal' | 'retry'> {
  /** Sent with this call; they override those of the client. */
  readonly headers?: HeadersSource | undefined;
}

/** What is made of the arguments of a call. */
export type CallParts = Partial<Omit<Call, 'method' | 'base' | 'options'>>;

/** Headers in a form that the caller cannot change, and that is read once more where the call is made. */
const copyHeaders = transform(
  readHeaders,
  (layer): HeadersSource =>
    // The cast: a layer that is no Map is the function that the caller gave.
    layer instanceof Map ? Object.fromEntries(layer) : ((layer as readonly HeadersSource[])[0] ?? {}),
);
/** How the options of a service's call are read. */
export const serviceCallReaders = {
  timeout: readTimeout,
  signal: readSignal,
  retry: readRetry,
  headers: copyHeaders,
};
const serviceCallOptions = optionsOf(serviceCallReaders);

/**
 * Reads the last argument of a call.
 * @throws InvalidArgumentError naming the option.
 */
export const readCallOptions = (options: unknown = {}): ServiceCallOptions =>
  readFields(options, 'options', serviceCallOptions);

/** A name as a path segment; the services refuse a `/` in any spelling. */
export const readNameSegment: Reader<string> = transform(readName, (name, reading) =>
  name.includes('/')
    ? reading.report('must not hold a "/": the service answers 404 to it')
    : readSegment(name, reading),
);

/** The schema of an answer, for the connection. What the reader refuses becomes issues, which never quote a value. */
const schemaOf = <T>(reader: Reader<T>): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'arango-services',
    validate: (body) => {
      const { value, issues } = readWith(body, reader);
      return issues.length === 0 ? { value } : { issues: issues.map(({ path, message }) => ({ path, message })) };
    },
  },
});

/** One service of a deployment: reads the arguments of its calls, sends them, and reads the answers. */
export class Service {
  readonly #sender: CallSender;
  readonly #base: 'integration' | 'management';
  readonly #prefix: string;

  /** @throws InvalidArgumentError for what is no connection. */
  constructor(connection: CallSender, base: 'integration' | 'management', name: string) {
    this.#sender = readArgument(connection, 'connection', readSender);
    this.#base = base;
    this.#prefix = `/_${base}/${name}`;
  }

  /** Gives what errors name a call by. */
  nameOf(method: string, path: string): NamedCall {
    return this.#sender.nameOf({ method, path: this.#prefix + path, base: this.#base });
  }

  /** Reads the arguments of a call; a refusal names it. */
  prepare<T>(method: string, path: string, read: () => T): T {
    return prepareCall(() => this.nameOf(method, path), read);
  }

  /**
   * Sends a call below the service's path. It never throws synchronously.
   *
   * @param path what errors name the call by; what `read` gives as `path` comes behind it.
   * @param answer reads the body of the answer; without it the body does not matter.
   * @param read reads the arguments of the call.
   */
  async ask<T>(
    method: string,
    path: string,
    answer: Reader<T> | undefined,
    options: unknown,
    read: () => CallParts = () => ({}),
  ): Promise<T> {
    const call = this.prepare(method, path, (): Call => {
      const parts = read();
      const { headers, ...rest } = readCallOptions(options);
      return {
        ...parts,
        headers: mergeHeaders(headers && readArgument(headers, 'headers', readHeaders), parts.headers),
        method,
        base: this.#base,
        path: this.#prefix + path + (parts.path ?? ''),
        options: {
          ...rest,
          schema: answer && schemaOf(answer),
          responseType: answer ? 'json' : 'text',
        },
      };
    });
    const { body } = await this.#sender.send(call);
    // The edge where bytes become values: the schema has made the body.
    return body as T;
  }
}
