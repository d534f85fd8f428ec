/// <reference lib="esnext.disposable" preserve="true" />
import { asyncDispose } from '../lib/fallbacks.js';
import type { EvaluationRequest } from '../policy/index.js';
import { createFetch, type Fetch } from './adapters/fetch.js';
import { neighbourVariables } from './config/neighbour.js';
import { authenticates, defaultSettings, type MockConfig, type Settings } from './config/settings.js';
import { fidelities } from './fidelity.js';
import type { CustomHandler } from './kit/custom-handler.js';
import { createRoutes } from './kit/custom-routes.js';
import { explainDecision, type MockExplanation } from './kit/explain.js';
import { createFaults, type Fault } from './kit/faults.js';
import type { RequestFilter } from './kit/filter.js';
import type { LoggedRequest } from './kit/logged-request.js';
import { createRecorder, type RequestListener, type RequestLog } from './kit/request-log.js';
import { createTokenKit, type TokenKit } from './kit/tokens.js';
import type { WaitOptions } from './kit/waiters.js';
import type { Platform } from './platform.js';
import { type Endpoint, endpointRows } from './server/endpoints.js';
import { createHandle } from './server/handle.js';
import { createRouter } from './server/router.js';
import { createStreams, type OpenStream } from './server/streams.js';
import { createClock, type MockClock } from './state/clock.js';
import { createEpochs } from './state/epochs.js';
import { createSnapshots, keep, type MockSnapshot } from './state/snapshots.js';
import { createStore } from './state/store.js';
import { createTokens } from './state/tokens.js';
import { dropped, type Handle } from './wire/http.js';

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
  /** For `createClient(mock.connection)`: `url`, `fetch` and `retry: 0`, and no `transport`. */
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
  /** The same for the streams of the pool (gRPC). */
  readonly openStream: OpenStream;
  /** The settings in force, with every default filled in, and with the passwords and keys that were configured. */
  readonly settings: Settings;
  /** The one clock for issuing and validating. It runs with `Date`, so with fake timers too, until it is set. */
  readonly clock: MockClock;
  /**
   * What arrived, oldest first, within `limits.log` and `limits.logBytes`; credentials, passwords and tokens are
   * redacted.
   */
  readonly requests: RequestLog;
  /**
   * Waits for a request: the first that fits, in the log (after `mock.requests.clear()` only new ones are) or among
   * those to come. Rejects after `timeoutMs` (default 5000) with what arrived instead, and when the mock is restored,
   * reset or disposed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a filter that no request can fit.
   */
  waitFor(filter: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  /**
   * Adds an endpoint, like `('GET', '/_db/:db/my-service/*', handler)`; method `*` is any. The last one added for a
   * pattern counts.
   * @returns what takes it away again.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that is the mock's own.
   */
  route(method: string, pattern: string, handler: CustomHandler): () => void;
  /**
   * Scripts a fault; faults happen in order, each `times` times (1 by default).
   * @returns what takes it away.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a fault that does nothing or can never happen.
   */
  fail(fault: Fault): () => void;
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
   */
  explain(request: EvaluationRequest): MockExplanation;
  /**
   * Keeps the whole state: users, policies, roles, bindings, counters, revoked tokens, keys, clock, added routes,
   * faults and the request log. Costs next to nothing.
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
   * them. What it throws is ignored.
   * @returns what ends it.
   */
  onRequest(listener: RequestListener): () => void;
  /**
   * The variables that a program beside the services would see, for `fromEnv(mock.env())`. The URLs are the mock's own;
   * a server's `env` has a port's.
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

/**
 * Makes a mock. Two mocks never see each other.
 * @throws InvalidArgumentError that names the path of each fault in the configuration.
 */
export async function createMock(config?: MockConfig): Promise<Mock> {
  // Checking is only loaded where there is something to check: a mock without configuration starts at once.
  const settings =
    config === undefined ? defaultSettings() : (await import('./config/read-config.js')).readConfig(config);
  const { limits } = settings;
  const fidelity = fidelities[settings.fidelity];
  const clock = createClock(settings.now);
  const store = createStore(settings);
  const epochs = createEpochs();
  const tokens = await createTokens({
    epochs,
    clock,
    fidelity,
    store,
    tokenBytes: limits.tokenBytes,
    keys: settings.authentication.keys,
    authenticates: authenticates(settings),
  });
  const faults = createFaults(settings);
  const recorder = createRecorder(limits, clock.now);
  const platform: Platform = { settings, fidelity, clock, store, tokens, faults, epochs };
  const router = createRouter<Endpoint>();
  for (const [method, pattern, endpoint] of endpointRows()) router.add(method, pattern, endpoint);
  const routes = createRoutes(router);
  const serve = createHandle(platform, router, faults, recorder);
  const streams = createStreams(platform, faults, recorder);
  let disposed = false;
  const handle: Handle = (request, signal, began) => (disposed ? dropped : serve(request, signal, began));
  const fetch = createFetch(handle, epochs.current, limits.bodyBytes);
  const snapshots = createSnapshots([
    // The first, so that what is under way has ended before another state comes.
    keep({ save: () => undefined, load: epochs.next }),
    keep(store),
    keep({ save: tokens.keys.all, load: tokens.keys.load }),
    keep(clock),
    keep(routes),
    keep(faults),
    keep(recorder),
  ]);
  const start = snapshots.snapshot();
  const url = 'http://mock.test';
  const closers: (() => void | Promise<void>)[] = [];

  const mock: Mock = {
    fetch,
    connection: { url, fetch, retry: 0, transport: undefined },
    handle,
    openStream: streams.open,
    get epoch() {
      return epochs.current();
    },
    get settings() {
      return settings;
    },
    clock,
    get requests() {
      return recorder.log();
    },
    waitFor: recorder.waitFor,
    route: routes.add,
    fail: faults.add,
    assertFaultsUsed: faults.assertUsed,
    tokens: createTokenKit(platform),
    keys: { rotate: () => tokens.keys.rotate(epochs.current()) },
    explain: (request) => explainDecision(store, request),
    ...snapshots,
    reset: () => snapshots.restore(start),
    onRequest: (listener) => recorder.watch(listener),
    env: () => neighbourVariables(settings, url),
    onDispose(close) {
      closers.push(close);
      return () => {
        const index = closers.indexOf(close);
        if (index >= 0) closers.splice(index, 1);
      };
    },
    async [asyncDispose]() {
      disposed = true;
      streams.dispose();
      faults.dispose();
      recorder.dispose();
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    },
  };
  // They hold passwords and keys: neither a logged mock nor its JSON or a copy of it shows them.
  return Object.defineProperty(mock, 'settings', { enumerable: false });
}
