import { describe, expect, expectTypeOf, test } from 'vitest';
import * as entry from '../../src/client/credentials/index.ts';
import { createRouteClient, RouteClient, type RouteClientOptions } from '../../src/client/routes.ts';
import { Client, createClient, credentials, RouteClient as OfMain } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { json, serve } from '../support/server.ts';

const url = 'http://localhost:8529';

describe('arango-services/credentials', () => {
  test('has the members of `credentials`', () => {
    expect({ ...entry }).toEqual(credentials);
  });
});

describe('arango-services/routes', () => {
  test('sends like the client of the main entry, below the same paths', async () => {
    const server = await serve((wire, ...rest) => {
      json({ path: wire.target, token: wire.headers.get('authorization')?.[0] })(wire, ...rest);
    });
    const options = { url: server.url, database: 'shop', credentials: entry.bearer('t') };
    const asked = (client: RouteClient) =>
      Promise.all([
        client.route('orders', { 'x-a': '1' }).get('open', { limit: 5 }),
        client.service('rates', { global: true }).get('today'),
        client.absoluteRoute('/_api/version').get(),
        client
          .database('archive')
          .with({ credentials: entry.basic('a', 'b') })
          .route()
          .get('x'),
        client.freshToken(),
      ]);
    const [light, whole] = await Promise.all([asked(createRouteClient(options)), asked(createClient(options))]);
    const bodies = (all: readonly unknown[]) => all.map((one) => (one as { body?: unknown }).body ?? one);
    expect(bodies(light)).toEqual([
      { path: '/_db/shop/orders/open?limit=5', token: 'Bearer t' },
      { path: '/_service/uds/_global/rates/today', token: 'Bearer t' },
      { path: '/_api/version', token: 'Bearer t' },
      { path: '/_db/archive/x', token: 'Basic YTpi' },
      't',
    ]);
    expect(bodies(light)).toEqual(bodies(whole));
  });

  test('has the base class of Client; with() and database() of a Client return a Client', () => {
    expect(OfMain).toBe(RouteClient);
    const client = createClient({ url });
    expect(client).toBeInstanceOf(RouteClient);
    const derived = client.with({ timeout: 5 }).database('other');
    expect(derived).toBeInstanceOf(Client);
    expectTypeOf(derived).toEqualTypeOf<Client>();
    const light = createRouteClient({ url }).with({ timeout: 5 }).database('other');
    expect([light instanceof RouteClient, light instanceof Client]).toEqual([true, false]);
    expectTypeOf(light).toEqualTypeOf<RouteClient>();
  });

  test('reports new tokens, and ends its calls when it is closed', async () => {
    const mock = await createMock({ users: [{ name: 'alice', password: 'secret' }] });
    const user = { username: 'alice', password: 'secret' };
    const client = createRouteClient({ ...mock.connection, credentials: entry.login(user) });
    const told: string[] = [];
    client.onToken((token) => told.push(token));
    const token = await client.freshToken();
    expect(told).toEqual([token]);
    await client.close();
    await expect(client.route('x').get()).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(createRouteClient(mock.connection)[Symbol.asyncDispose]()).resolves.toBe(undefined);
  });

  test.each([
    ['an option of the services', { url, replica: {} }, 'replica', /unknown/],
    ['a mock', { url, connection: {} }, 'options', /expected mock.connection, got mock/],
    ['no url', {}, 'url', /a URL like/],
  ])('refuses %s', (_what, options, field, problem) => {
    const create = () => createRouteClient(options as RouteClientOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
    expect(create).toThrow(problem);
  });
});
