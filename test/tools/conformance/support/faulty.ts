import { mockPool } from '../../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../../src/mock/index.ts';
import type { Policy } from '../../../../src/policy/index.ts';
import type { PoolTransport } from '../../../../src/policy/pool/pool-items.ts';
import {
  type ConformanceClock,
  type ConformanceOptions,
  checkConformance,
  type DeploymentSettings,
} from '../../../../src/tools/conformance/index.ts';

/** Any JSON: faults reach into it without looking. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies of a deployment have no type here.
export type Loose = any;

/** A request as a faulty deployment sees it. */
export interface Seen {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The parsed body, or undefined. */
  readonly json: Loose;
}

/** An answer that a fault may change. */
export interface Changeable {
  status: number;
  readonly headers: Headers;
  body: Loose;
}

/** Answers the request again, with another one. */
type Again = (changes: { headers?: Record<string, string>; body?: unknown; path?: string }) => Promise<Changeable>;

/** One fault of a deployment. */
export interface Fault {
  /** Changes an answer in place. */
  readonly answer?: (answer: Changeable, seen: Seen, again: Again) => void | Promise<void>;
  /** Other policies for its decisions. */
  readonly decides?: (policy: Policy) => Policy;
  /** Faulty streams. */
  readonly streams?: (transport: PoolTransport) => PoolTransport;
}

export const secret = 'the-secret-of-this-deployment';

const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** A deployment with each kind of pattern, two users, and enough policies for three pages. */
export const config: MockConfig = {
  fidelity: 'sidecar',
  authentication: { keys: { active: secret } },
  policies: {
    orders: { statements: [{ effect: 'Allow', actions: ['orders:re*', 'orders:list'], resources: ['eu:*', '*b:c'] }] },
    never: { statements: [{ effect: 'Deny', actions: ['orders:remove'], resources: ['eu:secret'] }] },
    all: { statements: [{ effect: 'Allow', actions: ['files:read'], resources: ['*'] }] },
    empty: { statements: [], description: 'nothing' },
    last: { statements: [] },
  },
  roles: { clerk: { policies: ['orders', 'never', 'all', 'missing'] }, guest: { policies: ['empty'] } },
  bindings: [
    { user: 'alice', role: 'clerk', scope: everything },
    { user: 'bob', role: 'guest', scope: everything },
  ],
};

/** The settings of the deployment above. */
export const settings: DeploymentSettings = {
  fidelity: 'sidecar',
  platform: 'recorded',
  authentication: true,
  type: 'central',
  central: false,
  cookies: true,
  passive: false,
  ttl: { min: '60s', max: '3600s', default: '3600s' },
};

/** A clock whose pauses take no time. */
export function quickClock(): ConformanceClock & { readonly slept: number[] } {
  let ahead = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => Date.now() + ahead,
    async sleep(ms) {
      slept.push(ms);
      ahead += ms;
    },
  };
}

async function read(response: Response): Promise<Changeable> {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    // Not JSON: changed as text.
  }
  return { status: response.status, headers: new Headers(response.headers), body };
}

const toText = (body: unknown) =>
  body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body);

/** The `fetch` of a mock with a fault. */
export function faultyFetch(mock: Mock, twin: Mock | undefined, fault: Fault): typeof mock.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const url = new URL(request.url);
    const forward = async (path: string, headers: Headers, body: string): Promise<Response> => {
      const isDecision = twin !== undefined && path.startsWith('/_integration/authorization');
      const target = isDecision ? twin : mock;
      const init = { method: request.method, headers, body: body === '' ? null : body, redirect: 'manual' } as const;
      return target.fetch(`http://mock.test${path}`, init);
    };
    const path = url.pathname + url.search;
    const answer = await read(await forward(path, request.headers, text));
    let json: Seen['json'];
    try {
      json = JSON.parse(text);
    } catch {
      // Not JSON.
    }
    const { method, headers } = request;
    const seen: Seen = { method, path: url.pathname, query: url.searchParams, headers, json };
    const again: Again = async (changes) => {
      const merged = new Headers(headers);
      for (const [name, value] of Object.entries(changes.headers ?? {})) merged.set(name, value);
      return read(
        await forward(changes.path ?? path, merged, changes.body === undefined ? text : JSON.stringify(changes.body)),
      );
    };
    await fault.answer?.(answer, seen, again);
    return new Response(answer.status === 204 || method === 'HEAD' ? null : toText(answer.body), answer);
  };
}

/** Verifies a mock with a fault, which by default has the expected settings. */
export async function checkFaulty(fault: Fault, options: ConformanceOptions = {}, changes: MockConfig = {}) {
  const given = { ...config, ...changes };
  await using mock = await createMock(given);
  const { decides } = fault;
  const policies = Object.fromEntries(
    Object.entries(given.policies ?? {}).map(([name, policy]) => [name, decides?.(policy) ?? policy]),
  );
  await using twin = await createMock({ ...given, policies });
  const fetch = faultyFetch(mock, decides && twin, fault);
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer(token) });
  const streams = fault.streams && { streams: fault.streams(mockPool(mock)) };
  const key = given.authentication?.keys?.active;
  return await checkConformance(client, {
    rate: 1_000_000,
    users: ['alice', 'bob'],
    settings,
    clock: quickClock(),
    ...(key !== undefined && { secret: key }),
    ...streams,
    ...options,
  });
}

/** Options of a check of a mock: without pauses. */
export const quick = { rate: 1_000_000, users: ['alice', 'bob'] };

/** Checks a mock without a fault, as the superuser. */
export async function checkMock(changes: MockConfig, options: ConformanceOptions = {}) {
  await using mock = await createMock({ ...config, ...changes });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  return await checkConformance(client, { ...quick, clock: quickClock(), ...options });
}
