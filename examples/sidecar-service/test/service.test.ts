import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mock } from 'arango-services/mock';
import { listen, listenGrpc } from 'arango-services/mock/node';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { addBilling, addDatabase, createPlatform } from './platform.ts';

const soon = { timeout: 30_000, interval: 50 };
const always = Number.POSITIVE_INFINITY;
vi.setConfig({ testTimeout: 90_000 });

let mock: Mock;
let database: ReturnType<typeof addDatabase>;
let billing: ReturnType<typeof addBilling>;
beforeEach(async () => {
  mock = await createPlatform();
  database = addDatabase(mock);
  billing = addBilling(mock);
});

/** Runs the service as a process of its own, beside the mock. */
async function run(variables: Record<string, string> = {}) {
  const server = await listen(mock, { port: 0 });
  onTestFinished(() => server.close());
  const grpc = await listenGrpc(mock);
  onTestFinished(() => grpc.close());
  const tokenFile = join(await mkdtemp(join(tmpdir(), 'sidecar-')), 'token');
  await writeFile(tokenFile, await mock.tokens.issue({ user: 'orders-service' }));
  const platform = { ...(await server.env()), ...grpc.env(), ARANGO_TOKEN: tokenFile, PORT: '0', ...variables };
  const start = async () => {
    const child = spawn(process.execPath, ['src/main.ts'], {
      env: { ...process.env, ...platform },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const port = await vi.waitUntil(() => /listening at http:\/\/127.0.0.1:(\d+)/.exec(printed)?.[1], soon);
    const ask = async (path: string, { user, headers = {}, method = 'GET' }: Asking = {}) => {
      const token = user && (await mock.tokens.issue({ user }));
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    return {
      ask,
      ready: () => expect.poll(async () => (await ask('/ready')).status, soon).toBe(200),
      /** Ends the process as an orchestrator does. Returns its exit code and signal. */
      async end() {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        return ended;
      },
      printed: () => printed,
    };
  };
  return { ...(await start()), tokenFile, again: start };
}
interface Asking {
  readonly user?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}
const invoice = { user: 'alice', method: 'POST' };

test('answers by the permissions of the document, which the process decides itself', async () => {
  const { ask, ready } = await run();
  await ready();
  expect((await ask('/orders/1')).status).toBe(401);
  expect(JSON.parse((await ask('/orders/1', { user: 'bob' })).text)).toEqual({ id: '1', state: 'open', total: 12 });
  expect((await ask('/orders/2', { user: 'bob' })).status).toBe(403);
  expect((await ask('/orders/1/invoice', { ...invoice, user: 'bob' })).status).toBe(403);
  expect((await ask('/orders/9', { user: 'alice' })).status).toBe(404);
  expect((await ask('/orders/9/invoice', invoice)).status).toBe(404);
  expect((await ask('/elsewhere', { user: 'alice' })).status).toBe(404);
  expect(mock.requests.filter(({ path }) => /evaluate|validate/.test(path))).toEqual([]);
});

test('calls billing as the caller, and forwards no failure as its own', async () => {
  const { ask, ready } = await run();
  await ready();
  const { status, text } = await ask('/orders/2/invoice', { ...invoice, headers: { 'x-request-id': 'r-17' } });
  expect([status, JSON.parse(text)]).toEqual([201, { number: 1 }]);
  expect(mock.requests.find({ path: '/billing/invoices' })).toMatchObject({
    user: 'alice',
    headers: { 'x-request-id': 'r-17' },
    body: { order: '2', total: 30.5 },
  });
  mock.fail({ path: '/billing/invoices', status: 401 });
  expect((await ask('/orders/2/invoice', invoice)).status).toBe(502);
  mock.fail({ path: '/billing/invoices', drop: true });
  expect((await ask('/orders/2/invoice', invoice)).status).toBe(503);
});

test('is live but not ready without the first state of the replica, and while it may be outdated', async () => {
  const admit = mock.fail({ stream: 'GetPolicy', grpcCode: 14, times: always });
  const { ask, ready } = await run();
  await vi.waitFor(() => mock.assertFaultsUsed(), soon);
  expect((await ask('/ready')).status).toBe(503);
  expect((await ask('/live')).status).toBe(200);
  expect((await ask('/orders/1', { user: 'alice' })).status).toBe(503);
  admit();
  await ready();

  const permit = mock.fail({ stream: 'PoolPolicyChanges', grpcCode: 7, times: always });
  await expect.poll(async () => (await ask('/ready')).status, soon).toBe(503);
  expect((await ask('/live')).status).toBe(200);
  expect((await ask('/metrics')).text).toContain('replica_live 0');
  permit();
  await ready();
  expect((await ask('/metrics')).text).toContain('replica_live 1');
});

test.each([
  ['the database is down', '/_db/shop/_api/version'],
  ['the published keys are missing', '/keys'],
])('starts without being ready while %s', async (_what, path) => {
  const mend = mock.fail({ path, drop: true, times: always });
  const { ask, ready, printed } = await run();
  await vi.waitFor(() => expect(printed()).toContain('"state":"live"'), soon);
  expect((await ask('/ready')).status).toBe(503);
  expect((await ask('/live')).status).toBe(200);
  mend();
  await ready();
});

test('is not ready, and says why, where no keys are published to verify tokens with', async () => {
  mock = await createPlatform('a shared secret');
  const { ask, printed } = await run();
  await vi.waitFor(() => expect(printed()).toContain('"state":"live"'), soon);
  expect((await ask('/ready')).status).toBe(503);
  await vi.waitFor(() => expect(printed()).toContain('publishes no keys'), soon);
});

test('remains ready, and answers, without the services for authentication', async () => {
  const { ask, ready } = await run();
  await ready();
  mock.fail({ path: /authentication/, drop: true, times: always });
  expect((await ask('/ready')).status).toBe(200);
  expect((await ask('/orders/1', { user: 'alice' })).status).toBe(200);
});

test('answers 503 while the database is down, and logs why without the token', async () => {
  const { ask, ready, printed } = await run();
  await ready();
  mock.fail({ path: '/_api/document/orders/1', drop: true });
  expect((await ask('/orders/1', { user: 'alice' })).status).toBe(503);
  mock.fail({
    path: '/_api/document/orders/1',
    status: 500,
    body: { error: true, errorNum: 4, errorMessage: 'canary' },
  });
  const { status, text } = await ask('/orders/1', { user: 'alice' });
  expect([status, text]).toEqual([500, expect.not.stringContaining('canary')]);
  await vi.waitFor(() => expect(printed()).toMatch(/fetch failed.*canary/is), soon);
  expect(printed()).not.toContain('eyJ');
  expect((await ask('/orders/1', { user: 'alice' })).status).toBe(200);
});

test('loses no payment when the stream ends or the process is replaced', async () => {
  const { ready, end, again } = await run();
  await ready();
  await vi.waitFor(() => expect(billing.followers).toBe(1), soon);
  billing.pay('1');
  await vi.waitFor(() => expect(database.orders.get('1')?.state).toBe('paid'), soon);
  billing.cut();
  billing.pay('2');
  await vi.waitFor(() => expect(database.positions.get('payments')).toBe('2'), soon);
  expect(database.orders.get('2')?.state).toBe('paid');
  await end();

  database.orders.set('3', { state: 'open', total: 1 });
  billing.pay('3');
  mock.requests.clear();
  await again();
  await vi.waitFor(() => expect(database.orders.get('3')?.state).toBe('paid'), soon);
  expect(mock.requests.find({ path: '/billing/payments' })?.headers).toMatchObject({ 'last-event-id': '2' });
});

test('sends the token of the file that the platform has replaced, by the client and by the driver', async () => {
  const { ask, ready, tokenFile } = await run();
  await ready();
  await vi.waitFor(() => expect(billing.followers).toBe(1), soon);
  await writeFile(tokenFile, await mock.tokens.issue({ user: 'its-next-token' }));
  mock.requests.clear();
  billing.cut();
  await vi.waitFor(() => expect(billing.followers).toBe(1), soon);
  expect((await ask('/orders/1', { user: 'alice' })).status).toBe(200);
  const users = (path: string) =>
    mock.requests.filter((request) => request.path.includes(path)).map(({ user }) => user);
  expect(users('/billing/payments')).toEqual(['its-next-token']);
  expect(users('/_api/document/orders/1')).toEqual(['its-next-token']);
});

test('ends at SIGTERM with an event stream open, after the requests in flight', async () => {
  const { ask, ready, end } = await run();
  await ready();
  await vi.waitFor(() => expect(billing.followers).toBe(1), soon);
  mock.fail({ path: '/_api/document/orders/1', delayMs: 1_000 });
  const inFlight = ask('/orders/1', { user: 'alice' });
  await vi.waitFor(() => mock.assertFaultsUsed(), soon);
  const ended = end();
  const { status, headers } = await inFlight;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  expect(await ended).toEqual([0, null]);
  await vi.waitFor(() => expect(billing.followers).toBe(0), soon);
  await expect(ask('/live')).rejects.toThrow();
});

test('ends at SIGTERM while the database is down and the event stream waits', async () => {
  mock.fail({ path: '/_api/document/positions/payments', drop: true, times: always });
  const { ask, end, printed } = await run();
  await vi.waitFor(() => expect(printed()).toContain('payments are not followed'), soon);
  expect((await ask('/live')).status).toBe(200);
  expect(await end()).toEqual([0, null]);
});

test('metrics and logs hold no id, no query and no token', async () => {
  const { ask, ready, printed } = await run();
  await ready();
  for (const path of ['/orders/canary-1', '/orders/canary-2?token=canary-3', '/canary-4', '/orders/1']) {
    await ask(path, { user: 'alice' });
  }
  await ask('/orders/1/invoice', invoice);
  await vi.waitFor(async () => expect((await ask('/metrics')).text).toContain('operation="followPayments"'), soon);
  const { text } = await ask('/metrics');
  expect(text).not.toContain('canary');
  const labels = (name: string) =>
    new Set([...text.matchAll(new RegExp(` *${name}="([^"]*)"`, 'g'))].map(([, it]) => it));
  expect(labels('operation')).toEqual(new Set(['/_management/authentication/keys', '/invoices', 'followPayments']));
  expect(labels('route')).toEqual(new Set(['/orders/:id', '/orders/:id/invoice', '/metrics', '/ready', 'none']));
  await vi.waitFor(() => expect(printed()).toContain('"statusCode":201'), soon);
  expect(printed()).toContain('canary-2');
  expect(printed()).not.toContain('canary-3');
  expect(printed()).not.toContain('eyJ');
});
