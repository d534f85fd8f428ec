import type { Fetch } from './wire/http.js';

/** Options of `createClient` that connect it to a mock without a network. */
export interface MockConnection {
  /** `http://mock.test`, a host that only the mock's `fetch` knows. */
  readonly url: string;
  /** `mock.fetch`. */
  readonly fetch: Fetch;
  /** 0, so that callers see scripted faults instead of retries. */
  readonly retry: 0;
  /** `undefined`, so that spreading this over other options removes their transport. */
  readonly transport: undefined;
  /** 0, so that `client.close()` and `await using` abort calls and streams at once. */
  readonly graceMs: 0;
  /** The mock's `identity`, so that sessions of other mocks, which have the same `url`, are told apart. */
  readonly deploymentId: string;
}

/** Options of `createClient` that connect it to the gateway of a mock. */
export interface MockGatewayConnection extends MockConnection {
  /** True: login, logout and identity are called by their short paths. */
  readonly gateway: true;
}
