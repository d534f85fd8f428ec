import { isHttpError, isSchemaError } from 'arango-services';
import { describe, expect } from 'vitest';
import { openOrders, test } from './fixtures.ts';

const path = '/_db/:db/orders/open';

describe('the orders service behind a typed route', () => {
  test('answers orders', async ({ shop }) => {
    const [first] = await shop.openOrders('alice');
    const total: number | undefined = first?.total; // typed by the schema
    expect(total).toBe(9.5);
  });

  test('sees who calls, in which database', async ({ shop, mock }) => {
    const seen: unknown[] = [];
    mock.route('GET', path, ({ params, user }) => {
      seen.push({ ...params, user });
      return { body: openOrders };
    });
    await shop.openOrders('alice');
    expect(seen).toEqual([{ db: 'shop', user: 'shop' }]);
  });

  test('that answers in another shape is refused, with the path of the fault', async ({ shop, mock }) => {
    mock.route('GET', path, () => ({ body: [{ id: '1', total: 'a lot' }] }));
    await expect(shop.openOrders('alice')).rejects.toSatisfy(
      (error) => isSchemaError(error) && error.issues[0]?.path.join('.') === '0.total',
    );
  });

  test('that breaks is an error with its status', async ({ shop, mock }) => {
    mock.route('GET', path, () => {
      throw new Error('an inner matter');
    });
    await expect(shop.openOrders('alice')).rejects.toSatisfy((error) => isHttpError(error) && error.status === 500);
  });
});
