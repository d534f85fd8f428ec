import { createClient, credentials } from 'arango-services';
import { createMock, type Mock } from 'arango-services/mock';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
let mock: Mock;
let start: ReturnType<Mock['snapshot']>;

beforeAll(async () => {
  mock = await createMock({
    policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read-only'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
  });
  start = mock.snapshot();
});
afterEach(() => mock.restore(start));
afterAll(() => mock[Symbol.asyncDispose]());

test.each([
  ['orders:read', true],
  ['orders:write', false],
])('alice may %s: %s', async (action, allowed) => {
  const { authorization } = createClient(mock.connection);
  expect(await authorization.isAllowed({ user: 'alice', action, resource: 'orders' })).toBe(allowed);
});

test('a revoked permission is denied at once', async () => {
  const { authorization } = createClient(mock.connection);
  const mayRead = () => authorization.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders' });
  expect(await mayRead()).toBe(true);

  const superuser = credentials.bearer(await mock.tokens.issue({ user: null }));
  const admin = createClient({ ...mock.connection, credentials: superuser });
  await admin.authorization.bindings.remove({ user: 'alice', role: 'viewer' });
  expect(await mayRead()).toBe(false);
});
