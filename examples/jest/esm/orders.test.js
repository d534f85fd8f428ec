import { createClient, credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';

test('a service of your own, in memory and over a port', async () => {
  const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  mock.route('GET', '/_db/:db/orders/open', ({ user }) => ({ body: [{ id: '1', user }] }));
  const server = await listen(mock);
  for (const connection of [mock.connection, server.connection]) {
    const client = createClient({
      ...connection,
      database: 'shop',
      credentials: credentials.login({ username: 'alice', password: 'pw' }),
    });
    const { body } = await client.route('orders').get('open');
    expect(body).toEqual([{ id: '1', user: 'alice' }]);
    await client.close();
  }
  await mock[Symbol.asyncDispose]();
});
