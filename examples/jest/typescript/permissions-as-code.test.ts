import { readPermissions } from 'arango-services/permissions';
import { permissionMatchers } from 'arango-services/permissions/matchers';

const file = `
policies:
  orders-reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }] }
roles:
  viewer: { policies: [orders-reader] }
bindings:
  - { user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`;

expect.extend(permissionMatchers);

test('alice may read, and not write', async () => {
  const state = await readPermissions('permissions.yaml', { read: () => file });
  expect(state).toAllow({ user: 'alice', action: 'orders:read', resource: 'orders:7' });
  expect(state).toDeny({ user: 'alice', action: 'orders:write', resource: 'orders:7' });
  expect(state).not.toAllow({ user: 'eve', action: 'orders:read', resource: 'orders:7' });
});

test('a failure is explained', () => {
  const ask = () => expect({ bindings: [] }).toAllow({ user: 'eve', action: 'orders:read', resource: 'orders:7' });
  expect(ask).toThrow('expected Allow, got Deny: user "eve", "orders:read" on "orders:7": the user has no binding');
});
