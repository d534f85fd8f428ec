import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../src/app.js';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const mock = await createMock({
  policies: { read: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
  roles: { viewer: { policies: ['read'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
});
const start = mock.snapshot();
beforeEach(() => mock.restore(start));
const client = createClient(mock.connection);
const app = await createApp(client);
await app.listen(0, '127.0.0.1');
afterAll(async () => {
  const closing = vi.spyOn(client, 'close');
  await app.close();
  expect(closing).toHaveBeenCalledOnce();
});

const bearer = async (user: string) => ({ authorization: `Bearer ${await mock.tokens.issue({ user })}` });
const ask = async (path: string, headers = {}) => fetch((await app.getUrl()) + path, { headers });

test('alice is allowed, bob is denied, and a caller without a token gets a challenge', async () => {
  const allowed = await ask('/orders/1', await bearer('alice'));
  expect([allowed.status, await allowed.json()]).toEqual([200, { id: '1', total: 12 }]);
  const denied = await ask('/orders/1', await bearer('bob'));
  expect([denied.status, await denied.json()]).toEqual([403, { code: 7, message: 'Permission denied', details: [] }]);
  const { status, headers } = await ask('/orders/1');
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="orders"']);
});

test('while nobody can decide, the service is live and not ready', async () => {
  expect((await ask('/ready')).status).toBe(200);
  mock.fail({ status: 503, times: Number.POSITIVE_INFINITY });
  const [live, ready, order] = await Promise.all([
    ask('/live'),
    ask('/ready'),
    ask('/orders/1', await bearer('alice')),
  ]);
  expect([live.status, ready.status, order.status, order.headers.get('retry-after')]).toEqual([200, 503, 503, '5']);
});

test('at SIGTERM the request in flight is answered, and then the process ends', async () => {
  await using platform = await listen(mock);
  const env = { ...process.env, ARANGO_URL: platform.url, PORT: '0' };
  const service = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void service.kill('SIGKILL'));
  const exit = once(service, 'exit');
  const [url = ''] = /http:\S+/.exec(String(await once(service.stdout, 'data'))) ?? [];
  mock.fail({ path: '/evaluate-token', delayMs: 500 });
  const answer = fetch(`${url}/1`, { headers: await bearer('alice') });
  await expect.poll(() => mock.requests.find({ path: '/evaluate-token' }), { timeout: 30_000 }).toBeDefined();
  service.kill('SIGTERM');
  expect((await answer).status).toBe(200);
  expect(await exit).toEqual([0, null]);
});
