import { describe, expect, test } from 'vitest';
import { typed } from '../../../src/client/openapi/index.ts';
import { createClient, credentials, type HttpError } from '../../../src/index.ts';
import { createMock, type MockServiceOptions, type ServiceHandlers } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';
import type { paths } from '../../client/openapi/documents/orders.d.ts';
import orders from '../../client/openapi/documents/orders.json' with { type: 'json' };

const order = { id: 7, total: 9.5, state: 'open' } as const;

async function serve(handlers: ServiceHandlers, options: MockServiceOptions = {}) {
  const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  mock.service('shop', handlers, { document: orders, validate: openApiValidator(), ...options });
  const login = credentials.login({ username: 'alice', password: 'pw' });
  const client = createClient({ ...mock.connection, credentials: login });
  const route = client.service('shop');
  return { mock, route, shop: typed<paths>(route) };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: HttpError) => error,
  );

describe('requests that a document validates', () => {
  test('reach the handler with the values in the types of the document', async () => {
    const seen: unknown[] = [];
    const { shop } = await serve({
      '/orders': { get: ({ query }) => ({ body: seen.push(query) > 9 ? undefined : [order] }) },
      '/orders/{id}': {
        get: ({ path, query, user }) => ({ body: seen.push(path, query, user) > 9 ? undefined : order }),
      },
    });
    await shop.get('/orders', { query: { state: 'open', limit: 5, tag: ['a'] } });
    await shop.get('/orders/{id}', { path: { id: 7 }, query: { expand: true } });
    expect(seen).toEqual([{ state: 'open', limit: 5, tag: ['a'] }, { id: 7 }, { expand: true }, 'alice']);
  });

  test('reach the handler with list items that two alternatives describe', async () => {
    const list = { type: 'array', items: { type: 'integer' } };
    const schema = { anyOf: [{ type: 'null' }, { oneOf: [list] }] };
    const get = { parameters: [{ name: 'id', in: 'query', schema }], responses: { 200: { description: '' } } };
    const document = { openapi: '3.1.0', paths: { '/': { get } } };
    const seen: unknown[] = [];
    const { route } = await serve({ '/': { get: ({ query }) => ({ status: seen.push(query) && 200 }) } }, { document });
    await route.get('', { id: [1, 2] });
    expect(seen).toEqual([{ id: [1, 2] }]);
  });

  test.each([
    ['a query that violates an enum', '/orders', { state: 'closed' }, ['query', 'state']],
    ['a query that is not a number', '/orders', { limit: 'many' }, ['query', 'limit']],
    ['a number out of range', '/orders', { limit: 0 }, ['query', 'limit']],
  ])('get a 422 as FastAPI writes it for %s', async (_, path, query, place) => {
    const { route, mock } = await serve({ '/orders': { get: () => ({ body: [] }) } });
    const error = await failureOf(route.get(path, query));
    expect(error.status).toBe(422);
    expect(error.body).toMatchObject({ detail: [{ loc: place, msg: expect.any(String), type: expect.any(String) }] });
    expect(mock.requests.at(-1)?.status).toBe(422);
  });

  test.each([
    ['a missing field', { lines: [] }, ['body', 'total'], 'missing'],
    ['a wrong type', { total: '9.5' }, ['body', 'total'], 'type'],
    [
      'a wrong type below an array',
      { total: 1, lines: [{ sku: 'a' }, { sku: 7 }] },
      ['body', 'lines', 1, 'sku'],
      'type',
    ],
    ['a bound', { total: 0 }, ['body', 'total'], 'exclusiveMinimum'],
  ])('get a 422 for a body with %s', async (_, body, loc, type) => {
    const { route } = await serve({ '/orders': { post: () => ({ status: 201, body: order }) } });
    const error = await failureOf(route.post('orders', body));
    expect([error.status, error.body]).toMatchObject([422, { detail: [{ loc, type }] }]);
  });

  test('get a 400 that names the place if the document has no 422', async () => {
    const { route } = await serve({});
    const ask = async (path: string, query?: object) => (await failureOf(route.get(path, query))).message;
    expect(await ask('orders/seven')).toMatch(/400 path\.id: Instance type "string" is invalid/);
    expect(await ask('orders/0')).toMatch(/400 path\.id: The number violates minimum/);
    expect(await ask('orders/7', { expand: 'maybe' })).toMatch(/400 query\.expand: /);
    expect(await ask('tenants')).toMatch(/400 header\.x-tenant: Field required/);
    const body = failureOf(route.request({ method: 'PUT', path: 'orders/7/note', body: { note: 1 } }));
    expect((await body).message).toMatch(/400 body: The content type is not one of text\/plain/);
    expect((await failureOf(route.put('orders/7/note'))).message).toMatch(/400 body: Field required/);
    const broken = route.request({
      method: 'PATCH',
      path: 'orders/7',
      body: '{"note":',
      headers: { 'content-type': 'application/json' },
    });
    expect((await failureOf(broken)).message).toMatch(/400 body: The body is not valid JSON/);
  });

  test('are refused without quoting their values', async () => {
    const { route } = await serve({ '/orders': { post: () => ({ status: 201, body: order }) } });
    const secret = 918_273_645;
    const error = await failureOf(
      route.post('orders', { total: -secret, lines: [{ sku: `${secret}`, x: 1 }, secret] }),
    );
    expect(JSON.stringify(error.body)).not.toContain(String(secret));
  });

  test('with a form are parsed', async () => {
    const { shop, route } = await serve({
      '/login': { post: ({ body }) => ({ body: { ok: typeof body === 'object' } }) },
    });
    expect((await shop.post('/login', { body: new URLSearchParams({ user: 'alice' }) })).body.ok).toBe(true);
    const error = await failureOf(route.post('login', new URLSearchParams({ name: 'alice' })));
    expect(error.message).toMatch(/400 body\.user: Field required/);
  });
});

