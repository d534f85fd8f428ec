import { createClient } from 'arango-services';
import { createMock, type MockConfig } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import seed from '../seed.json' with { type: 'json' };
import { createApp } from '../src/app.ts';

const mock = await createMock(seed as MockConfig);
mock.route('POST', '/_db/shop/billing/invoices', ({ body, user }) => {
  const { order, total } = body as { order: string; total: number };
  return { status: 201, body: { number: `${user}-${order}-${total}` } };
});
const start = mock.snapshot();
beforeEach(() => mock.restore(start));

// The service of this process, or one elsewhere: see examples/README.md.
const { ORDERS_URL, PLATFORM_PORT } = process.env;
if (PLATFORM_PORT) {
  const platform = await listen(mock, { port: Number(PLATFORM_PORT) });
  afterAll(() => platform.close());
}
const app = createApp(createClient({ ...mock.connection, database: 'shop' }));
const send = (path: string, init: RequestInit) =>
  ORDERS_URL === undefined ? app.request(path, init) : fetch(ORDERS_URL + path, init);

/** Asks the service as a user, with a token, or anonymously. */
async function ask(path: string, who: { user?: string; token?: string } = {}, order?: object) {
  const token = who.user ? await mock.tokens.issue({ user: who.user }) : who.token;
  const response = await send(path, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(order && { method: 'POST', body: JSON.stringify(order) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const write = { total: 5 };
const calls: [string, (who?: { user?: string; token?: string }) => ReturnType<typeof ask>][] = [
  ['the list', (who) => ask('/orders', who)],
  ['an item', (who) => ask('/orders/3', who)],
  ['a write', (who) => ask('/orders', who, write)],
];

describe('granted', () => {
  test('a list holds what its reader may see', async () => {
    expect((await ask('/orders', { user: 'alice' })).body).toHaveLength(3);
    expect((await ask('/orders', { user: 'bob' })).body.map(({ id }: { id: string }) => id)).toEqual(['1', '2']);
  });

  test('an item', async () => {
    expect(await ask('/orders/1', { user: 'bob' })).toMatchObject({ status: 200, body: { id: '1', total: 12 } });
    expect((await ask('/orders/77', { user: 'bob' })).status).toBe(404);
  });

  test('a write, of which billing hears from the caller', async () => {
    expect(await ask('/orders', { user: 'alice' }, write)).toMatchObject({
      status: 201,
      body: { total: 5, invoice: 'alice-4-5' },
    });
  });
});

test('refused', async () => {
  expect((await ask('/orders/3', { user: 'bob' })).status).toBe(403);
  expect(await ask('/orders', { user: 'bob' }, write)).toMatchObject({
    status: 403,
    body: { code: 7, message: 'Permission denied', details: [] },
  });
  expect(mock.requests.find({ path: '/billing/invoices' })).toBeUndefined();
});

describe.each(calls)('%s', (_name, call) => {
  test('without a token, and with an expired one', async () => {
    const nobody = await call();
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="orders"']);
    const expired = await call({ token: await mock.tokens.forge({ user: 'alice', expired: true }) });
    expect([expired.status, expired.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="orders", error="invalid_token"',
    ]);
  });

  test('while nobody can decide', async () => {
    mock.fail({ evaluation: true });
    const answer = await call({ user: 'alice' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });
});

test('a 401 of billing is not this service’s own', async () => {
  mock.fail({ path: '/billing/invoices', status: 401 });
  expect(await ask('/orders', { user: 'alice' }, write)).toMatchObject({
    status: 502,
    body: { message: 'Bad gateway' },
  });
});
