import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { typed } from '../../../src/client/openapi/index.ts';
import { type ClientOptions, createClient, isInvalidArgumentError } from '../../../src/index.ts';
import { runsOf } from '../../support/thorough.ts';
import type { paths } from './documents/orders.d.ts';

/** A service that answers as `reply` says, and the requests that it got. */
function service(reply: () => Response = () => Response.json({ id: 7 }), more: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(input, init));
    return reply();
  };
  const client = createClient({ url: 'http://service.test', database: 'shop', retry: 0, fetch, ...more });
  const route = client.service('orders');
  return { route, orders: typed<paths>(route), requests };
}

const base = 'http://service.test/_service/uds/_db/shop/orders';
const path = { id: 7 };

describe('a typed call', () => {
  test('has the parameters in its path, its query, its headers and its body', async () => {
    const { orders, requests } = service();
    await orders.get('/orders/{id}', { path, query: { expand: true } });
    await orders.get('/orders', { query: { tag: ['a', 'b'], limit: 5 }, headers: { 'x-tenant': 'acme' } });
    await orders.post('/orders', { body: { total: 9.5 } });
    await orders.put('/orders/{id}/note', { path, body: 'a note' });
    await orders.delete('/orders/{id}', { path });
    expect(requests.map(({ method, url }) => `${method} ${url.replace(base, '')}`)).toEqual([
      'GET /orders/7?expand=true',
      'GET /orders?tag=a&tag=b&limit=5',
      'POST /orders',
      'PUT /orders/7/note',
      'DELETE /orders/7',
    ]);
    expect(requests[1]?.headers.get('x-tenant')).toBe('acme');
    expect(await requests[2]?.json()).toEqual({ total: 9.5 });
    expect(requests[3]?.headers.get('content-type')).toBe('text/plain;charset=UTF-8');
  });

  test('takes a query for another style as text or as URLSearchParams', async () => {
    const { orders, requests } = service();
    await orders.get('/orders', { query: 'tag=a,b' });
    await orders.get('/orders', { query: new URLSearchParams([['tag', 'a|b']]) });
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?tag=a,b', '?tag=a%7Cb']);
  });

  test('keeps the text beside a parameter, and a slash at the end', async () => {
    const { route, requests } = service();
    const other = typed<{
      '/v1/{name}:cancel/': { post: { parameters: { path: { name: string } }; responses: { 204: object } } };
    }>(route);
    await other.post('/v1/{name}:cancel/', { path: { name: 'a/b:c' } });
    expect(requests[0]?.url).toBe(`${base}/v1/a%2Fb%3Ac:cancel/`);
  });

  test('parses the body by its content type, and as responseType says', async () => {
    const csv = service(() => new Response('a,b', { headers: { 'content-type': 'text/csv' } })).orders;
    expect((await csv.get('/orders/export')).body).toBe('a,b');
    const { body } = await csv.get('/orders/export', { responseType: 'stream' });
    expect(await new Response(body).text()).toBe('a,b');
  });

  test('ignores the schema, responseType and allowStatus of the route', async () => {
    const { route } = service(() => Response.json({ id: 7 }, { status: 404 }));
    const other = typed<paths>(route.with({ responseType: 'text', allowStatus: [404], headers: { 'x-a': '1' } }));
    await expect(other.get('/orders/{id}', { path })).rejects.toMatchObject({ status: 404 });
  });

  test('takes the options of a call', async () => {
    const { orders } = service(() => Response.json({ detail: 'no order 7' }, { status: 404 }));
    const answer = await orders.get('/orders/{id}', { path, allowStatus: [404] });
    expect(answer.status === 404 && answer.body.detail).toBe('no order 7');
    await expect(orders.get('/orders/{id}', { path, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(orders.get('/orders/{id}', { path, timeout: -1 })).rejects.toMatchObject({ field: 'timeout' });
  });

  test.each([
    ['missing', undefined, {}],
    ['in null', undefined, null],
    ['empty', '', { id: '' }],
    ['dots', '..', { id: '..' }],
    ['dots in an escape-free text', 'a/../b', { id: 'a/../b' }],
    ['an object', {}, { id: {} }],
    ['inherited', undefined, Object.create({ id: 7 }) as object],
  ])('is refused by the name of a parameter that is %s, and nothing is sent', async (_, value, given) => {
    const { orders, requests } = service();
    for (const template of ['/orders/{id}', '/reports/{id}.json'] as const) {
      const error: unknown = await orders
        .get(template as '/orders/{id}', { path: given as unknown as { id: number } })
        .catch((caught: unknown) => caught);
      if (!isInvalidArgumentError(error)) throw new Error(`expected a refusal of ${String(value)}`);
      expect(error.field).toBe('path.id');
    }
    expect(requests).toEqual([]);
  });

  test('cannot leave the route by options that only untyped code can pass', async () => {
    const { orders, requests } = service();
    const more = { path, absolutePath: true, method: 'DELETE' } as object;
    await orders.get('/orders/{id}', more as { path: { id: number } });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${base}/orders/7`]);
  });
});

test('isError checks the kind and the status of an error', async () => {
  const { orders } = service(() => Response.json({ detail: 'no order 7' }, { status: 404 }));
  const error: unknown = await orders.get('/orders/{id}', { path }).catch((caught: unknown) => caught);
  expect(orders.isError(error, 'get', '/orders/{id}', 404) && error.body.detail).toBe('no order 7');
  expect(orders.isError(error, 'get', '/orders/{id}', 500)).toBe(false);
  expect(orders.isError({ status: 404, body: {} }, 'get', '/orders/{id}', 404)).toBe(false);
});

test('random parameters arrive as they were sent', async () => {
  const { route, requests } = service();
  const api = typed<{
    '/a/{one}/{two}': {
      get: { parameters: { path: { one: string; two: string }; query?: object }; responses: { 200: object } };
    };
  }>(route);
  const character = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('/', '%', '%2F', '%2e', '\\', '?', '#', ' '),
  );
  const text = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''));
  const segment = text.filter((value) => value !== '' && !/\0|(^|[/\\])\.{1,2}($|[/\\])/.test(value));
  const query = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), {
    maxKeys: 2,
    noNullPrototype: true,
  });
  await fc.assert(
    fc.asyncProperty(segment, segment, query, async (one, two, qs) => {
      await api.get('/a/{one}/{two}', { path: { one, two }, query: qs });
      const { pathname, searchParams } = new URL(requests.pop()?.url ?? '');
      const [, ...sent] = pathname.split('/a/')[1] === undefined ? [] : pathname.split('/').slice(-3);
      expect(sent.map(decodeURIComponent)).toEqual([one, two]);
      const pairs = Object.entries(qs).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
      expect([...searchParams]).toEqual(pairs);
    }),
    runsOf(10_000, 20),
  );
});
