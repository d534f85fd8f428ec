import { createClient, credentials, isPermissionDeniedError } from 'arango-services';
import { describe, expect } from 'vitest';
import { openOrders, test } from './fixtures.ts';

describe('who may read orders', () => {
  test('alice may, by her role', async ({ shop, mock }) => {
    expect(await shop.openOrders('alice')).toEqual(openOrders);
    expect(mock.requests.find({ path: '/evaluate' })).toMatchObject({ user: 'alice', decision: 'Allow' });
  });

  test('bob may not, and the service is not even asked', async ({ shop, mock }) => {
    await expect(shop.openOrders('bob')).rejects.toSatisfy(isPermissionDeniedError);
    expect(mock.requests.find({ path: '/orders/open' })).toBeUndefined();
    expect(mock.explain({ user: 'bob', action: 'orders:read', resource: 'orders' }).reason).toBe('no-binding');
  });

  test('a permission that is taken away under way counts at once', async ({ shop, mock }) => {
    const superuser = credentials.bearer(await mock.tokens.issue({ user: null }));
    const admin = createClient({ ...mock.connection, credentials: superuser });
    await shop.openOrders('alice');
    await admin.authorization.bindings.remove({ user: 'alice', role: 'viewer' });
    await expect(shop.openOrders('alice')).rejects.toSatisfy(isPermissionDeniedError);
  });

  test('and the next test begins as before', async ({ shop }) => {
    expect(await shop.openOrders('alice')).toEqual(openOrders);
  });
});
