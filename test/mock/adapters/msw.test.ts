import { HttpResponse, http } from 'msw/http';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { everyRoute } from '../../support/every-route.ts';

const server = setupServer();
const version = '/_api/version';
const open = { authentication: { mode: 'None' } } as const;

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => {
  vi.restoreAllMocks();
  server.resetHandlers();
});
afterAll(() => server.close());

const status = async (url: string): Promise<number> => (await fetch(url)).status;

describe('handlers(mock)', () => {
  test("answers the mock's own origin, and leaves others to onUnhandledFrame", async () => {
    const mock = await createMock(open);
    server.resetHandlers(...handlers(mock));
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await status(`http://mock.test${version}`)).toBe(200);
    expect(await status('http://mock.test/nowhere')).toBe(404);
    for (const origin of ['http://mock.test:81', 'https://mock.test', 'http://other.test', 'http://mock.test.evil']) {
      await expect(fetch(`${origin}${version}`)).rejects.toThrow();
    }
    expect(error).toHaveBeenCalledTimes(4);
    expect(mock.requests).toHaveLength(2);
  });

  test('answers another origin, or several, if configured', async () => {
    const mock = await createMock(open);
    const [database, sidecar] = ['https://db.example.com', 'http://localhost:9201'];
    server.resetHandlers(...handlers(mock, { url: database }), ...handlers(mock, { url: `${sidecar}/` }));
    expect(await status(`${database}${version}`)).toBe(200);
    expect(await status(`${sidecar}/_integration/authn/v1/identity`)).toBe(200);
  });

  test('sends CORS headers to the pages in `cors` only', async () => {
    const mock = await createMock(open);
    const page = 'http://localhost:3000';
    server.resetHandlers(...handlers(mock, { cors: [page] }));
    const preflight = { origin: page, 'access-control-request-method': 'PUT' };
    const allowed = await fetch(`http://mock.test${version}`, { method: 'OPTIONS', headers: preflight });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    const answer = await fetch(`http://mock.test${version}`, { headers: { origin: page } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-expose-headers')).toContain('content-type');
    const other = await fetch(`http://mock.test${version}`, { headers: { origin: 'http://evil.test' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expect(mock.requests).toHaveLength(2);
    expect(() => handlers(mock, { cors: ['*'] })).toThrow('cors[0]');
  });

  test("a project's own handlers come first", async () => {
    const mock = await createMock(open);
    const own = http.get('http://mock.test/_api/version', () => HttpResponse.json({ server: 'own' }));
    const foreign = http.get('https://rates.example.com/eur', () => HttpResponse.json(1.1));
    server.resetHandlers(own, foreign, ...handlers(mock));
    expect(await (await fetch(`http://mock.test${version}`)).json()).toEqual({ server: 'own' });
    expect(await (await fetch('https://rates.example.com/eur')).json()).toBe(1.1);
    server.resetHandlers(...handlers(mock));
    server.use(http.get('http://mock.test/_api/version', () => HttpResponse.json({ server: 'for this test' })));
    expect(await (await fetch(`http://mock.test${version}`)).json()).toEqual({ server: 'for this test' });
  });

  test('two mocks share nothing, not even cookies', async () => {
    const [one, two] = [await createMock(open), await createMock(open)];
    server.resetHandlers(...handlers(one, { url: 'http://one.test' }), ...handlers(two, { url: 'http://two.test' }));
    const login = JSON.stringify({ credentials: { username: 'root', password: '' }, options: { cookies: true } });
    const response = await fetch('http://one.test/_login', { method: 'POST', body: login, credentials: 'include' });
    expect(response.headers.getSetCookie()).toHaveLength(1);
    await fetch('http://two.test/_logout', { credentials: 'include' });
    await fetch('http://one.test/_logout', { credentials: 'include' });
    expect([...one.requests, ...two.requests].map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([one.requests.length, two.requests.length]).toEqual([2, 1]);
  });

  test('a disposed mock answers nothing', async () => {
    const mock = await createMock(open);
    server.resetHandlers(...handlers(mock));
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await status(`http://mock.test${version}`)).toBe(200);
    await mock[Symbol.asyncDispose]();
    await expect(fetch(`http://mock.test${version}`)).rejects.toThrow();
    expect(error).toHaveBeenCalledOnce();
  });

  test("on the origin of the page, other paths are the page's", async () => {
    const mock = await createMock({ ...open, authzen: true });
    mock.route('POST', '/svc/:id', () => ({ body: 'made' }));
    const ask = askOnPage(mock);
    for (const path of [version, '/_db/x/_echo/', '/_integration/authn/v1/identity', '/_login', '/_service/none']) {
      expect([path, await ask('GET', path)]).not.toEqual([path, 'page']);
    }
    expect(await ask('POST', '/svc/7')).toBe('200 made');
    const others = ['/', '/src/main.ts', '/_next/static/a.js', '/_dbx', '/app/_db/x', '/access/v1', '/%', '/svc/7'];
    for (const path of others) expect([path, await ask('GET', path)]).toEqual([path, '200 page']);
  });

  test.each(['Native', 'SSO', 'None'] as const)(
    'on the origin of the page, the mock answers each of its routes in mode %s',
    async (mode) => {
      const routes = await everyRoute(mode);
      const ask = askOnPage(routes.mock);
      for (const [method, path] of routes.all) {
        const before = routes.mock.requests.length;
        expect([method, path, await ask(method, path)]).not.toEqual([method, path, '200 page']);
        expect([method, path, routes.mock.requests.length]).toEqual([method, path, before + 1]);
      }
      expect(routes.all.length).toBeGreaterThan(40);
    },
  );
});

/** Sends requests of a page on whose origin the mock's handlers answer; the page answers the rest. */
function askOnPage(mock: Mock) {
  vi.stubGlobal('location', new URL('http://page.test/app'));
  const page = http.all('*', () => HttpResponse.text('page'));
  server.resetHandlers(...handlers(mock, { url: 'http://page.test' }), page);
  vi.unstubAllGlobals();
  return async (method: string, path: string) => {
    const response = await fetch(`http://page.test${path}`, { method, redirect: 'manual' });
    return `${response.status} ${await response.text()}`;
  };
}
