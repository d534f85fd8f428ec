import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { listen, type MockServer } from '../../src/console/mock/node.js';
import { connect } from '../../src/console/page/http-api.js';
import { createMock, type Mock } from '../../src/mock/index.js';
import { beginSession, pageHeaders, type RawRequest, sendHttp2, sendRaw } from './support/browser.js';
import { evaluatePath, shop } from './support/shop.js';

let mock: Mock;
let server: MockServer;

beforeAll(async () => {
  mock = await createMock(shop);
  server = await listen(mock, { console: true, cors: ['http://localhost:5173'] });
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => mock[Symbol.asyncDispose]());

const versions = [
  ['HTTP/1.1', (request: RawRequest) => sendRaw(server.port, request)],
  ['HTTP/2', (request: RawRequest) => sendHttp2(server.port, request)],
] as const;

test.each(versions)('serves the files of the page over %s with strict headers', async (_, send) => {
  for (const [path, type] of [
    ['/_console/', 'text/html; charset=utf-8'],
    ['/_console/console.js', 'text/javascript; charset=utf-8'],
    ['/_console/log.js', 'text/javascript; charset=utf-8'],
    ['/_console/console.css', 'text/css; charset=utf-8'],
    ['/_console/icon.svg', 'image/svg+xml'],
  ] as const) {
    const { status, headers, text } = await send({ path });
    expect([path, status, headers['content-type']]).toEqual([path, 200, type]);
    expect(text.length).toBeGreaterThan(100);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toMatch(/; worker-src 'self'; .*; trusted-types arango-services-log$/);
    expect(policy).not.toMatch(/unsafe|http|\*|data:/);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
  const moved = await send({ path: '/_console' });
  expect([moved.status, moved.headers.location]).toEqual([308, '/_console/']);
});

test('the page of the console has no inline script, style or foreign address', async () => {
  const { text } = await sendRaw(server.port, { path: '/_console/' });
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|<style|\son\w+=|style=|https?:/i);
});

test.each(versions)('answers calls over %s, and keeps them out of the request log', async (_, send) => {
  const { token } = await beginSession(server.port);
  const { host: _host, ...headers } = pageHeaders(server.port);
  const before = mock.requests.length;
  const request = { method: 'POST', path: '/_console/api/grants', body: '{"user":"bob"}' };
  const { status, text } = await send({ ...request, headers: { ...headers, 'x-console-token': token } });
  expect([status, JSON.parse(text).value[0].text]).toEqual([200, 'orders:read on order:1']);
  expect(mock.requests).toHaveLength(before);
});

/** The page's own client, whose calls look like a browser's. */
async function connectPage(port: number, key?: string) {
  const own = globalThis.fetch;
  const { host: _host, ...headers } = pageHeaders(port);
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    own(input, { ...init, headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) } }),
  );
  return { api: await connect(`http://127.0.0.1:${port}/_console/`).open(key) };
}

test('the console answers the calls of its page, events included', async () => {
  const { api } = await connectPage(server.port);
  expect(await api.overview()).toMatchObject({
    kind: 'mock',
    url: server.url,
    notice: expect.stringContaining('mock'),
  });
  const stop = new AbortController();
  const arrived = (async () => {
    for await (const event of api.events(stop.signal)) if (event.type === 'requests') return event.rows;
    return [];
  })();
  await expect
    .poll(async () => {
      await mock.fetch(`${server.url}${evaluatePath}`, { method: 'POST', body: '{"user":"bob","action":"a:b"}' });
      return Promise.race([arrived, Promise.resolve([])]);
    })
    .not.toEqual([]);
  expect((await arrived)[0]).toMatchObject({ path: evaluatePath, user: 'bob', decision: 'Deny' });
  stop.abort();
  await expect(api.request({ id: 9_999 })).rejects.toMatchObject({
    name: 'ConsoleError',
    code: 'not-found',
    field: 'id',
  });
  expect(await api.clearRequests()).toBeUndefined();
});

test('a port without the option console has no console', async () => {
  await using other = await listen(mock);
  expect(other.console).toBeUndefined();
  expect((await sendRaw(other.port, { path: '/_console/' })).status).toBe(404);
  await expect(listen(mock, { console: 'yes' as never })).rejects.toMatchObject({ field: 'console' });
});

test('the console closes with its port while a page follows events', async () => {
  const other = await listen(mock, { console: true });
  const { api } = await connectPage(other.port);
  const events = api.events(new AbortController().signal)[Symbol.asyncIterator]();
  const next = events.next().catch(() => ({ done: true }));
  await expect.poll(async () => (await api.overview()).url).toBe(other.url);
  await other.close();
  expect(await next).toMatchObject({ done: true });
});

test('the console asks for the printed key on an address that others reach, and then sets a cookie', async () => {
  await using open = await listen(mock, { console: true, host: '0.0.0.0' });
  const { port } = open;
  const key = open.console?.key ?? '';
  expect(Buffer.from(key, 'base64url')).toHaveLength(16);
  expect(server.console).toEqual({ url: `${server.url}/_console/`, key: undefined });
  const begin = (body: object, headers = {}) =>
    sendRaw(port, {
      method: 'POST',
      path: '/_console/session',
      headers: { ...pageHeaders(port), ...headers },
      body: JSON.stringify(body),
    });
  for (const body of [{}, { key: '' }, { key: `${key}x` }, { key: key.slice(0, -1) }]) {
    const { status, text, headers } = await begin(body);
    expect([status, JSON.parse(text).error.code, headers['set-cookie']]).toEqual([401, 'key', undefined]);
    expect(text).not.toContain(key);
  }
  const { headers } = await begin({ key });
  const [cookie = ''] = headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^arango-services-console-\d+=[\w-]{22}; Path=\/_console; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(key);
  const [pair = ''] = cookie.split(';', 1);
  // A reload has the cookie, but no key.
  expect((await begin({}, { cookie: `other=1; ${pair}` })).status).toBe(200);
});
