import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import {
  createMock,
  type MockServiceOptions,
  type ServiceHandlers,
  type ServiceValidator,
} from '../../../src/mock/index.ts';

const handlers: ServiceHandlers = {
  '/orders/{id}': {
    get: ({ path, query, user }) => ({ body: { path, query, user } }),
    put: ({ body }) => ({ status: 201, body: { got: body } }),
  },
  '/orders/open': { get: () => ({ body: 'open' }) },
  '/': { get: () => ({ body: 'root' }) },
};

const none = { authentication: { mode: 'None' } } as const;

describe('mock.service', () => {
  test.each([
    ['/_service/uds/_db/shop/orders', {}],
    ['/_service/uds/_db/other/orders', {}],
    ['/_service/uds/_global/orders', { global: true }],
  ])('serves the operations of its templates at %s', async (base, options) => {
    const mock = await createMock(none);
    mock.service('orders', handlers, options);
    const get = async (path: string) => {
      const answer = await mock.fetch(`http://mock.test${base}${path}`);
      return [
        answer.status,
        answer.headers.get('content-type')?.startsWith('text') ? await answer.text() : await answer.json(),
      ];
    };
    expect(await get('')).toEqual([200, 'root']);
    expect(await get('/')).toEqual([200, 'root']);
    expect(await get('/orders/open')).toEqual([200, 'open']);
    expect(await get('/orders/a%2Fb%20c?x=1&x=2&y=')).toEqual([
      200,
      { path: { id: 'a/b c' }, query: { x: ['1', '2'], y: '' } },
    ]);
    expect(await get('/orders/7/more')).toEqual([404, { detail: 'Not Found' }]);
    const put = await mock.fetch(`http://mock.test${base}/orders/7`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect([put.status, await put.json()]).toEqual([201, { got: { a: 1 } }]);
    const post = await mock.fetch(`http://mock.test${base}/orders/7`, { method: 'POST' });
    expect([post.status, await post.json()]).toEqual([405, { detail: 'Method Not Allowed' }]);
    const head = await mock.fetch(`http://mock.test${base}/orders/open`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('is found by the paths of client.service, of a database and global', async () => {
    const mock = await createMock(none);
    mock.service('orders', handlers);
    mock.service('orders', { '/orders/open': { get: () => ({ body: 'global' }) } }, { global: true });
    const client = createClient({ ...mock.connection, database: 'shop' });
    expect((await client.service('orders').get('orders/open')).body).toBe('open');
    expect((await client.service('orders', { global: true }).get('orders/open')).body).toBe('global');
  });

  test('gives handlers the request below the path of the service', async () => {
    const mock = await createMock(none);
    mock.service('orders', {
      '/a/{b}': {
        post: ({ request, body }) => {
          const { method, path, query, headers } = request;
          return { body: { method, path, q: query.get('q'), tenant: headers['x-tenant'], body } };
        },
      },
    });
    const answer = await mock.fetch('http://mock.test/_service/uds/_db/x/orders//a//b%20c?q=1', {
      method: 'POST',
      headers: { 'x-tenant': 'acme' },
      body: 'text',
    });
    expect(await answer.json()).toEqual({ method: 'POST', path: '/a/b%20c', q: '1', tenant: 'acme', body: 'text' });
  });

  test('matches parameters of any name that fill a segment, but no empty ones', async () => {
    const mock = await createMock(none);
    mock.service('s', { '/x/{order-id}/{a.b}': { get: ({ path }) => ({ body: path }) } });
    const get = (path: string) => mock.fetch(`http://mock.test/_service/uds/_db/x/s${path}`);
    expect(await (await get('/x/1/__proto__')).json()).toEqual({ 'order-id': '1', 'a.b': '__proto__' });
    expect((await get('/x/1/')).status).toBe(404);
  });

  test('is removed, reset and restored like a route', async () => {
    const mock = await createMock(none);
    const status = async () => (await mock.fetch('http://mock.test/_service/uds/_db/x/orders/')).status;
    const start = mock.snapshot();
    const remove = mock.service('orders', handlers);
    const saved = mock.snapshot();
    expect(await status()).toBe(200);
    remove();
    expect(await status()).toBe(404);
    mock.restore(saved);
    expect(await status()).toBe(200);
    mock.restore(start);
    expect(await status()).toBe(404);
  });

  test('answers an opaque 500 if a handler throws, and logs the error', async () => {
    const mock = await createMock(none);
    const thrown = new Error('inside');
    mock.service('s', {
      '/': {
        get: () => {
          throw thrown;
        },
      },
    });
    expect((await mock.fetch('http://mock.test/_service/uds/_db/x/s/')).status).toBe(500);
    expect(mock.requests.at(-1)).toMatchObject({ status: 500, thrown });
  });

  const ok = () => ({});
  test.each<[string, string, string, object, object | undefined]>([
    ['an empty name', 'name', '', {}, undefined],
    ['a name of two segments', 'name', 'a/b', {}, undefined],
    ['a name with an escape', 'name', 'a%20b', {}, undefined],
    ['a relative name', 'name', '..', {}, undefined],
    ['no handlers', 'handlers', 'a', 7 as unknown as object, undefined],
    ['a URL for handlers only', 'document', 'a', 'http://127.0.0.1:3000' as unknown as object, { document: {} }],
    ['a template without a slash', 'handlers', 'a', { orders: { get: ok } }, undefined],
    ['a parameter within a segment', 'handlers', 'a', { '/{id}.json': { get: ok } }, undefined],
    ['a handler that is not a function', 'handlers', 'a', { '/x': { get: {} } }, undefined],
    ['an unknown option', 'pass', 'a', {}, { pass: 'override' }],
    ['an unknown pass mode', 'passMode', 'a', {}, { passMode: 'keep' }],
    ['an unknown authentication', 'authentication', 'a', {}, { authentication: true }],
    ['a global that is text', 'global', 'a', {}, { global: 'yes' }],
    ['a validator without wrap', 'validate', 'a', {}, { validate: {} }],
  ])('refuses %s', async (_, field, name, given, options) => {
    const mock = await createMock();
    // The casts: what the types refuse.
    expect(() => mock.service(name, given as ServiceHandlers, options as MockServiceOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field }),
    );
  });
});

test('a validator gets the handlers and options, and returns the handlers to use', async () => {
  const mock = await createMock(none);
  const document = { openapi: '3.1.0' };
  const validate: ServiceValidator = {
    wrap: (given, { document: read, examples }) => ({
      ...given,
      '/stock': { get: () => ({ body: { read, examples, paths: Object.keys(given) } }) },
    }),
  };
  mock.service('orders', handlers, { document, validate, examples: true });
  const get = async (path: string) => (await mock.fetch(`http://mock.test/_service/uds/_db/x/orders${path}`)).text();
  expect(JSON.parse(await get('/stock'))).toEqual({ read: document, examples: true, paths: Object.keys(handlers) });
  expect(await get('/orders/open')).toBe('open');
});
