/// <reference lib="esnext.disposable" preserve="true" />
import type { EvaluationRequest } from '../policy/index.js';
import type { Fetch } from './adapters/fetch.js';
import type { Settings } from './config/settings.js';
import type { CustomHandler } from './kit/custom-handler.js';
import type { MockExplanation } from './kit/explain.js';
import type { RequestFilter } from './kit/filter.js';
import type { LoggedRequest } from './kit/logged-request.js';
import type { RequestListener, RequestLog } from './kit/request-log.js';
import type { MockFault } from './kit/scripted-fault.js';
import type { TokenKit } from './kit/tokens.js';
import type { WaitOptions } from './kit/waiters.js';
import type { StreamSource } from './server/streams.js';
import type { MockClock } from './state/clock.js';
import type { MockSnapshot } from './state/snapshots.js';
import type { Handle } from './wire/http.js';

/** What `createClient` needs to talk to a mock without a network. */
export interface MockConnection {
  /** `http://mock.test`: there is no such host, only the mock's `fetch` knows it. */
  readonly url: string;
  /** `mock.fetch`. */
  readonly fetch: Fetch;
  /** A scripted fault is to be seen, not retried. */
  readonly retry: 0;
  /** So that it wins over another connection's transport where it is spread last. */
  readonly transport: undefined;
}

