import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.js';
import { createClient } from '../../../src/index.js';
import { type CustomRequest, createMock, type MockConfig } from '../../../src/mock/index.js';
import { call } from '../../support/calls.js';

const noLogin: MockConfig = { authentication: { mode: 'None' } };
type Routes = NonNullable<MockConfig['routes']>;

/** Returns the errors in configured routes: path and text of each. */
async function faultsOf(routes: Routes): Promise<string[]> {
  try {
    await createMock({ routes });
  } catch (error) {
    // The cast: a ConfigurationError.
    const { issues } = error as { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }
  return [];
}

test('a handler that changes its parameters changes none of the next request', async () => {
  await using mock = await createMock(noLogin);
  const seen: unknown[] = [];
  mock.route('GET', '/_db/:db/orders/:id', ({ params }) => {
    seen.push({ ...params });
    // The cast: JavaScript callers may write.
    (params as Record<string, string>).id = 'changed';
    return { body: {} };
  });
  const orders = createClient({ ...mock.connection, database: 'shop' }).route('orders');
  await orders.get('7');
  await orders.get('7');
  expect(seen).toEqual([
    { db: 'shop', id: '7' },
    { db: 'shop', id: '7' },
  ]);
});

describe('routes of the configuration', () => {
  const routes: Routes = [
    { method: 'GET', path: '/_db/:db/orders/open', body: { items: [1] } },
    { method: 'post', path: '/_db/:db/orders', status: 409, headers: { 'x-reason': 'twice' }, body: 'there is one' },
    { path: '/_db/:db/orders/empty', status: 204 },
    { path: '/_db/:db/mine/*', echo: true },
  ];

  test('are served to a client, in memory and on a port', async () => {
    await using mock = await createMock({ ...noLogin, routes });
    await using server = await listen(mock);
    for (const connection of [mock.connection, server.connection]) {
      const orders = createClient({ ...connection, database: 'shop' })
        .route('orders')
        .with({ allowStatus: [409] });
      expect((await orders.get('open')).body).toEqual({ items: [1] });
      const refused = await orders.request({ method: 'POST', body: {} });
      expect([refused.status, refused.body, refused.headers.get('x-reason')]).toEqual([409, 'there is one', 'twice']);
      expect((await orders.put('empty', 5)).status).toBe(204);
      const echo = await createClient({ ...connection, database: 'shop' })
        .route('mine')
        .request({ method: 'PUT', path: 'a/b', body: { c: 1 }, qs: { d: 2 } });
      expect(echo.body).toMatchObject({ method: 'PUT', path: '/_db/shop/mine/a/b', query: 'd=2', body: { c: 1 } });
    }
  });

  test('require credentials like routes that a test adds', async () => {
    const mock = await createMock({ routes });
    expect((await call(mock, 'GET', '/_db/shop/orders/open')).status).toBe(401);
  });

  test('are restored by a reset; a route that a test adds overrides them', async () => {
    const mock = await createMock({ ...noLogin, routes });
    mock.route('GET', '/_db/:db/orders/open', () => ({ body: 'mine' }));
    const open = async () => (await mock.fetch('http://mock.test/_db/a/orders/open')).text();
    expect(await open()).toBe('mine');
    mock.reset();
    expect(await open()).toBe('{"items":[1]}');
  });

  test('are refused with the path of each error', async () => {
    expect(
      await faultsOf([
        { path: '/_integration/x' },
        { path: '/_db/orders' },
        { path: '/a', status: 600 },
        { path: '/b', headers: { 'a b': 'c' } },
        { path: '/c', method: 'G T' },
      ]),
    ).toEqual([
      expect.stringContaining('routes.0.path: is served by the mock itself'),
      'routes.1.path: names no database: expected "/_db/:db/orders"',
      'routes.2.status: expected a status from 200 to 599',
      'routes.3.headers: expected an object of header values',
      'routes.4.method: expected a method like "GET", or "*"',
    ]);
    expect(
      await faultsOf([
        { path: '/a', echo: true, body: 1 },
        { method: 'GET', path: '/b' },
        { method: 'get', path: '/b' },
        { method: 'GET', path: '/c/:id/d' },
        { method: 'GET', path: '/c/:name/d' },
        { method: 'GET', path: '/c:id/d' },
        { method: 'GET', path: '/c:name/d' },
      ]),
    ).toEqual([
      'routes.2: has the same method and path as routes[1]',
      'routes.4: has the same method and path as routes[3]',
      'routes.0.echo: expected no status, headers or body with it',
    ]);
  });
});

describe('mock.route refuses a path that no request can match, and suggests one', () => {
  test.each([
    ['/_db/:db/orders?limit=5', '/_db/:db/orders'],
    ['/_db/:db/orders#open', '/_db/:db/orders'],
    ['/_db/:db/my%20orders/:id', '/_db/:db/my orders/:id'],
    ['/_db/:db/%C3%BC/*', '/_db/:db/ü/*'],
    ['/_db/:db/../orders', '/_db/orders'],
    ['/_db/:db/./orders', '/_db/:db/orders'],
    ['/_db/orders', '/_db/:db/orders'],
    ['/_db/orders/', '/_db/:db/orders'],
    ['/_db/:db/a%2Fb', ':name'],
    ['/_db/:db/a\ud800', '/_db/:db/a\ufffd'],
  ])('%s: %s', async (pattern, wanted) => {
    const mock = await createMock();
    expect(() => mock.route('GET', pattern, () => ({}))).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        field: 'path',
        message: expect.stringContaining(`"${wanted}"`),
      }),
    );
  });

  test.each(['/_db/:db/my orders', '/_db/:db/ü', '/_db/:db/100%', '/a//b', '/a/', '/_db/*', '/_db/:db'])(
    'a request reaches %s',
    async (pattern) => {
      const mock = await createMock(noLogin);
      mock.route('GET', pattern, () => ({ body: 'here' }));
      const path = pattern.replace(':db', 'a').replace('*', 'a/b').replace('%', '%25');
      expect(await (await mock.fetch(new URL(path, 'http://mock.test'))).text()).toBe('here');
    },
  );

  test('if it lacks the database in front, the 404 of a client’s call says so', async () => {
    const mock = await createMock(noLogin);
    mock.route('GET', '/orders/:id', () => ({}));
    const { body } = await call(mock, 'GET', '/_db/_system/orders/7');
    expect(body.errorMessage).toContain(`mock.route('GET', '/_db/:db/orders/7', () => ({ body: … }))`);
    expect((await call(mock, 'GET', '/orders/7')).status).toBe(200);
  });
});

