import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock, type Mock } from 'arango-services/mock';
import { listenGrpc } from 'arango-services/mock/grpc';
import { listen } from 'arango-services/mock/node';
import { expect, onTestFinished, test, vi } from 'vitest';

const allow = (action: string) => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] }) as const;
const soon = { timeout: 30_000, interval: 50 };

const createPlatform = () =>
  createMock({
    users: [{ name: 'alice', password: 'pw' }],
    policies: { read: allow('orders:read'), all: allow('*') },
    roles: { viewer: { policies: ['read'] }, service: { policies: ['all'] } },
    bindings: [
      { user: 'alice', role: 'viewer', scope: allow('*') },
      { user: 'orders-service', role: 'service', scope: allow('*') },
    ],
  });

/** Runs the service as a process of its own beside a mock. */
async function run(mock: Mock) {
  const server = await listen(mock, { port: 0 });
  onTestFinished(() => server.close());
  const grpc = await listenGrpc(mock);
  onTestFinished(() => grpc.close());
  // Following the pool streams needs a permission that only `*` matches.
  const tokenFile = join(await mkdtemp(join(tmpdir(), 'sidecar-')), 'token');
  await writeFile(tokenFile, await mock.tokens.issue({ user: 'orders-service' }));
  const env = { ...process.env, ...(await server.env()), ...grpc.env(), ARANGO_TOKEN: tokenFile, PORT: '0' };
  const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const url = await vi.waitUntil(() => /orders on (\S+)/.exec(printed)?.[1], soon);
  const ask = async (path: string, token?: string) =>
    (await fetch(url + path, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status;
  return { child, ask };
}

test('answers by the policies, once it is ready', async () => {
  const mock = await createPlatform();
  const { ask } = await run(mock);
  await expect.poll(() => ask('/ready'), soon).toBe(200);
  expect(await ask('/orders')).toBe(401);
  expect(await ask('/orders', await mock.tokens.issue({ user: 'alice' }))).toBe(200);
  expect(await ask('/orders', await mock.tokens.issue({ user: 'bob' }))).toBe(403);
  expect(await ask('/elsewhere')).toBe(404);
  expect(mock.requests.map(({ path }) => path)).not.toContainEqual(expect.stringContaining('evaluate'));
}, 90_000);

test('is up but not ready before the first state, and while the replica is not live', async () => {
  const mock = await createPlatform();
  const admit = mock.fail({ stream: 'GetPolicy', grpcCode: 14, times: Number.POSITIVE_INFINITY });
  const { ask } = await run(mock);
  await vi.waitFor(() => mock.assertFaultsUsed(), soon);
  expect([await ask('/health'), await ask('/ready')]).toEqual([200, 503]);
  admit();
  await expect.poll(() => ask('/ready'), soon).toBe(200);

  // The permission to follow the changes is taken away.
  const permit = mock.fail({ stream: 'PoolPolicyChanges', grpcCode: 7, times: Number.POSITIVE_INFINITY });
  await expect.poll(() => ask('/ready'), soon).toBe(503);
  expect(await ask('/health')).toBe(200);
  permit();
  await expect.poll(() => ask('/ready'), soon).toBe(200);
}, 90_000);

test('SIGTERM lets requests in flight end', async () => {
  const mock = await createPlatform();
  const { child, ask } = await run(mock);
  await expect.poll(() => ask('/ready'), soon).toBe(200);
  mock.fail({ path: '/validate', delayMs: 1_000 });
  const inFlight = ask('/orders', await mock.tokens.issue({ user: 'alice' }));
  await vi.waitFor(() => mock.assertFaultsUsed(), soon);

  const ended = once(child, 'exit');
  const before = Date.now();
  child.kill('SIGTERM');
  expect(await inFlight).toBe(200);
  expect(await ended).toEqual([0, null]);
  expect(Date.now() - before).toBeLessThan(3_000);
  await expect(ask('/health')).rejects.toThrow();
}, 90_000);
