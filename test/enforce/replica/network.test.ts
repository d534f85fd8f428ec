import { createServer as createHttpServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { createReplica, type ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createHandler } from '../../../src/mock/adapters/grpc/server.ts';
import { listenAt } from '../../../src/mock/adapters/node/listening-address.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { type Authority, createAuthority } from '../../support/certificates.ts';
import { question, replicaOf } from './support/replicas.ts';
import { everywhere } from './support/scripted-pool.ts';

const config: MockConfig = {
  policies: { p: everywhere },
  roles: { r: { policies: ['p'] } },
  bindings: [{ user: 'alice', role: 'r', scope: everywhere }],
};

async function startMock(more: MockConfig = {}) {
  const mock = await createMock({ ...config, ...more });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user: null });
  return { mock, token, client: createClient({ ...mock.connection, credentials: credentials.bearer(token) }) };
}

/** Listens until the test ends, and returns the address. */
async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const { port } = await listenAt(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${port}`;
}

/** The reason for which a replica does not become ready. */
async function failureOf(options: ReplicaOptions): Promise<{ code: string; message: string }> {
  const replica = replicaOf(options);
  return replica.ready({ timeout: 1_000 }).then(
    () => ({ code: 'ready', message: '' }),
    (error) => error,
  );
}

test('uses one connection, and sends its token', async () => {
  const { mock, token, client } = await startMock();
  const server = await listenGrpc(mock);
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    const upstream = connect(server.port, '127.0.0.1');
    for (const one of [socket, upstream]) one.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
  });
  const replica = replicaOf({ address: await listening(proxy), credentials: credentials.bearer(token) });
  await replica.ready();
  expect(replica.isAllowed(question)).toBe(true);
  const changed = new Promise((resolve) => replica.on('change', resolve));
  await client.authorization.bindings.remove({ user: 'alice', role: 'r' });
  expect(await changed).toEqual({ kind: 'bindings', names: ['alice:r'] });
  expect(replica.isAllowed(question)).toBe(false);
  await expect.poll(() => mock.requests.filter(({ path }) => path.includes('Changes')).length).toBe(4);
  expect(connections).toBe(1);
  expect(mock.requests.find({ path: '/PoolRoleChanges' })?.body).toEqual({ start: 0, timeout: '2s' });
});

test('reconnects after a cut, and catches up', async () => {
  const { mock, token, client } = await startMock();
  const server = await listenGrpc(mock);
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const upstream = connect(server.port, '127.0.0.1');
    for (const one of [socket, upstream]) one.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
    sockets.add(socket);
  });
  const replica = replicaOf({ address: await listening(proxy), credentials: credentials.bearer(token) });
  await replica.ready();
  for (const socket of sockets) socket.resetAndDestroy();
  await client.authorization.policies.delete('p');
  expect(replica.live).toBe(true);
  await expect.poll(() => replica.isAllowed(question), { timeout: 5_000 }).toBe(false);
  expect(mock.requests.filter(({ path }) => path.endsWith('GetPolicy')).length).toBe(1);
});

test('detects a frozen connection within 20 s', async () => {
  const { mock, token, client } = await startMock();
  const server = await listenGrpc(mock);
  let frozen = false;
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    sockets.push(socket);
    const upstream = connect(server.port, '127.0.0.1');
    const mine = sockets.length;
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => {});
      from.on('data', (bytes) => void ((frozen && mine === 1) || to.write(bytes)));
    }
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const replica = replicaOf({ address: await listening(proxy), credentials: credentials.bearer(token) });
  await replica.ready();
  await vi.waitFor(() => expect(mock.requests.filter(({ path }) => path.includes('Changes')).length).toBe(4));
  frozen = true;
  await client.authorization.policies.delete('p');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([sockets.length, replica.isAllowed(question)]).toEqual([1, true]);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitFor(() => expect(replica.status.lastError?.message).toMatch(/does not answer pings/));
  await vi.advanceTimersByTimeAsync(250);
  await vi.waitFor(() => expect(replica.isAllowed(question)).toBe(false));
  expect(sockets.length).toBe(2);
});

describe('TLS', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await createAuthority();
  });

  async function secure() {
    const { mock, token } = await startMock();
    const { cert, key } = await authority.issue();
    const server = createSecureServer({ cert, key }, createHandler(mock));
    server.on('sessionError', () => {});
    return { address: await listening(server), credentials: credentials.bearer(token) };
  }

  test('trusts a given authority', async () => {
    const { address, credentials } = await secure();
    for (const options of [
      { address, tls: { ca: authority.cert } },
      { address: `https://${address}`, tls: { ca: authority.cert } },
    ]) {
      await replicaOf({ ...options, credentials }).ready();
    }
  });

  test('an untrusted certificate: the error says what to set', async () => {
    const { address, credentials } = await secure();
    const { code, message } = await failureOf({ address, credentials, tls: true });
    expect(code).toBe('REPLICA');
    expect(message).toMatch(/unknown issuer.*createReplica\(\{ tls: \{ caFile \} \}\)/);
  });

  test('TLS to a plain port, and plain to a TLS port: the error says what to check', async () => {
    const { mock, token } = await startMock();
    const plain = await listenGrpc(mock);
    const toPlain = await failureOf({ address: plain.address, credentials: credentials.bearer(token), tls: true });
    expect(toPlain).toMatchObject({ code: 'REPLICA', message: expect.stringMatching(/does not speak TLS; check/) });
    const { address, credentials: own } = await secure();
    const toTls = await failureOf({ address, credentials: own });
    expect(toTls).toMatchObject({ code: 'REPLICA', message: expect.stringMatching(/does not speak gRPC.*or set tls/) });
  });
});

