import { createClient } from 'arango-services';
import { createMock, type Mock } from 'arango-services/mock';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
let mock: Mock;

beforeAll(async () => {
  mock = await createMock({
    policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read-only'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
  });
});
afterAll(() => mock[Symbol.asyncDispose]());

test.each([
  ['orders:read', true],
  ['orders:write', false],
])('alice may %s: %s', async (action, allowed) => {
  const { authorization } = createClient(mock.connection);
  expect(await authorization.isAllowed({ user: 'alice', action, resource: 'orders' })).toBe(allowed);
});
