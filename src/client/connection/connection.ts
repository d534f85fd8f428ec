import { requireEngine } from '../../base/lib/engine.js';
import { closeOnDispose } from '../../base/lib/fallbacks.js';
import { quietly } from '../../base/lib/quietly.js';
import { optionsOf, type Reader, readFields } from '../../base/lib/readers.js';
import { type Call, type NamedCall, refused, upperMethod } from './call.js';
import {
  type CloseOptions,
  type ConnectionChanges,
  type ConnectionOptions,
  connectionReaders,
  type ReadConnectionOptions,
  readChanges,
  readCloseOptions,
} from './connection-options.js';
import type { AuthorizedSender, Credentials } from './credentials-contract.js';
import { type Deadline, withSignal } from './deadline.js';
import { type ConnectionState, Deployment } from './deployment.js';
import { exchange } from './exchange.js';
import { mergeHeaders } from './headers.js';
import { keepLifetime, Lifetime } from './lifetime.js';
import { noMethod, prepareCall } from './prepared-call.js';
import type { RouteResponse } from './response.js';
import type { Transport } from './transport.js';

const readConnectionOptions = optionsOf(connectionReaders);

const defaultGraceMs = 10_000;

/**
 * A connection to a database of a deployment. Everything that this package sends goes through `send`. `createClient`
 * creates a connection; create one directly if a browser bundle needs only routes.
 * @example
 * ```ts
 * import { Connection, Route } from 'arango-services';
 *
 * const connection = new Connection({ url: 'http://localhost:8529', database: 'shop' });
 * const { body } = await new Route(connection).get('orders');
 * ```
 */
export class Connection implements AuthorizedSender {
  /** Calls `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #state: ConnectionState;

  /** @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option. */
  constructor(options: ConnectionOptions);
  /** @internal Takes parts instead of options. */
  constructor(options: undefined, state: ConnectionState);
  constructor(
    options: ConnectionOptions | undefined,
    state = openDeployment(readSettings(options, readConnectionOptions)),
  ) {
    this.#state = state;
    closeOnDispose(this);
  }

  /** @internal */
  get parts(): ConnectionState {
    return this.#state;
  }

  /** The name of the database. */
  get database(): string {
    return this.#state.database;
  }

  /**
   * Returns a connection to the same database with other credentials.
   * @param credentials undefined for none.
   * @example
   * ```ts
   * const asCaller = connection.withCredentials(credentials.bearer(token));
   * ```
   */
  withCredentials(credentials: Credentials | undefined): Connection {
    return this.#derive({ credentials });
  }

  /**
   * Returns a connection that shares everything with this one except the given options; `undefined` removes an option.
   * Headers are merged, signals combine, and each `observe` is called. Closing it does not close this one.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   */
  with(options: ConnectionChanges): Connection {
    const state = this.#state;
    const { requestId, ...changes } = readFields(options, 'options', readChanges);
    const ofRequest = requestId ? new Map([['x-request-id', requestId]]) : undefined;
    return this.#derive({
      ...changes,
      ...inDatabase(changes.database ?? state.database),
      headers: mergeHeaders(mergeHeaders(state.headers, ofRequest), changes.headers),
      observe: both(state.observe, changes.observe),
      signals: withSignal(state.signals, changes.signal),
      lifetime: new Lifetime(state.lifetime),
      isPart: true,
    });
  }

  /** Returns the current `Authorization` header of the credentials, or undefined, without requesting a token. */
  async currentToken(): Promise<string | undefined> {
    const { credentials } = this.#state;
    return credentials?.currentToken?.(this.#state.deployment.context);
  }

  /** Drops the credentials' token of this deployment. */
  forget(): void {
    // It may be asynchronous, and no one waits for it.
    quietly(() => this.#state.credentials?.forget?.(this.#state.deployment.context));
  }

  /**
   * Rejects further calls. Calls and streams in flight continue within the grace, including their retries and token
   * renewals, and are then aborted. When none is left, tokens are dropped and the transport is closed, unless other
   * connections use it; then the promise resolves. A connection derived by `with` ends its own calls, and those of
   * connections derived from it, and closes nothing else.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { lifetime, deployment, isPart, graceMs: usualGraceMs = defaultGraceMs } = this.#state;
    const { graceMs = usualGraceMs } = readFields(options, 'options', readCloseOptions);
    await lifetime.close(graceMs);
    if (!isPart) await deployment.close(() => this.forget());
  }

  /**
   * Sends a call. It never throws synchronously, and rejects only with errors of this package.
   * @example
   * ```ts
   * const { status } = await connection.send({ method: 'GET', base: 'root', path: '/_api/version' });
   * ```
   */
  async send(call: Call): Promise<RouteResponse> {
    const state = this.#state;
    const callInfo = this.nameOf(call);
    let deadline: Deadline | undefined;
    try {
      const prepared = prepareCall(call, callInfo, state);
      deadline = prepared.deadline;
      const response = await deadline.race(exchange(prepared));
      if (response.body instanceof ReadableStream) {
        keepLifetime(response.body, state.lifetime);
        // A stream continues under the deadline and releases it at its end.
        deadline.loosen();
      } else {
        deadline.release();
      }
      return response;
    } catch (error) {
      deadline?.release();
      throw keepLifetime(
        deadline ? deadline.again(error) : refused(error, callInfo, () => [call.body]),
        state.lifetime,
      );
    }
  }

  /**
   * Returns the name of a call in errors: its method in upper case (`request` for an invalid one), its path and its
   * origin.
   */
  nameOf({ method, path, base = 'database' }: Pick<Call, 'method' | 'path' | 'base'>): NamedCall {
    const { deployment, databasePath } = this.#state;
    const { origin, prefix } = deployment.bases[base];
    const below = base === 'database' ? databasePath : '';
    return { method: upperMethod(method) ?? noMethod, path: prefix + below + path || '/', origin };
  }

  /** @internal */
  over(makeTransport: (transport: Transport, isCustom: boolean) => Transport): Connection {
    const { transport, isCustom } = this.#state.deployment;
    return this.#derive({ transport: makeTransport(transport, isCustom) });
  }

  /** Returns a connection with other parts. */
  #derive(changes: Partial<ConnectionState>): Connection {
    return new Connection(undefined, { ...this.#state, ...changes });
  }
}

/** The parts that bind a connection to a database. */
function inDatabase(database: string): Pick<ConnectionState, 'database' | 'databasePath'> {
  return { database, databasePath: `/_db/${encodeURIComponent(database)}` };
}

/** Reads each option once; throws Error naming the missing features of the engine. */
export function readSettings<T>(options: unknown, reader: Reader<T>): T {
  requireEngine();
  return readFields(options, 'options', reader);
}

type Observer = ConnectionState['observe'];
/** Calls both observers; the error of one does not keep the other from its event. */
const both = (outer: Observer, inner: Observer): Observer =>
  outer && inner
    ? (event) => {
        quietly(() => outer(event));
        return inner(event);
      }
    : (inner ?? outer);

/** Creates the first connection to a deployment; nothing is sent yet. */
export function openDeployment(settings: ReadConnectionOptions): ConnectionState {
  const { database = '_system', credentials, signal, ...others } = settings;
  const common = { ...others, ...inDatabase(database), signals: withSignal([], signal), lifetime: new Lifetime() };
  const connect = (deployment: Deployment) =>
    new Connection(undefined, { ...common, deployment, isForCredentials: true });
  return { ...common, deployment: new Deployment(settings, connect), credentials };
}
