/// <reference lib="esnext.disposable" preserve="true" />

import type { OnDecision } from '../policy/decision-line/on-decision.js';
import type { EvaluatorQuestion } from '../policy/index.js';
import type { Settings } from './config/mock-config.js';
import type { CustomHandler, StreamHandler } from './kit/custom-handler.js';
import type { MockExplanation } from './kit/explain-decision.js';
import type { Faults } from './kit/faults.js';
import type { ForwardOptions, MockServiceOptions, ServiceValidator } from './kit/hosted/service-types.js';
import type { TypedServiceHandlers } from './kit/hosted/typed-handlers.js';
import type { LoggedRequest } from './kit/logged-request.js';
import type { RequestListener, RequestLog } from './kit/request-log.js';
import type { TokenKit } from './kit/token-kit.js';
import type { WaitOptions } from './kit/waiters.js';
import type { PlatformLogOptions } from './logs/platform-log-options.js';
import type { MockConnection, MockGatewayConnection } from './mock-connection.js';
import type { MockFault } from './options/fault.js';
import type { RequestFilter } from './options/request-filter.js';
import type { Routing } from './server/lookup.js';
import type { StreamSource } from './server/stream-source.js';
import type { MockClock } from './state/mock-clock.js';
import type { MockSnapshot } from './state/snapshots.js';
import type { Fetch, HandleRequest } from './wire/http.js';

