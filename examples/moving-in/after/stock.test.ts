import { createMock } from 'arango-services/mock';
import { expect, test } from 'vitest';
import { createStock } from './stock.ts';

test('the stock of an item', async () => {
  await using mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  mock.route('GET', '/_db/:db/stock/:item', () => ({ body: { left: 3 } }));
  const { url, ...connection } = mock.connection;
  const stock = createStock(url, { username: 'alice', password: 'pw' }, connection);
  expect(await stock.left('tea')).toBe(3);
  expect(mock.requests.at(-1)?.claims).toMatchObject({ preferred_username: 'alice' });
  const stranger = createStock(url, { username: 'alice', password: 'wrong' }, connection);
  await expect(stranger.left('tea')).rejects.toThrow(/credentials/i);
});
