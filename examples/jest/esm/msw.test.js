import { createClient } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { handlers } from 'arango-services/mock/msw';
import { setupServer } from 'msw/node';

const url = 'http://localhost:8529'; // as in the application
const mock = await createMock();
const server = setupServer(...handlers(mock, { url }));
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterAll(() => server.close());

test('the application calls the mock by the URL of its deployment', async () => {
  const { authorization } = createClient({ url });
  expect(await authorization.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders' })).toBe(false);
});
