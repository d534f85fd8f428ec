// The client against the service: against its recordings, or the running service itself if ORDERS_URL has its address.
import { createClient, credentials } from 'arango-services';
import { createMock, type MockConfig } from 'arango-services/mock';
import { playback } from 'arango-services/mock/node';
import { openApiValidator } from 'arango-services/mock/openapi';
import { afterAll, expect, test } from 'vitest';
import document from '../openapi.json' with { type: 'json' };
import seed from '../seed.json' with { type: 'json' };
import { createOrders } from '../src/client.ts';

const mock = await createMock(seed as MockConfig);
const { ORDERS_URL } = process.env;
if (ORDERS_URL) mock.service('orders', ORDERS_URL);
else {
  const played = await playback(mock, 'orders', 'recordings', { document, validate: openApiValidator() });
  afterAll(() => played.check());
}
const alice = credentials.login({ username: 'alice', password: 'pw' });
const orders = createOrders(createClient({ ...mock.connection, credentials: alice }));

test('reads and adds orders', async () => {
  expect([await orders.totalOf(1), await orders.totalOf(9)]).toEqual([12, undefined]);
  const id = await orders.add(5);
  expect(await orders.totalOf(id)).toBe(5);
});
