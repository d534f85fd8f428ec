import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

async function open(config = {}) {
  const mock = await createMock(config);
  const token = await mock.tokens.issue({ user: 'ada' });
  return { mock, client: createClient({ ...mock.connection, credentials: credentials.bearer(token) }) };
}

describe('the inventory', () => {
  test('tells the versions and modes to a caller with a token', async () => {
    const { mock, client } = await open({
      authorization: { mode: 'RBAC' },
      services: { orders: { url: 'http://127.0.0.1:9' } },
    });
    const inventory = await client.inventory();
    expect(inventory).toMatchObject({
      configuration: { hash: expect.stringMatching(/^[\da-f]{64}$/) },
      arangodb: { mode: 'Single', security: { authorization: 'AuthorizationNative' } },
      networking: { routes: { orders: { path: { path: '/_service/uds/_global/orders/' } } } },
      connectors: {},
      security: { authentication: 'AuthenticationNative', authorization: 'AuthorizationRBAC' },
    });
    const { body } = await client.absoluteRoute('/_inventory.hash').get();
    expect(body).toEqual({ hash: expect.stringMatching(/^[\da-f]{64}$/) });
    expect(body).not.toEqual(inventory.configuration);
    expect(mock.requests.map(({ path }) => path)).toEqual(['/_inventory', '/_inventory.hash']);
  });

  test('is 401 without a token, as the gateway answers, and open in mode None', async () => {
    const { mock } = await open();
    const response = await mock.fetch(`${mock.connection.url}/_inventory`);
    expect([response.status, await response.json()]).toEqual([401, { message: 'Unauthorized' }]);
    const { mock: none } = await open({ authentication: { mode: 'None' } });
    const { security } = await createClient(none.connection).inventory();
    expect(security).toEqual({ authentication: 'AuthenticationNone', authorization: 'AuthorizationRBAC' });
  });

  test('lacks connectors and the security of the database in 1.4.4', async () => {
    const { client } = await open({ platform: '1.4.4', fidelity: 'sidecar' });
    const inventory = await client.inventory();
    expect([inventory.connectors, inventory.arangodb?.security]).toEqual([undefined, undefined]);
  });

  test('an answer that is not an object is a SchemaError', async () => {
    const client = createClient({ url: 'http://db.test', fetch: async () => Response.json(['x']) });
    await expect(client.inventory()).rejects.toMatchObject({ code: 'SCHEMA' });
  });
});

test('ping tells the time of the clock, and a shutdown ends nothing', async () => {
  const { mock } = await open();
  await mock.clock.set('2026-01-02T03:04:05Z');
  const get = async (path: string) => (await mock.fetch(`${mock.connection.url}/_integration/${path}`)).json();
  const ping = await get('pong/v1/ping');
  expect(ping).toEqual({ time: expect.stringMatching(/^2026-01-02T03:04:0/), ticks: expect.any(Number) });
  expect(Number.isInteger(ping.ticks)).toBe(true);
  expect(await get('shutdown/v1/shutdown')).toEqual({});
  expect((await get('pong/v1/ping')).time).toMatch(/^2026/);
  const { status } = await mock.gateway.connection.fetch('http://gateway.mock.test/_integration/pong/v1/ping');
  expect(status).toBe(404);
});
