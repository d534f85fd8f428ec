import { coders, requireEngine } from '../base/lib/engine.js';
import { asyncDispose } from '../base/lib/fallbacks.js';
import { createFetch } from './adapters/fetch.js';
import { effectiveConfig } from './config/effective-config.js';
import { authenticates, defaultSettings, type MockConfig, type Settings } from './config/mock-config.js';
import { neighbourVariables } from './config/neighbour.js';
import { fidelities } from './fidelity-rules.js';
import { createRoutes } from './kit/custom-routes.js';
import { explainDecision } from './kit/explain-decision.js';
import { createFaults } from './kit/faults.js';
import { mockCreated } from './kit/mock-created.js';
import { createRecorder } from './kit/request-log.js';
import { createTokenKit } from './kit/token-kit.js';
import type { Mock } from './mock.js';
import type { MockConnection } from './mock-connection.js';
import type { Platform } from './platform.js';
import { versionRules } from './platform-version.js';
import { type Endpoint, endpointRows } from './server/endpoints.js';
import { createHandle } from './server/handle.js';
import { type Routing, routingOf } from './server/lookup.js';
import { createRouter } from './server/router.js';
import { createEpochs } from './state/epochs.js';
import { createClock } from './state/mock-clock.js';
import { createSnapshots, keep } from './state/snapshots.js';
import { createStore } from './state/store.js';
import { createTokens } from './state/tokens.js';
import { dropped, type HandleRequest } from './wire/http.js';

/** Replaces how an object appears in JSON and in `util.inspect`, and so on a console. */
function showAs(object: object, view: () => unknown): void {
  Object.defineProperties(object, {
    [Symbol.for('nodejs.util.inspect.custom')]: { value: view },
    toJSON: { value: view },
  });
}

/**
 * Creates a mock: a whole platform in memory, with real tokens, decisions and state. Mocks are isolated from each
 * other.
 * @param config users, policies, roles, bindings and other settings, in the same form as a seed file. Default: the user
 * `root` with an empty password, and a random secret.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) with the path of each error in the configuration.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createMock } from 'arango-services/mock';
 *
 * await using mock = await createMock({
 *   policies: { reading: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
 *   roles: { viewer: { policies: ['reading'] } },
 * });
 * const { authorization } = createClient(mock.connection);
 * const viewer = { user: 'alice', roles: ['viewer'] };
 * await authorization.isAllowed({ ...viewer, action: 'orders:read', resource: 'orders' }); // true
 * ```
 */
export async function createMock(config?: MockConfig): Promise<Mock> {
  requireEngine(coders);
  const settings = await settingsOf(config);
  const { limits } = settings;
  const fidelity = fidelities[settings.fidelity];
  const clock = createClock(settings.now);
  const store = createStore(settings, clock.now);
  const epochs = createEpochs();
  const shared = { epochs, clock, fidelity, store };
  const tokens = await createTokens({
    ...shared,
    tokenBytes: limits.tokenBytes,
    keys: settings.authentication.keys,
    authenticates: authenticates(settings),
  });
  const faults = createFaults(settings, clock);
  const recorder = createRecorder(limits, clock.now);
  const version = versionRules[settings.platform];
  const platform: Platform = { settings, version, tokens, faults, watchers: new Set(), ...shared };
  const router = createRouter<Endpoint>();
  for (const row of endpointRows(settings)) router.add(...row);
  if (settings.authzen) (await import('./authzen.js')).addAuthzen(router, clock);
  const routes = createRoutes(router);
  routes.seed(settings);
  const serve = createHandle(platform, router, faults, recorder);
  const closing = new AbortController();
  const closed = closing.signal;
  const handle: HandleRequest = (request, signal, began) => (closed.aborted ? dropped : serve(request, signal, began));
  const routing = routingOf(router);
  const { handleAtGateway, ...connections } = connectTo(handle, settings, epochs.current, routing);
  const snapshots = createSnapshots([
    // First, so that requests in flight have ended before the state changes.
    keep({ save: () => undefined, load: epochs.next }),
    keep(store),
    keep({ save: tokens.keys.all, load: tokens.keys.load }),
    keep(clock),
    keep(routes),
    keep(faults),
    keep(recorder),
  ]);
  const start = snapshots.snapshot();
  const closers = createClosers();

  const mock: Mock = {
    fetch: connections.connection.fetch,
    ...connections,
    handle,
    parts: { platform, faults, recorder, closed, routing, portUrls: new Set(), handleAtGateway },
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
    get refreshes() {
      return store.late.refreshes;
    },
    waitFor: recorder.waitFor,
    route: routes.add,
    // The cast: the types of handlers come from the caller's document.
    service: routes.service as Mock['service'],
    fail: faults.add,
    assertFaultsUsed: faults.assertUsed,
    tokens: createTokenKit(platform),
    keys: { rotate: () => tokens.keys.rotate(epochs.current()) },
    explain: (request) => explainDecision(store, request),
    ...snapshots,
    reset: () => snapshots.restore(start),
    onRequest: (listener) => recorder.watch(listener),
    onDecision: async (hook) => (await logs()).startOnDecision(platform, hook),
    platformLog: async (options) => (await logs()).startPlatformLog(platform, options),
    env: () => neighbourVariables(settings, connections.connection.url),
    onDispose: closers.add,
    async [asyncDispose]() {
      closing.abort();
      faults.dispose();
      recorder.dispose();
      await closers.closeAll();
    },
  };
  hideSecrets(mock);
  // The cast: the place of a tool that collects decisions, if any.
  await (globalThis as MockWatched)[mockCreated]?.(mock);
  return mock;
}

