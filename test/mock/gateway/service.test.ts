import { describe, expect, test } from 'vitest';
import { createMock, type ServiceHandlers } from '../../../src/mock/index.ts';

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
    const put = await mock.fetch(`http://mock.test${base}/orders/7`, { method: 'PUT', body: '{"a":1}' });
    expect([put.status, await put.json()]).toEqual([201, { got: { a: 1 } }]);
    const post = await mock.fetch(`http://mock.test${base}/orders/7`, { method: 'POST' });
    expect([post.status, await post.json()]).toEqual([405, { detail: 'Method Not Allowed' }]);
    const head = await mock.fetch(`http://mock.test${base}/orders/open`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});