/** A whole platform in memory: the integration services, their management API, and a little of the database. */
export interface Mock extends AsyncDisposable {
  /** A fetch function that the mock answers, whatever the URL's host. It rejects, aborts and redirects like fetch. */
  readonly fetch: Fetch;
  /**
   * For `createClient(mock.connection)`: the gateway and a sidecar in one.
   * @example
   * ```ts
   * const client = createClient(mock.connection);
   * ```
   */
  readonly connection: MockConnection;
  /**
   * The platform's gateway alone, as pages reach it: `/_integration/*` is not routed, whatever `gateway.integration`
   * is, and the origin is another one, `http://gateway.mock.test`.
   * @example
   * ```ts
   * const client = createClient({ ...mock.gateway.connection, database: 'shop' });
   * ```
   */
  readonly gateway: { readonly connection: MockGatewayConnection };
  /**
   * The entry point of all adapters: takes a transport-neutral request and returns a transport-neutral response. It
   * never throws or rejects.
   */
  readonly handle: HandleRequest;
  /**
   * For adapters that read the body before they call `handle`: take this signal when the request begins and pass it on.
   * Aborted by the next `restore` or `reset`.
   */
  readonly epoch: AbortSignal;
  /** The effective settings, with defaults filled in. They include the configured passwords and keys. */
  readonly settings: Settings;
  /**
   * The parts that its ports and its console work on.
   * @internal
   */
  readonly parts: MockParts;
  /**
   * The clock for issuing and validating tokens. It follows `Date` (including fake timers) until it is set.
   * @example
   * ```ts
   * const token = await mock.tokens.issue({ user: 'alice', lifetime: '10m' });
   * mock.clock.advance('10m'); // the token has expired
   * mock.clock.set('2026-11-20T12:00:00Z'); // the clock stops there
   * ```
   */
  readonly clock: MockClock;
  /**
   * Received requests, oldest first, within `limits.log` and `limits.logBytes`. Credentials, passwords and tokens are
   * redacted.
   * @example
   * ```ts
   * await mock.fetch(`${mock.connection.url}/_api/version`);
   * mock.requests.at(-1)?.status; // 401
   * mock.requests.find({ method: 'GET', path: '/_api/version' })?.headers;
   * ```
   */
  readonly requests: RequestLog;
  /**
   * How often decisions were asked to see the newest permissions first: by a call with `refresh: true`, or by
   * `refreshSidecar()`. Only with `platform: 'next'`.
   * @example
   * ```ts
   * const mock = await createMock({ platform: 'next', lag: '2s' });
   * const url = `${mock.connection.url}/_integration/authorization/v1/refresh`;
   * await mock.fetch(url, { method: 'POST', body: '{}' });
   * mock.refreshes; // 1
   * ```
   */
  readonly refreshes: number;
  /**
   * Waits for the first request that matches a filter, in the log or yet to come; call `mock.requests.clear()` first to
   * match only new ones. Rejects after `timeoutMs` (default 5000), listing the requests that did arrive, and when the
   * mock is restored, reset or disposed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a filter that no request can match.
   * @example
   * ```ts
   * const arrived = mock.waitFor({ method: 'POST', path: '/evaluate' }, { timeout: 1_000 });
   * await mock.fetch(`${mock.connection.url}/_integration/authorization/v1/evaluate`, { method: 'POST', body: '{}' });
   * (await arrived).decision; // 'Allow': a request without a user is the superuser's
   * ```
   */
  waitFor(filter: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  /**
   * Adds an endpoint for a method (`*` for any) and a pattern like `/_db/:db/my-service/*`. A named segment may also be
   * written as in OpenAPI, `/_db/{db}/orders/{id}`. Of several with the same pattern, the last one added wins.
   * @returns a function that removes it.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid method or pattern, or a path that the mock
   * serves itself.
   * @example
   * ```ts
   * mock.route('GET', '/_db/:db/orders/:id', ({ params, user }) => ({ body: { id: params.id, askedBy: user } }));
   * mock.route('POST', '/_db/:db/orders', () => ({ status: 409, body: { message: 'the order exists already' } }));
   * ```
   */
  route(method: string, pattern: string, handler: CustomHandler, options?: { readonly body?: undefined }): () => void;
  /**
   * Adds an endpoint whose handler reads the body as a stream, of any length and at its own speed: for a slow reader,
   * or a large upload.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as the other form does, and for unknown options.
   */
  route(method: string, pattern: string, handler: StreamHandler, options: { readonly body: 'stream' }): () => void;
  /**
   * Adds a service behind the gateway, at `/_service/uds/_db/<database>/<name>` of every database, or with `global` at
   * `/_service/uds/_global/<name>`. The gateway authenticates each request and replaces its credentials as the options
   * say; the handlers, by path template and method, get the request as the service would. With a type argument, the
   * `paths` of openapi-typescript, the handlers are typed by the service's OpenAPI document.
   *
   * A second call for the same service adds operations to it.
   * @returns a function that removes what this call added.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid name, template, handler or option, and for an
   * operation that the service has already, unless `replace` is true.
   * @example
   * ```ts
   * mock.service('orders', {
   *   '/orders/{id}': { get: ({ path, user }) => ({ body: { id: path.id, askedBy: user } }) },
   * });
   * const authorization = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
   * const url = `${mock.connection.url}/_service/uds/_db/shop/orders/orders/7`;
   * await (await mock.fetch(url, { headers: { authorization } })).json(); // { id: '7', askedBy: 'alice' }
   * ```
   */
  service<Paths = unknown>(
    name: string,
    handlers: NoInfer<TypedServiceHandlers<Paths, 'validated'>>,
    options: MockServiceOptions & { readonly validate: ServiceValidator },
  ): () => void;
  /** Adds a service without a validator: parameters reach its handlers as text. */
  service<Paths = unknown>(
    name: string,
    handlers: NoInfer<TypedServiceHandlers<Paths, 'text'>>,
    options?: MockServiceOptions,
  ): () => void;
  /**
   * Forwards the requests of a service to a running one, with the headers that the gateway sends; both bodies are
   * streams, of any size. Operations that another call adds are answered by their handlers instead. Redirects are not
   * followed, and there is no upgrade to WebSocket. If the service does not answer, the answer is the gateway's 503.
   * Needs `node:http`.
   * @param url the origin of the service, on this machine unless `allowRemote` is true
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for anything else, and for a service that is there already,
   * unless `replace` is true.
   * @example
   * ```ts
   * mock.service('orders', 'http://127.0.0.1:3000');
   * ```
   */
  service(name: string, url: string, options?: ForwardOptions): () => void;
  /**
   * Scripts a fault. Faults apply in the order of scripting, each `times` times (default 1).
   * @returns a function that removes it.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a fault that does nothing or can never happen.
   * @example
   * ```ts
   * mock.fail({ path: '/evaluate', status: 503, headers: { 'retry-after': '1' }, times: 2 });
   * mock.fail({ path: '/login', drop: true }); // a network error
   * const undo = mock.fail({ delayMs: 3_000, times: Number.POSITIVE_INFINITY }); // every request is slow
   * undo();
   * ```
   */
  fail(fault: MockFault): () => void;
  /** Throws if a scripted fault never happened, and names it. Removed faults do not count. */
  assertFaultsUsed(): void;
  /** Issues valid tokens, forges invalid ones, and revokes tokens. */
  readonly tokens: TokenKit;
  /** The keys that sign and verify tokens. */
  readonly keys: {
    /** Generates a new active key of the same kind; the old one still verifies tokens. */
    rotate(): Promise<void>;
  };
  /**
   * Explains a decision: the statement, policy, role and scope that allowed it, or for each binding why it did not, as
   * data and as readable `text`. Follows the policies alone, whatever the authorization type.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid request.
   * @example
   * ```ts
   * const mock = await createMock({ bindings: [{ user: 'alice', role: 'viewer' }] });
   * const { decision, text } = mock.explain({ user: 'alice', action: 'orders:read', resource: 'orders' });
   * console.log(text); // why alice is denied
   * ```
   */
  explain(request: EvaluatorQuestion): MockExplanation;
  /**
   * Saves the whole state: users, policies, roles, bindings, counters, revoked tokens, keys, clock, added routes,
   * faults and the request log. Cheap enough for every test.
   * @example
   * ```ts
   * const start = mock.snapshot();
   * await mock.keys.rotate();
   * mock.restore(start);
   * ```
   */
  snapshot(): MockSnapshot;
  /**
   * Restores a snapshot, any number of times. Requests in flight are cut off: their callers get a network error, and
   * they no longer change, log or count anything; nor does a handler that is still running, a token being signed or a
   * key being generated. A pending `waitFor` rejects. Only a request whose own handler calls this is still answered (in
   * a browser, only if it does so before its first `await`).
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if it is not a snapshot of this mock.
   */
  restore(snapshot: MockSnapshot): void;
  /** Restores the state right after `createMock`, as `restore` does. */
  reset(): void;
  /**
   * Calls `listener` after each answer with method, path, status and decisions, but no headers, query or body. Errors
   * that it throws or rejects with are ignored.
   * @returns a function that removes the listener.
   * @example
   * ```ts
   * mock.onRequest(({ method, path, status }) => console.log(method, path, status));
   * ```
   */
  onRequest(listener: RequestListener): () => void;
  /**
   * Calls a hook with each decision as it is made, such as `record` of a decision log: those of the authorization
   * service, and the permissions of the management service. What it throws is ignored.
   * @returns a function that ends it.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if it is not a function.
   * @example
   * ```ts
   * import { createWriteStream } from 'node:fs';
   * import { decisionLog } from 'arango-services/decisions';
   *
   * const log = decisionLog({ stream: createWriteStream('decisions.jsonl') });
   * await mock.onDecision(log.record);
   * ```
   */
  onDecision(hook: OnDecision): Promise<() => void>;
  /**
   * Writes the lines that the services of a deployment write: of `central-permissive` each decision, and changes of
   * permissions. `arango-services/decisions` reads them. Only with `fidelity: 'sidecar'`, because the lines hold what
   * these services evaluate. Without this call nothing is written, and the module is not loaded.
   * @returns a function that ends the log.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for invalid options, and in documented fidelity.
   * @example
   * ```ts
   * const mock = await createMock({ fidelity: 'sidecar', authorization: { type: 'central-permissive' } });
   * const lines: string[] = [];
   * const stop = await mock.platformLog({ write: (line) => lines.push(line), format: 'json' });
   * ```
   */
  platformLog(options: PlatformLogOptions): Promise<() => void>;
  /**
   * The environment variables of a program next to a sidecar, for `fromEnv(mock.env())`. The URLs are the mock's own;
   * for those of a port, use its server's `env`.
   * @example
   * ```ts
   * import { fromEnv } from 'arango-services/node';
   *
   * const client = createClient({ ...fromEnv(mock.env()), ...mock.connection });
   * ```
   */
  env(): Record<string, string>;
  /**
   * For adapters: registers a function that is called when the mock is disposed.
   * @returns a function that removes it.
   */
  onDispose(close: () => void | Promise<void>): () => void;
  /**
   * Closes the ports, and ends interception and pending waits. Later calls of `mock.fetch` reject with a network error.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of a mock that its ports and its console work on. */
interface MockParts extends StreamSource {
  readonly faults: Faults;
  /** The base URLs of its open HTTP ports. */
  readonly portUrls: Set<string>;
  readonly routing: Routing;
  /** `handle` for requests that arrive at the gateway. */
  readonly handleAtGateway: HandleRequest;
}
