import { createMock, type Mock, type MockFault } from 'arango-services/mock';

/** The deployment as the smoke program sees it: the same in memory and on a port. */
export interface Platform {
  readonly kind: 'memory' | 'port';
  /** For `createClient`. */
  readonly connection: { readonly url: string; readonly fetch?: typeof fetch; readonly retry: 0 };
  /** A token that may do everything. */
  readonly token: string;
  fail(fault: MockFault): Promise<void>;
  advance(duration: string): Promise<void>;
  /** The requests since the last `restore`. */
  requests(): Promise<readonly { readonly method: string; readonly path: string; readonly status: number }[]>;
  /** Restores the initial state; requests in flight are cut off. */
  restore(): Promise<void>;
}

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

async function privateKey(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { privateKey: key } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const bytes = new Uint8Array(await crypto.subtle.exportKey('pkcs8', key));
  const text = btoa(String.fromCharCode(...bytes)).replace(/.{64}/g, '$&\n');
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
}

const encoder = new TextEncoder();
const stalled = () => new ReadableStream({ start: (stream) => stream.enqueue(encoder.encode('{"never":')) });

const large = (chunks: number) => {
  let left = chunks;
  return new ReadableStream({
    pull: (stream) => (left-- > 0 ? stream.enqueue(new Uint8Array(65_536)) : stream.close()),
  });
};

/** A mock for the smoke program; below `svc` of any database it serves the odd responses. */
export async function startMock(): Promise<Mock> {
  const mock = await createMock({
    authentication: { keys: { active: await privateKey() } },
    users: [
      { name: 'root', password: '' },
      { name: 'alice', password: 'pässwort 🧀' },
    ],
    policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read-only'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
  });
  const at = '/_db/:db/svc';
  const json = { 'content-type': 'application/json' };
  mock.route('*', `${at}/slow`, () => new Promise<never>(() => {}));
  mock.route('*', `${at}/stalls`, () => new Response(stalled(), { headers: json }));
  mock.route('*', `${at}/moved`, () => ({ status: 307, headers: { location: '/_db/shop/svc/text' } }));
  mock.route('*', `${at}/text`, () => ({ body: 'Käse 🧀' }));
  mock.route('*', `${at}/bytes`, () => ({ body: new Uint8Array([0, 1, 254, 255]) }));
  mock.route('*', `${at}/large`, () => new Response(large(64)));
  mock.route('*', `${at}/empty`, () => ({ status: 204 }));
  mock.route('*', `${at}/broken`, () => ({ headers: json, body: '{"half":' }));
  mock.route('*', `${at}/numbered`, () => ({
    headers: { 'x-request-id': 'r-1' },
    status: 404,
    body: { message: 'no' },
  }));
  mock.route('POST', `${at}/size`, ({ headers, body }) => {
    const bytes = body instanceof Uint8Array ? body.length : encoder.encode(String(body ?? '')).length;
    return { body: { bytes, type: headers.get('content-type') } };
  });
  return mock;
}

/** The controls of a mock; the control server calls them for a program elsewhere. */
export async function control(mock: Mock): Promise<Omit<Platform, 'kind' | 'connection'>> {
  const token = await mock.tokens.issue({ user: null });
  const start = mock.snapshot();
  return {
    token,
    fail: async (fault) => void mock.fail(fault),
    advance: async (duration) => void mock.clock.advance(duration),
    requests: async () => mock.requests.map(({ method, path, status }) => ({ method, path, status })),
    restore: async () => mock.restore(start),
  };
}

/** A deployment in this program. */
export async function inMemory(): Promise<Platform> {
  const mock = await startMock();
  return { kind: 'memory', connection: mock.connection, ...(await control(mock)) };
}

/** A deployment that another program serves on a port, by way of its control server. */
export async function onPort(controlUrl: string): Promise<Platform> {
  const ask = async (name: string, value?: unknown): Promise<unknown> => {
    const response = await fetch(`${controlUrl}/control/${name}`, {
      method: 'POST',
      body: JSON.stringify(value ?? null),
    });
    if (!response.ok) throw new Error(`control ${name}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  // The casts: the control server answers with the results of `control`.
  const { url, token } = (await ask('start')) as { url: string; token: string };
  return {
    kind: 'port',
    connection: { url, retry: 0 },
    token,
    fail: async (fault) => void (await ask('fail', fault)),
    advance: async (duration) => void (await ask('advance', duration)),
    requests: async () => (await ask('requests')) as Awaited<ReturnType<Platform['requests']>>,
    restore: async () => void (await ask('restore')),
  };
}
