import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromEnv } from '../../../../src/client/node/index.ts';
import { type ListenGrpcOptions, listen, listenGrpc } from '../../../../src/console/mock/node.ts';
import { listenAt } from '../../../../src/mock/adapters/node/listening-address.ts';
import { createMock, type MockConfig } from '../../../../src/mock/index.ts';
import { poolClient } from '../../../support/pool-client.ts';

async function start(config?: MockConfig, options?: ListenGrpcOptions) {
  const mock = await createMock(config);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const server = await listenGrpc(mock, options);
  return { mock, server, token: await mock.tokens.issue({ user: null }) };
}

test('two mocks on two ports are isolated', async () => {
  const one = await start({ roles: { a: { policies: [] } } });
  const other = await start();
  const [first, second] = [one, other].map(({ server }) => poolClient(server.address));
  const seen = await Promise.all(
    [first?.('GetRole', {}, one.token), second?.('GetRole', {}, other.token), second?.('GetRole', {}, one.token)].map(
      async (stream) => {
        await stream?.done;
        return [stream?.messages, stream?.error?.code];
      },
    ),
  );
  expect(seen).toEqual([
    [[[{ name: 'a', index: 1, item: {} }]], undefined],
    [[], undefined],
    [[], 'UNAUTHENTICATED'],
  ]);
});

test('a change is sent to every stream at once', async () => {
  const { mock, server, token } = await start();
  const open = poolClient(server.address);
  const streams = [1, 2].map(() => open('PoolRoleChanges', { timeout: { seconds: 30 } }, token));
  await expect.poll(() => mock.requests.length).toBe(2);
  await mock.fetch('http://mock.test/_management/permissions/role/r', {
    method: 'POST',
    headers: { authorization: `bearer ${token}` },
    body: '{"item":{"policies":["p"]}}',
  });
  for (const { messages } of streams) {
    await expect.poll(() => messages).toEqual([[{ name: 'r', index: 1, item: { policies: ['p'] } }]]);
  }
});

test('tells a client that speaks HTTP/1.1 the purpose of the port', async () => {
  const { server } = await start();
  const response = await fetch(`http://${server.address}/_api/version`);
  expect([response.status, await response.text()]).toEqual([426, 'This port speaks gRPC (HTTP/2 without TLS).\n']);
});

test('env() names the port like a sidecar', async () => {
  const { mock, server } = await start();
  expect(server.address).toBe(`127.0.0.1:${server.port}`);
  expect(server.env()).toEqual({ ...mock.env(), INTEGRATION_SERVICE_ADDRESS: server.address });
  expect(fromEnv(server.env()).serviceAddress).toBe(server.address);
  expect(fromEnv(mock.env()).serviceAddress).toBeUndefined();
});

describe('shutdown', () => {
  test.each(['close', 'disposal of the mock'])('%s breaks the streams and frees the port', async (how) => {
    const { mock, server, token } = await start();
    const stream = poolClient(server.address)('PoolPolicyChanges', {}, token);
    await mock.waitFor({ path: '/PoolPolicyChanges' });
    if (how === 'close') await Promise.all([server.close(), server.close()]);
    else await mock[Symbol.asyncDispose]();
    await stream.done;
    expect(stream.error?.code).toBe('UNAVAILABLE');
    const next = createServer();
    await listenAt(next, { host: '127.0.0.1', port: server.port });
    next.close();
    await once(next, 'close');
  });

  test('a cancelled stream leaves nothing behind', async () => {
    const { mock, server, token } = await start();
    const stream = poolClient(server.address)('PoolPolicyChanges', {}, token);
    await mock.waitFor({ path: '/PoolPolicyChanges' });
    stream.cancel();
    await stream.done;
    // The fault applies to the next stream of its name, not to the cancelled one.
    mock.fail({ stream: 'PoolPolicyChanges', after: 1, grpcCode: 14 });
    await server.close();
    expect(() => mock.assertFaultsUsed()).toThrow();
  });
});

test.each<[unknown, string]>([
  [{ port: 70_000 }, 'port'],
  [{ port: '9201' }, 'port'],
  [{ host: '' }, 'host'],
  [{ cors: [] }, 'cors'],
])('%j is refused', async (options, field) => {
  const mock = await createMock();
  // The cast: untyped callers may pass this.
  await expect(listenGrpc(mock, options as ListenGrpcOptions)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    field,
  });
});

test('a port in use rejects with its code', async () => {
  const { mock, server } = await start();
  await expect(listenGrpc(mock, { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('env() and that of an HTTP port can be merged in either order', async () => {
  const { mock, server } = await start();
  await using first = await listen(mock);
  const expected = { ...(await first.env()), INTEGRATION_SERVICE_ADDRESS: server.address };
  expect({ ...(await first.env()), ...server.env() }).toEqual(expected);
  expect({ ...server.env(), ...(await first.env()) }).toEqual(expected);
  expect(fromEnv(server.env()).url).toBe(first.url);
  {
    await using second = await listen(mock);
    for (const one of [first, second]) {
      const both = { ...(await one.env()), INTEGRATION_SERVICE_ADDRESS: server.address };
      expect({ ...(await one.env()), ...server.env() }).toEqual(both);
      expect({ ...server.env(), ...(await one.env()) }).toEqual(both);
    }
  }
  expect(fromEnv(server.env()).url).toBe(first.url);
});
