import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as ordersAfter from '../after/orders.ts';
import * as stockAfter from '../after/stock.ts';
import * as ordersBefore from '../before/orders.ts';
import * as stockBefore from '../before/stock.ts';

const user = { username: 'alice', password: 'pw' };

async function createPlatform() {
  const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  mock.route('GET', '/_db/shop/orders/open', ({ query }) => ({
    body: [{ id: 'a b', total: Number(query.get('limit')) }],
  }));
  mock.route('GET', '/_db/shop/orders/:id', ({ params }) =>
    params.id === 'a b'
      ? { body: { id: 'a b', total: 1 } }
      : { status: 404, body: { error: true, code: 404, errorNum: 1202, errorMessage: 'no such order' } },
  );
  mock.route('DELETE', '/_db/shop/orders/:id', ({ body }) => {
    const errorMessage = JSON.stringify(body) === '{"why":"dear"}' ? 'too late' : 'no reason given';
    return { status: 409, body: { error: true, code: 409, errorNum: 1200, errorMessage } };
  });
  let token = '';
  mock.route('GET', '/_db/shop/stock/:item', ({ headers }) => {
    token = headers.authorization?.slice('bearer '.length) ?? '';
    return { body: { left: 3 } };
  });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  return { mock, url: server.url, revoke: () => mock.tokens.revoke(token) };
}

describe.each([
  ['before', ordersBefore],
  ['after', ordersAfter],
])('the caller of a Foxx service, %s', (_when, { createOrders }) => {
  test('gets its results and reasons', async () => {
    const { mock, url } = await createPlatform();
    const orders = createOrders(url, await mock.tokens.issue({ user: 'alice' }));
    expect(await orders.open(5)).toEqual([{ id: 'a b', total: 5 }]);
    expect(await orders.find('a b')).toEqual({ id: 'a b', total: 1 });
    expect(await orders.find('c')).toBeUndefined();
    expect(await orders.cancel('a b', 'dear')).toBe('too late');
  });
});

describe.each([
  ['before', stockBefore, 'status 401'],
  ['after', stockAfter, 3],
])('the service with a login, %s', (_when, { createStock }, outcome) => {
  test('gets its results; only after the move also when its token was revoked', async () => {
    const { url, revoke } = await createPlatform();
    const stock = createStock(url, user);
    expect(await stock.left('tea')).toBe(3);
    revoke();
    expect(await stock.left('tea').catch((error: Error) => error.message)).toBe(outcome);
    await stock.close();
  });
});