/** Makes the connections to a mock and to its gateway, and the entry point of the gateway. */
function connectTo(
  handle: HandleRequest,
  { limits, identity: deploymentId = Math.random().toString(36).slice(2) }: Settings,
  currentEpoch: () => AbortSignal,
  { streams }: Routing,
) {
  const handleAtGateway: HandleRequest = (request, ...rest) => handle({ ...request, atGateway: true }, ...rest);
  const connect = (url: string, by: HandleRequest): MockConnection => {
    const fetch = createFetch(by, currentEpoch, limits.bodyBytes, streams);
    return { url, fetch, retry: 0, transport: undefined, graceMs: 0, deploymentId };
  };
  const atGateway = connect('http://gateway.mock.test', handleAtGateway);
  return {
    connection: connect('http://mock.test', handle),
    gateway: { connection: { ...atGateway, gateway: true } },
    handleAtGateway,
  } as const;
}

/** Loads the schema only if there is a configuration to check, so a mock without one starts at once. */
async function settingsOf(config: MockConfig | undefined): Promise<Settings> {
  if (config === undefined) return defaultSettings();
  const settings = (await import('./config/read-config.js')).readConfig(config);
  return config.fresh ? (await import('./config/fresh.js')).withFresh(settings) : settings;
}

/** The place of a tool that is told about each new mock. */
type MockWatched = { readonly [mockCreated]?: (mock: Mock) => unknown };

/** Loads the logs of decisions, which few mocks need. */
const logs = () => import('./logs/log-modules.js');

type Close = () => void | Promise<void>;

/** Collects functions to call when the mock is closed, the last one first. */
function createClosers() {
  const closers: Close[] = [];
  return {
    /** Returns a function that removes `close` again. */
    add(close: Close): () => void {
      closers.push(close);
      return () => {
        const index = closers.indexOf(close);
        if (index >= 0) closers.splice(index, 1);
      };
    },
    async closeAll(): Promise<void> {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    },
  };
}

/** Keeps passwords and keys out of logs, JSON and copies of a mock. */
function hideSecrets(mock: Mock): void {
  const hidden = { enumerable: false };
  Object.defineProperties(mock, { settings: hidden, parts: hidden });
  const open = Object.entries(Object.getOwnPropertyDescriptors(mock)).filter(([, { enumerable }]) => enumerable);
  showAs(mock, () => Object.defineProperties({}, Object.fromEntries(open)));
  const { settings } = mock;
  showAs(settings, () => effectiveConfig(settings));
}
