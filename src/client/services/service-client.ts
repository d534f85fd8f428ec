import { InvalidArgumentError } from '../../base/errors.js';
import {
  anyText,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readName,
  readWith,
  transform,
} from '../../base/lib/readers.js';
import { readSegment } from '../../base/lib/url.js';
import {
  type Call,
  type CallOptions,
  type CallSender,
  type NamedCall,
  nameErrors,
  readSender,
} from '../connection/call.js';
import type { KnownSender } from '../connection/credentials-contract.js';
import { signalOption, timeoutOption } from '../connection/deadline.js';
import { type HeadersSource, mergeHeaders, readHeaders } from '../connection/headers.js';
import { retryOption } from '../connection/retries.js';
import type { StandardSchema } from '../connection/schema.js';

/** Options of each call of a service client. The service client sets the other options itself. */
export interface ServiceCallOptions extends Pick<CallOptions, 'timeout' | 'signal' | 'retry' | 'operation'> {
  /** Headers of this call; they override those of the client. */
  readonly headers?: HeadersSource | undefined;
}

/** The parts of a call that come from its arguments. */
export type CallParts = Partial<Omit<Call, 'method' | 'base' | 'options'>> & Pick<CallOptions, 'allowStatus'>;

/** The longest answer of a service. They store up to 4 MiB, for which JSON takes up to six times as much. */
const mostBytes = 33_554_432;

const unreachable = 'no such route; see permissionsHandler, integrationUrl';

/** Copies headers, so that the caller cannot change them; the copy is read again when the call is built. */
const copyHeaders = transform(
  readHeaders,
  (layer): HeadersSource =>
    // The cast: a layer that is not a Map is the caller's function.
    layer instanceof Map ? Object.fromEntries(layer) : ((layer as readonly HeadersSource[])[0] ?? {}),
);
/** Readers for the options of a service's call. */
export const serviceCallReaders = {
  timeout: timeoutOption,
  signal: signalOption,
  retry: retryOption,
  operation: anyText,
  headers: copyHeaders,
} satisfies ReadersOf<ServiceCallOptions>;
const serviceCallOptions = optionsOf(serviceCallReaders);

/** Reads the last argument of a call; throws InvalidArgumentError naming the option. */
export const readCallOptions = (options: unknown = {}): ServiceCallOptions =>
  readFields(options, 'options', serviceCallOptions);

/** Reads a name as a path segment; the services reject a `/` in any encoding. */
export const readNameSegment: Reader<string> = transform(readName, (name, reading) =>
  name.includes('/') ? reading.report('must not hold a "/"') : readSegment(name, reading),
);

/** Converts a reader to a schema for the connection. Its issues never quote a value. */
export const schemaOf = <T>(reader: Reader<T>): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'arango-services',
    validate: (body) => {
      const { value, issues } = readWith(body, reader);
      return issues.length === 0 ? { value } : { issues };
    },
  },
});

/** A service of a deployment: validates the arguments of its calls, sends them, and validates the responses. */
export class Service {
  readonly #sender: CallSender;
  readonly #base: NonNullable<Call['base']>;
  readonly #prefix: string;
  readonly #isUnreachable: boolean;

  /**
   * @param isShort true for calls that the gateway has at short paths: `/_` and the path of the call.
   * @throws InvalidArgumentError if the argument is not a connection.
   */
  constructor(connection: KnownSender, base: NonNullable<Call['base']>, prefix: string, isShort = false) {
    this.#sender = readArgument(connection, 'connection', readSender);
    const { credentials, deployment } = connection.parts ?? {};
    const isAtGateway = isShort && (credentials?.cookies ?? deployment?.gateway);
    this.#base = isAtGateway ? 'root' : base;
    this.#prefix = isAtGateway ? '/_' : prefix;
    this.#isUnreachable = this.#base === 'integration' && deployment?.gateway === 'short';
  }

  /** Returns the call info for errors. */
  nameOf(method: string, path: string): NamedCall {
    return this.#sender.nameOf({ method, path: this.#prefix + path, base: this.#base });
  }

  /** Reads the arguments of a call; errors name the call. */
  prepare<T>(method: string, path: string, read: () => T): T {
    return nameErrors(() => this.nameOf(method, path), read);
  }

  /**
   * Sends a call below the service's path. It never throws synchronously.
   * @param path the path in errors about arguments; the `path` from `read` is appended to it.
   * @param answer reads the response body; without it, the body is ignored.
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
      if (this.#isUnreachable) throw new InvalidArgumentError('gateway', unreachable);
      const { allowStatus, ...parts } = read();
      const { headers, ...rest } = readCallOptions(options);
      return {
        ...parts,
        headers: mergeHeaders(headers && readArgument(headers, 'headers', readHeaders), parts.headers),
        method,
        base: this.#base,
        path: this.#prefix + path + (parts.path ?? ''),
        options: {
          operation: this.#prefix + path,
          ...rest,
          allowStatus,
          schema: answer && schemaOf(answer),
          responseType: answer ? 'json' : 'text',
          maxBytes: mostBytes,
        },
      };
    });
    const { body } = await this.#sender.send(call);
    // Trust boundary: the body was validated by the schema.
    return body as T;
  }
}