describe('answers that a document validates', () => {
  const reason = async (reply: object, path = '/orders/{id}') => {
    const { route } = await serve({ [path]: { get: () => reply } });
    return (await failureOf(route.get(path.replace('{id}', '7')))).message;
  };

  test.each([
    ['a wrong type', { body: { ...order, total: 'much' } }, 'body.total: Instance type "string" is invalid'],
    ['a missing field', { body: { id: 7, total: 1 } }, 'body.state: Field required'],
    ['no body', {}, 'body: Field required'],
    ['another content type', { body: 'text' }, 'headers.content-type: expected one of application/json'],
    ['a wrong body in a Response', Response.json({ id: '7' }), 'body.total: Field required'],
  ])('with %s are an error that names the operation and the place', async (_, reply, place) => {
    expect(await reason(reply)).toContain(`the answer 200 of GET /orders/{id} does not fit the document: ${place}`);
  });

  test('with a status that the document does not have are an error that names it', async () => {
    expect(await reason({ status: 500, body: [] }, '/orders')).toContain(
      'the answer 500 of GET /orders does not fit the document: status: the document does not have it',
    );
  });

  test.each([
    ['a range', { status: 409, body: { reason: 'paid' } }],
    ['default', { status: 503, body: 'later' }],
    ['a named status', { status: 404, body: { detail: 'no order' } }],
  ])('by %s fit', async (_, reply) => {
    const { route } = await serve({ '/orders/{id}': { get: () => reply } });
    const error = await failureOf(route.get('orders/7'));
    expect([error.status, error.body]).toEqual([reply.status, reply.body]);
  });

  test('are checked whatever their kind, bytes and text too', async () => {
    const { shop } = await serve({
      '/orders/{id}/invoice': {
        get: () => ({ headers: { 'content-type': 'application/pdf' }, body: Uint8Array.of(1) }),
      },
      '/orders/{id}/note': { get: () => ({ body: 'a note' }) },
      '/orders/{id}': { delete: () => ({ status: 204 }) },
    });
    const path = { id: 7 };
    expect((await shop.get('/orders/{id}/invoice', { path })).body).toEqual(Uint8Array.of(1));
    expect((await shop.get('/orders/{id}/note', { path })).body).toBe('a note');
    expect((await shop.delete('/orders/{id}', { path })).status).toBe(204);
  });
});

describe('the examples of a document', () => {
  test('answer operations without a handler', async () => {
    const { shop } = await serve({}, { examples: true });
    expect((await shop.get('/orders')).body).toEqual([order]);
    expect((await shop.post('/orders', { body: { total: 1 } })).body).toEqual({ ...order, id: 8 });
    expect((await shop.get('/health')).body).toEqual({ ok: true });
    expect((await shop.delete('/orders/{id}', { path: { id: 7 } })).status).toBe(204);
    expect((await failureOf(shop.get('/orders/{id}', { path: { id: 7 } }))).status).toBe(501);
  });

  test('are not used unless `examples` says so', async () => {
    const { shop } = await serve({});
    expect((await failureOf(shop.get('/orders'))).status).toBe(501);
  });
});

describe('a document', () => {
  test('may have a path item with a reference and an operation beside it', async () => {
    const put = { requestBody: { content: { 'application/json': { schema: { type: 'integer' } } } }, responses: {} };
    const { route } = await serve(
      { '/a': { put: () => ({}), get: () => ({ body: 7 }) } },
      {
        document: {
          openapi: '3.1.0',
          paths: { '/a': { $ref: '#/components/pathItems/a', put } },
          components: { pathItems: { a: { get: { responses: { 200: { content: { 'application/json': {} } } } } } } },
        },
      },
    );
    expect((await route.get('a')).body).toBe(7);
    expect((await failureOf(route.put('a', { id: 7 }))).message).toMatch(/400 body: /);
  });

  test.each([
    ['that is missing', undefined, /options\.document/],
    ['that is not an object', 'text', /options\.document/],
    ['of Swagger', { swagger: '2.0', paths: {} }, /options\.document\.openapi/],
    ['of a later version', { openapi: '4.0.0', paths: {} }, /options\.document\.openapi/],
    ['without paths', { openapi: '3.1.0' }, /paths/],
  ])('%s is refused', async (_, document, message) => {
    await expect(serve({}, { document })).rejects.toThrow(message);
  });

  test('that lacks an operation of the handlers is refused', async () => {
    await expect(serve({ '/orders/{id}': { put: () => ({}) } })).rejects.toThrow(/handlers: .*put \/orders\/\{id\}/);
  });
});
