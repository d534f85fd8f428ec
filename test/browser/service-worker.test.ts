import { createClient, credentials, isHttpError, isNetworkError, isPermissionDeniedError } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { handlers } from 'arango-services/mock/msw';
import { setupWorker } from 'msw/browser';
import { HttpResponse, http } from 'msw/http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';

const worker = setupWorker();
const url = 'https://db.example.com';
const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

const setUp = () =>
  createMock({
    users: [{ name: 'alice', password: 'pw' }],
    policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read-only'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
  });

let mock: Awaited<ReturnType<typeof setUp>>;

beforeAll(async () => {
  await worker.start({ onUnhandledFrame: 'bypass', quiet: true });
});
beforeEach(async () => {
  mock = await setUp();
  worker.resetHandlers(...handlers(mock, { url }));
});
afterEach(() => mock[Symbol.asyncDispose]());
afterAll(() => worker.stop());

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a page behind the service worker', () => {
  test('logs in, creates a token and requests a decision', async () => {
    const client = createClient({ url, database: 'shop', retry: 0 });
    const session = await client.authentication.login({ username: 'alice', password: 'pw' });
    expect(await client.authentication.validate(session.token)).toMatchObject({ valid: true, user: 'alice' });

    const minted = await client.authentication.createToken({ user: 'alice', lifetime: '10m', groups: ['viewer'] });
    expect(minted.lifetimeMs).toBe(600_000);
    const allowed = { token: minted.token, action: 'orders:read', resource: 'orders' };
    expect(await client.authorization.isAllowed(allowed)).toBe(true);
    const denied = { user: 'alice', action: 'orders:write', resource: 'orders' };
    expect(isPermissionDeniedError(await failure(client.authorization.assertAllowed(denied)))).toBe(true);

    expect(mock.requests.map(({ path, user, decision }) => [path.split('/').at(-1), user, decision])).toEqual([
      ['login', 'alice', undefined],
      ['validate', 'alice', undefined],
      ['createToken', 'alice', undefined],
      ['evaluate-token', 'alice', 'Allow'],
      ['evaluate', 'alice', 'Deny'],
    ]);
  });

  test('gets a 403 without permission', async () => {
    const client = createClient({
      url,
      credentials: credentials.login({ username: 'alice', password: 'pw' }),
      retry: 0,
    });
    const error = await failure(client.authorization.policies.create('mine', everywhere));
    expect(isHttpError(error) && [error.status, error.grpcCode]).toEqual([403, 7]);
    expect(JSON.stringify(mock.requests)).not.toContain('"pw"');
  });

  test('sees an injected outage and the recovery', async () => {
    const login = credentials.login({ username: 'alice', password: 'pw' });
    const client = createClient({ url, database: 'shop', credentials: login });
    const echo = client.route('_echo');
    mock.fail({ path: '/_echo/ping', status: 503, headers: { 'retry-after': '0' } });
    const once = await echo.get<{ path: string }>('ping');
    expect(once.body.path).toBe('/_db/shop/_echo/ping');

    mock.fail({ path: '/_echo/ping', drop: true, times: 3 });
    expect(isNetworkError(await failure(echo.get('ping')))).toBe(true);
    mock.assertFaultsUsed();
    expect((await echo.get('ping')).status).toBe(200);
    expect(mock.requests.filter(({ path }) => path.endsWith('ping')).map(({ status }) => status)).toEqual([
      503, 200, 0, 0, 0, 200,
    ]);
  });

  test("the page's own handlers come first, and its own requests pass through", async () => {
    worker.use(http.get(`${url}/_db/:db/prices`, () => HttpResponse.json({ eur: 1 })));
    const client = createClient({ url, database: 'shop', retry: 0 });
    expect((await client.route('prices').get()).body).toEqual({ eur: 1 });
    expect((await fetch('/mockServiceWorker.js')).headers.get('content-type')).toContain('javascript');
    expect(mock.requests).toHaveLength(0);
  });
});

describe("a page on the gateway's origin", () => {
  test('gets every route of the gateway from the mock, and its own files from its server', async () => {
    const routes = inject('routes');
    const gateway = await createMock({
      authzen: true,
      routes: [
        { path: '/_platform/acp/v1/list_services', body: [] },
        { path: '/seeded/:id', body: {} },
      ],
    });
    gateway.route('PUT', '/arangoroute/:id', () => ({ body: {} }));
    worker.resetHandlers(...handlers(gateway, { url: location.origin }));
    for (const [method, path] of routes) {
      const before = gateway.requests.length;
      await fetch(`${location.origin}${path}`, { method });
      expect([method, path, gateway.requests.length]).toEqual([method, path, before + 1]);
    }
    expect(routes.length).toBeGreaterThan(40);
    expect((await fetch('/mockServiceWorker.js')).headers.get('content-type')).toContain('javascript');
    expect(gateway.requests).toHaveLength(routes.length);
    await gateway[Symbol.asyncDispose]();
  });

  test('reaches the services behind the gateway as its user', async () => {
    mock.service('orders', { '/orders/{id}': { get: ({ path, user }) => ({ body: { id: path.id, user } }) } });
    worker.resetHandlers(...handlers(mock, { url: location.origin }));
    const login = credentials.login({ username: 'alice', password: 'pw' });
    const client = createClient({
      url: location.origin,
      database: 'shop',
      gateway: true,
      credentials: login,
      retry: 0,
    });
    expect((await client.service('orders').get('orders/7')).body).toEqual({ id: '7', user: 'alice' });
  });
});
