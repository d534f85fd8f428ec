import { readFile } from 'node:fs/promises';
import { readPermissions } from 'arango-services/permissions';
import { permissionMatchers } from 'arango-services/permissions/matchers';
import { expect, test } from 'vitest';

expect.extend(permissionMatchers);
const shop = await readPermissions('permissions.yaml', { read: (file) => readFile(file) });

test('sellers take orders in their region', () => {
  expect(shop).toAllow({ user: 'alice', action: 'orders:write', resource: 'shop:eu:7' });
  expect(shop).toDeny({ user: 'alice', action: 'orders:write', resource: 'shop:us:7' });
  expect(shop).not.toAllow({ user: 'alice', action: 'orders:delete', resource: 'shop:eu:7' });
});

test('a failure is explained, with the places of the files', () => {
  const ask = () => expect(shop).toAllow({ user: 'bob', action: 'orders:write', resource: 'shop:eu:archive' });
  expect(ask).toThrow(/^expected Allow, got Deny: user "bob", "orders:write" on "shop:eu:archive": .*explicit Deny/);
  expect(ask).toThrow(/at permissions\.yaml:21:9 \(policy "shop-seller" statement 2\)/);
});
