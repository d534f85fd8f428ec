import type { CallOptions } from '../connection/call.js';
import {
  type Call,
  type CallSender,
  callReaders,
  type NamedCall,
  prepareCall,
  readSender,
} from '../connection/call.js';
import { type HeadersSource, readHeaders } from '../connection/headers.js';
import type { StandardSchema } from '../connection/schema.js';
import { readSegment as readAnySegment } from '../connection/url.js';
import { optionsOf, type Reader, readArgument, readFields, readName, readWith, transform } from '../lib/readers.js';

/** What every call of a service client takes as its last argument. */
export interface ServiceCallOptions extends Pick<CallOptions, 'timeout' | 'signal' | 'retry'> {
  /** Sent with this call; they override those of the client. */
  readonly headers?: HeadersSource | undefined;
}

/** What the arguments of a call make of it. */
export type CallParts = Partial<Omit<Call, 'method' | 'base' | 'options'>>;

const { timeout, signal, retry } = callReaders;
/** Headers in a form that the caller cannot change, and that is read once more where the call is made. */
const copyHeaders = transform(
  readHeaders,
  (layer): HeadersSource =>
    // The cast: a layer that is no Map is the function that the caller gave.
    layer instanceof Map ? Object.fromEntries(layer) : ((layer as readonly HeadersSource[])[0] ?? {}),
);
export const serviceCallReaders = { timeout, signal, retry, headers: copyHeaders };
const serviceCallOptions = optionsOf(serviceCallReaders);

/** @throws InvalidArgumentError naming the option. */
export const readCallOptions = (options: unknown = {}): ServiceCallOptions =>
  readFields(options, 'options', serviceCallOptions);

/** A name as a path segment; the services refuse a `/` in any spelling. */
export const readSegment: Reader<string> = transform(readName, (name, reading) =>
  name.includes('/')
    ? reading.report('must not hold a "/": the service answers 404 to it')
    : readAnySegment(name, reading),
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

/** The calls of one service: their arguments are read, they are sent, their answers are read. */
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

  /** A call as errors name it. */
  nameOf(method: string, path: string): NamedCall {
    return this.#sender.nameOf({ method, path: this.#prefix + path, base: this.#base });
  }

  /** Sends a call below the service's path; what `read` gives as `path` comes behind `path`. Never throws synchronously. */
  async ask<T>(
    method: string,
    path: string,
    answer: Reader<T> | undefined,
    options: unknown,
    read: () => CallParts = () => ({}),
  ): Promise<T> {
    const call = prepareCall(this.nameOf(method, path), (): Call => {
      const parts = read();
      const { headers, ...rest } = readCallOptions(options);
      return {
        ...parts,
        ...(headers && { headers: readArgument(headers, 'headers', readHeaders) }),
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