describe('handlers and the log show headers alike', () => {
  test('as fields by lower-case name, and with case-insensitive get and has', async () => {
    const mock = await createMock(noLogin);
    let seen: CustomRequest['headers'] | undefined;
    mock.route('GET', '/_db/:db/mine', ({ headers }) => {
      seen = headers;
      return {};
    });
    await using server = await listen(mock);
    for (const send of [mock.fetch, fetch]) {
      mock.requests.clear();
      await send(`${server.url}/_db/a/mine`, { headers: { 'X-Tenant': 'acme', 'x-b': '2' } });
      const logged = mock.requests[0]?.headers;
      for (const headers of [seen, logged]) {
        expect([headers?.['x-tenant'], headers?.get('X-TENANT'), headers?.has('x-Tenant')]).toEqual([
          'acme',
          'acme',
          true,
        ]);
        expect([headers?.['x-none'], headers?.get('x-none'), headers?.has('get')]).toEqual([undefined, null, false]);
      }
      expect(JSON.stringify(logged)).toBe(JSON.stringify({ ...logged }));
      expect(Object.keys(logged ?? {})).not.toContain('get');
    }
  });

  test('a header named like a method does not hide it', async () => {
    const mock = await createMock(noLogin);
    mock.route('GET', '/_db/:db/mine', ({ headers }) => ({ body: [headers.get('get'), headers.get('x-a')] }));
    const { body } = await call(mock, 'GET', '/_db/a/mine', undefined, { get: 'x', 'x-a': 'y' });
    expect([body, mock.requests[0]?.headers.get('x-a'), mock.requests[0]?.headers.get('get')]).toEqual([
      ['x', 'y'],
      'y',
      'x',
    ]);
  });
});