test.each<[string, () => Promise<string>, RegExp]>([
  [
    'nothing listens',
    async () => {
      const server = createServer();
      const { port } = await listenAt(server, { host: '127.0.0.1', port: 0 });
      server.close();
      return `127.0.0.1:${port}`;
    },
    /nothing listens there; check host and port/,
  ],
  [
    'the port of the HTTP services',
    () => listening(createHttpServer((_, response) => response.end('not gRPC'))),
    /does not speak gRPC/,
  ],
])('%s: the error says what to check', async (_, address, message) => {
  expect(await failureOf({ address: await address() })).toMatchObject({
    code: 'REPLICA',
    message: expect.stringMatching(message),
  });
});

test.each<[string, string | null, RegExp]>([
  ['no token', null, /UNAUTHENTICATED Unauthorized/],
  ['a token that is refused', 'canary-token', /UNAUTHENTICATED/],
  ['a user without the permissions', 'nobody', /PERMISSION_DENIED Permission denied/],
])('the status has the refusal of the service, and no token: %s', async (_, who, message) => {
  const { mock } = await startMock();
  const server = await listenGrpc(mock);
  const token = who === 'nobody' ? await mock.tokens.issue({ user: who }) : who;
  const replica = replicaOf({
    address: server.address,
    ...(token !== null && { credentials: credentials.bearer(token) }),
  });
  if (who !== 'nobody') await expect(replica.ready()).rejects.toThrow(message);
  await expect
    .poll(() => JSON.stringify(replica.status.lastError))
    .toMatch(new RegExp(message.source.split(' ')[0] ?? ''));
  expect(JSON.stringify(replica.status)).not.toContain('canary');
});

describe('rejects at once an address that is not valid', () => {
  test.each<[string, ReplicaOptions, string, RegExp]>([
    [
      'nothing',
      {},
      'address',
      /is missing; set it, or a transport \(fromEnv reads it from INTEGRATION_SERVICE_ADDRESS\)/,
    ],
    [
      'a host without a port',
      { address: 'localhost' },
      'address',
      /host:port like "127.0.0.1:9201".*the port is missing/,
    ],
    ['an empty port', { address: 'localhost:' }, 'address', /expected host:port/],
    ['an invalid port', { address: 'localhost:99999' }, 'address', /a port from 1 to 65535/],
    ['an IPv6 address without brackets', { address: '::1:9201' }, 'address', /expected host:port/],
    ['a URL with a path', { address: 'http://localhost:9201/grpc' }, 'address', /must not hold a path/],
    ['a URL with a query', { address: 'http://localhost:9201/?a=1' }, 'address', /must not hold a path, query/],
    [
      'a URL with a password',
      { address: 'http://u:canary@localhost:9201' },
      'address',
      /must not hold a user or password/,
    ],
    ['a URL of another scheme', { address: 'grpc://localhost:9201' }, 'address', /expected host:port/],
    ['an http: URL with tls', { address: 'http://localhost:1', tls: {} }, 'address', /write https:, or leave tls out/],
    ['an https: URL without tls', { address: 'https://localhost:1', tls: false }, 'address', /is an https: URL/],
    ['a path after host:port', { address: 'localhost:9201/x' }, 'address', /expected host:port/],
    [
      'an unknown option',
      { address: 'a:1', adress: 'b' } as ReplicaOptions,
      'adress',
      /unknown \(did you mean "address"\?\); accepted are address/,
    ],
    ['an invalid fidelity', { address: 'a:1', fidelity: 'exact' as never }, 'fidelity', /documented, sidecar/],
    ['an invalid type', { address: 'a:1', type: 'some' as never }, 'type', /one of central, central-permissive/],
    [
      'two ways to check tokens',
      { address: 'a:1', tokens: { keys: [], secret: 's' } as never },
      'tokens',
      /one of client/,
    ],
    ['invalid credentials', { address: 'a:1', credentials: 'canary' as never }, 'credentials', /authorize/],
  ])('%s', (_, options, field, message) => {
    const make = () => createReplica(options);
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
    expect(make).toThrow(message);
    expect(make).not.toThrow(/canary/);
  });

  test('rejects an address together with a transport', async () => {
    const { mock } = await startMock();
    const { mockPool } = await import('../../../src/console/mock/node.ts');
    expect(() => createReplica({ address: 'a:1', transport: mockPool(mock) })).toThrow(
      /cannot be combined with a transport/,
    );
  });
});

test('credentials that get tokens over HTTP need a URL', async () => {
  const { mock } = await startMock();
  const server = await listenGrpc(mock);
  const minted = credentials.minted({ user: 'svc' });
  const missing = await failureOf({ address: server.address, credentials: minted });
  expect(missing).toMatchObject({ code: 'REPLICA', message: expect.stringMatching(/url: is missing.*over HTTP/) });
});
