import { createClient, credentials, isHttpError } from 'arango-services';
import { createPermissionStore } from 'arango-services/session';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

// A page, a guarded service and the mock's command, as in development: three processes.

const url = inject('commandUrl');
const client = createClient({
  url,
  database: 'shop',
  gateway: true,
  retry: 0,
  credentials: credentials.cookies({ crossOrigin: true }),
});
const orders = client.service('orders');

beforeAll(() => client.authentication.login({ username: 'alice', password: 'canary-password', cookies: true }));
afterAll(() => client.authentication.logout());

test('the page reaches the running service through the gateway, as its user', async () => {
  expect((await orders.get('7')).body).toEqual({ path: '/7', user: 'alice' });
});

test('the service decides by the policies of the mock', async () => {
  const error = await orders.post('7', {}).catch((thrown: unknown) => thrown);
  expect(isHttpError(error) && error.status).toBe(403);
});

test('the page’s buttons come from its permissionsHandler', async () => {
  const permissions = createPermissionStore({ ask: orders.route('permissions') });
  permissions.can('orders:read', 'orders');
  permissions.can('orders:write', 'orders');
  await vi.waitFor(() => expect(permissions.can('orders:read', 'orders')).toBe(true));
  expect(permissions.can('orders:write', 'orders')).toBe(false);
});

test('an upload of 8 MB arrives, larger than the mock’s own limit', async () => {
  const bob = credentials.login({ username: 'bob', password: 'canary-of-bob' });
  const writer = createClient({ url, database: 'shop', gateway: true, retry: 0, credentials: bob });
  const answer = await writer.service('orders').post('count', new Uint8Array(8_388_608));
  expect(answer.body).toBe('8388608');
});

test('a refusal before the end of an upload arrives', async () => {
  const error = await orders.post('count', new Uint8Array(8_388_608)).catch((thrown: unknown) => thrown);
  expect(isHttpError(error) && error.status).toBe(403);
});

test('without a session the gateway refuses', async () => {
  const nobody = createClient({ url, database: 'shop', gateway: true, retry: 0 });
  const error = await nobody
    .service('orders')
    .get('7')
    .catch((thrown: unknown) => thrown);
  expect(isHttpError(error) && error.status).toBe(401);
});
