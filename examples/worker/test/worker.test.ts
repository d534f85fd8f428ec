import { generateKeyPairSync } from 'node:crypto';
import { createMock, type MockConfig } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { build } from 'esbuild';
import { Miniflare, type MiniflareOptions } from 'miniflare';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import permissions from '../permissions.json' with { type: 'json' };
import settings from '../wrangler.json' with { type: 'json' };

// A deployment whose key is symmetric publishes none.
const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const mock = await createMock({
  ...(permissions as MockConfig),
  authentication: { keys: { active: privateKey } },
  users: [{ name: 'alice' }, { name: 'bob' }, { name: 'carol' }, { name: 'edge', password: 'pw' }],
});
mock.route('GET', '/_db/shop/orders/7', ({ user }) => ({ body: { id: '7', seenBy: user } }));
mock.route('POST', '/_db/shop/orders', ({ user, body }) => ({ status: 201, body: { ...(body as object), by: user } }));
const start = mock.snapshot();
const port = await listen(mock);

let options: MiniflareOptions;
let worker: Miniflare;
beforeAll(async () => {
  // The conditions by which wrangler bundles.
  const conditions = ['workerd', 'worker', 'browser'];
  const { outputFiles } = await build({
    entryPoints: [settings.main],
    bundle: true,
    format: 'esm',
    conditions,
    write: false,
  });
  options = {
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: settings.compatibility_date,
    bindings: { ARANGO_URL: port.url, ARANGO_USER: 'edge', ARANGO_PASSWORD: 'pw' },
  };
  worker = new Miniflare(options);
}, 60_000);
beforeEach(() => mock.restore(start));
afterAll(async () => {
  await worker.dispose();
  await mock[Symbol.asyncDispose]();
});

async function send(path: string, token?: string, body?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body };
  const response = await worker.dispatchFetch(`https://shop.example.com${path}`, init);
  return { status: response.status, body: await response.json(), challenge: response.headers.get('www-authenticate') };
}
const as = async (user: string, path: string, body?: string) => send(path, await mock.tokens.issue({ user }), body);
const countOf = (part: string) => mock.requests.filter(({ path }) => path.includes(part)).length;

test('without the keys there is no decision, and requests that come at once share one load of them', async () => {
  mock.fail({ path: '/_management/authentication/keys', status: 500 });
  expect(await as('alice', '/orders/7')).toMatchObject({ status: 503 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => as('bob', '/orders/7')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(countOf('/authentication/keys')).toBe(2);
});

test('a caller who leaves while the keys are loaded leaves no other caller waiting', async () => {
  const fresh = new Miniflare(options);
  mock.fail({ path: '/_management/authentication/keys', delayMs: 60_000 });
  const headers = { authorization: `Bearer ${await mock.tokens.issue({ user: 'bob' })}` };
  await fresh.dispatchFetch('https://shop.example.com/elsewhere'); // workerd has started
  const signal = AbortSignal.timeout(500);
  await expect(fresh.dispatchFetch('https://shop.example.com/orders/7', { headers, signal })).rejects.toThrow();
  expect((await fresh.dispatchFetch('https://shop.example.com/orders/7', { headers })).status).toBe(200);
  await fresh.dispose();
}, 30_000);

test('a granted read and a granted write reach the deployment with the token of their caller', async () => {
  expect(await as('bob', '/orders/7')).toMatchObject({ status: 200, body: { id: '7', seenBy: 'bob' } });
  expect(await as('alice', '/orders', '{"total":5}')).toMatchObject({ status: 201, body: { total: 5, by: 'alice' } });
});

test('a denied caller, and one without a valid token, reach no route of the deployment', async () => {
  expect((await as('bob', '/orders', '{"total":5}')).status).toBe(403);
  expect((await as('carol', '/orders/7')).status).toBe(403);
  expect(await send('/orders/7')).toMatchObject({ status: 401, challenge: 'Bearer realm="orders"' });
  const forged = await mock.tokens.forge({ user: 'alice', expired: true });
  expect(await send('/orders/7', forged)).toMatchObject({
    status: 401,
    challenge: expect.stringMatching(/invalid_token/),
  });
  expect(countOf('/orders')).toBe(0);
});

test('a missing order, an invalid one and an unknown path are the caller’s mistakes', async () => {
  expect((await as('alice', '/orders/8')).status).toBe(404);
  expect((await as('alice', '/orders', '{"total":"5"}')).status).toBe(400);
  expect((await as('alice', '/orders', 'no JSON')).status).toBe(400);
  expect((await as('alice', '/elsewhere')).status).toBe(404);
});

test('a failure of the route is a 502, never a status of the worker’s own', async () => {
  mock.fail({ path: '/orders/7', status: 401 });
  expect((await as('alice', '/orders/7')).status).toBe(502);
});
