import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from 'arango-services/mock';
import { listenGrpc } from 'arango-services/mock/grpc';
import { listen } from 'arango-services/mock/node';
import { expect, test } from 'vitest';

const allow = (action: string) => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] }) as const;

test('ready with the replica, guarded, ended by SIGTERM', async () => {
  const mock = await createMock({
    users: [{ name: 'alice', password: 'pw' }],
    policies: { read: allow('orders:read'), all: allow('*') },
    roles: { viewer: { policies: ['read'] }, service: { policies: ['all'] } },
    bindings: [
      { user: 'alice', role: 'viewer', scope: allow('*') },
      { user: 'orders-service', role: 'service', scope: allow('*') },
    ],
  });
  await using server = await listen(mock, { port: 0 });
  const grpc = await listenGrpc(mock);
  // Following the pool streams needs a permission that only `*` matches.
  const tokenFile = join(await mkdtemp(join(tmpdir(), 'sidecar-')), 'token');
  await writeFile(tokenFile, await mock.tokens.issue({ user: 'orders-service' }));
  const env = { ...process.env, ...(await server.env()), ...grpc.env(), ARANGO_TOKEN: tokenFile, PORT: '0' };
  const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(child.stdout, 'data');
  const url = /http:\S+/.exec(String(printed))?.[0];
  const ask = async (path: string, token?: string) =>
    (await fetch(url + path, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status;

  expect(await ask('/health')).toBe(200);
  await expect.poll(() => ask('/ready'), { timeout: 10_000 }).toBe(200);
  expect(await ask('/orders')).toBe(401);
  expect(await ask('/orders', await mock.tokens.issue({ user: 'alice' }))).toBe(200);
  expect(await ask('/orders', await mock.tokens.issue({ user: 'bob' }))).toBe(403);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await grpc.close();
}, 90_000);