/** A whole platform in memory: the integration services, their management API, and a little of the database. */
export interface Mock extends AsyncDisposable {
  /**
   * A fetch function that the mock answers, whatever the host of the URL is. It rejects, aborts and redirects as fetch
   * does.
   */
  readonly fetch: Fetch;
  /**
   * For `createClient(mock.connection)`: `url`, `fetch` and `retry: 0`, and no `transport`.
   * @example
   * ```ts
   * import { createClient } from 'arango-services';
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * const client = createClient(mock.connection);
   * ```
   */
  readonly connection: MockConnection;
  /**
   * The entry that the ways into the mock use: a neutral request in, a neutral response out. It never throws or
   * rejects.
   */
  readonly handle: Handle;
  /**
   * For the ways into the mock that read a body before they call `handle`: the signal to take when a request begins and
   * to hand over with it. It is aborted by the next `restore` or `reset`.
   */
  readonly epoch: AbortSignal;
  /** The settings in force, with every default filled in, and with the passwords and keys that were configured. */
  readonly settings: Settings;
  /**
   * The one clock for issuing and validating. It runs with `Date`, so with fake timers too, until it is set.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * const token = await mock.tokens.issue({ user: 'alice', lifetime: '10m' });
   * mock.clock.advance('10m'); // the token has expired
   * mock.clock.set('2026-11-20T12:00:00Z'); // the clock stands there
   * ```
   */
  readonly clock: MockClock;
  /**
   * What arrived, oldest first, within `limits.log` and `limits.logBytes`; credentials, passwords and tokens are
   * redacted.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * await mock.fetch(`${mock.connection.url}/_api/version`);
   * mock.requests.at(-1)?.status; // 401
   * mock.requests.find({ method: 'GET', path: '/_api/version' })?.headers;
   * ```
   */
  readonly requests: RequestLog;
  /**
   * Waits for a request: the first that fits, in the log (after `mock.requests.clear()` only new ones are) or among
   * those to come. Rejects after `timeoutMs` (default 5000) with what arrived instead, and when the mock is restored,
   * reset or disposed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a filter that no request can fit.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * const arrived = mock.waitFor({ method: 'POST', path: '/evaluate' }, { timeoutMs: 1_000 });
   * await mock.fetch(`${mock.connection.url}/_integration/authorization/v1/evaluate`, { method: 'POST', body: '{}' });
   * (await arrived).decision; // 'Allow': a request without a user is the superuser's
   * ```
   */
  waitFor(filter: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  /**
   * Adds an endpoint, like `('GET', '/_db/:db/my-service/*', handler)`; method `*` is any. The last one added for a
   * pattern counts.
   * @returns what takes it away again.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that is the mock's own.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * mock.route('GET', '/_db/:db/orders/:id', ({ params, user }) => ({ body: { id: params.id, askedBy: user } }));
   * mock.route('POST', '/_db/:db/orders', () => ({ status: 409, body: { message: 'there is such an order' } }));
   * ```
   */
  route(method: string, pattern: string, handler: CustomHandler): () => void;
  /**
   * Scripts a fault; faults happen in order, each `times` times (1 by default).
   * @returns what takes it away.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a fault that does nothing or can never happen.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * mock.fail({ path: '/evaluate', status: 503, headers: { 'retry-after': '1' }, times: 2 });
   * mock.fail({ path: '/login', drop: true }); // a network error
   * const undo = mock.fail({ delayMs: 3_000, times: Number.POSITIVE_INFINITY }); // every request is slow
   * undo();
   * ```
   */
  fail(fault: MockFault): () => void;
  /** Throws when a scripted fault never happened, and names it. Faults that were taken away do not count. */
  assertFaultsUsed(): void;
  /** Issues good tokens, forges bad ones, revokes. */
  readonly tokens: TokenKit;
  /** The keys that sign and check tokens. */
  readonly keys: {
    /** Makes a new active key of the same kind; the old one still checks tokens. */
    rotate(): Promise<void>;
  };
  /**
   * Why a decision comes out as it does: the statement, policy, role and scope that allowed, or for each binding why it
   * did not; as data, and as `text` for people. By the policies alone, whatever the authorization type.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for what is no question.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock({ bindings: [{ user: 'alice', role: 'viewer' }] });
   * const { decision, text } = mock.explain({ user: 'alice', action: 'orders:read', resource: 'orders' });
   * console.log(text); // why alice may not
   * ```
   */
  explain(request: EvaluationRequest): MockExplanation;
  /**
   * Keeps the whole state: users, policies, roles, bindings, counters, revoked tokens, keys, clock, added routes,
   * faults and the request log. Costs next to nothing.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * const start = mock.snapshot();
   * await mock.keys.rotate();
   * mock.restore(start);
   * ```
   */
  snapshot(): MockSnapshot;
  /**
   * Goes back to a snapshot, any number of times. A request that began before is cut off: its caller gets a network
   * error, and it changes, logs and counts nothing any more, nor do its handler's answer, a token that is being signed
   * or a key that is being made; `waitFor` rejects. Only a request whose own handler calls this is still answered (in a
   * browser: calls it before its first `await`).
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for what is no snapshot of this mock.
   */
  restore(snapshot: MockSnapshot): void;
  /** Goes back to the state after `createMock`, as `restore` does. */
  reset(): void;
  /**
   * Calls `listener` after each answer with its method, path, status and decisions; no header, query or body comes with
   * them. What it throws is ignored, and so is a promise of it that rejects.
   * @returns what ends it.
   * @example
   * ```ts
   * import { createMock } from 'arango-services/mock';
   *
   * const mock = await createMock();
   * mock.onRequest(({ method, path, status }) => console.log(method, path, status));
   * ```
   */
  onRequest(listener: RequestListener): () => void;
  /**
   * The variables that a program beside the services would see, for `fromEnv(mock.env())`. The URLs are the mock's own;
   * a server's `env` has a port's.
   * @example
   * ```ts
   * import { createClient } from 'arango-services';
   * import { createMock } from 'arango-services/mock';
   * import { fromEnv } from 'arango-services/node';
   *
   * const mock = await createMock();
   * const client = createClient({ ...fromEnv(mock.env()), ...mock.connection });
   * ```
   */
  env(): Record<string, string>;
  /**
   * For the ways into the mock: something to close when the mock is disposed.
   * @returns what takes it away.
   */
  onDispose(close: () => void | Promise<void>): () => void;
  /**
   * Closes the ports, ends interception and all waiting. From then on a call through `mock.fetch` is a network error.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock as `createMock` makes it. Only its ports know of more than a `Mock` has. */
export interface InternalMock extends Mock {
  /** The base URLs of its open ports for HTTP. */
  readonly portUrls: Set<string>;
  /** What the streams of the pool are made from. */
  readonly streamSource: StreamSource;
}
