import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';

const alice = { username: 'alice', password: 'canary-password' };

async function open(config: MockConfig = {}) {
  const mock = await createMock({ users: [{ name: alice.username, password: alice.password }], ...config });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** The ways in to the gateway, and those that also lead to the sidecar. */
const ways = {
  'mock.gateway.connection': async (config?: MockConfig) => {
    const mock = await open(config);
    return { mock, both: mock.connection, gateway: mock.gateway.connection };
  },
  'a port with gateway: true': async (config?: MockConfig) => {
    const mock = await open(config);
    const [gateway, both] = [await listen(mock, { port: 0, gateway: true }), await listen(mock, { port: 0 })];
    return {
      mock,
      both: { ...both.connection, fetch },
      gateway: { ...gateway.connection, fetch, gateway: gateway.connection.gateway },
    };
  },
};

const unrouted = [
  '/_integration/authn/v1/login',
  '/%5Fintegration/authn/v1/identity',
  '/_integration/authorization/v1/evaluate',
  '/_integration',
];

describe.each(Object.entries(ways))('%s', (_name, enter) => {
  test.each(unrouted)('does not route %s, which the sidecar answers', async (path) => {
    const { mock, both, gateway } = await enter();
    const post = async ({ url, fetch: send }: Pick<Mock['connection'], 'url' | 'fetch'>) =>
      (await send(`${url}${path}`, { method: 'POST', body: '{}' })).json();
    expect(await post(gateway)).toMatchObject({ error: true, code: 404, errorNum: 404 });
    expect(await post(both)).not.toMatchObject({ errorNum: 404 });
    expect(mock.requests.map((request) => request.path)).toEqual([path, path]);
  });

  test('routes everything else: login, identity, management, services, the database and custom routes', async () => {
    const { mock, gateway } = await enter();
    mock.service('orders', { '/': { get: ({ user }) => ({ body: { user } }) } });
    mock.route('GET', '/_db/:db/whoami', ({ user }) => ({ body: { user } }));
    expect(gateway.gateway).toBe(true);
    const client = createClient({ ...gateway, database: 'shop', credentials: credentials.login(alice) });
    onTestFinished(() => client.close());
    expect(await client.authentication.identity()).toEqual({ user: 'alice' });
    expect((await client.service('orders').get('/')).body).toEqual({ user: 'alice' });
    expect((await client.route('whoami').get()).body).toEqual({ user: 'alice' });
    expect(await client.authorization.checkSelf({ action: 'a:b', resource: 'c' })).toBeDefined();
    await expect(client.authentication.validate('t')).rejects.toMatchObject({ field: 'gateway' });
  });

  test('applies faults, and its requests are cut off by a reset', async () => {
    const { mock, gateway } = await enter();
    mock.fail({ path: '/_identity', status: 503 });
    const identity = () => gateway.fetch(`${gateway.url}/_identity`);
    expect((await identity()).status).toBe(503);
    mock.fail({ path: '/_identity', delayMs: 60_000 });
    const pending = identity();
    const arrived = () => {
      mock.assertFaultsUsed();
      return true;
    };
    await expect.poll(arrived).toBe(true);
    mock.reset();
    await expect(pending).rejects.toThrow();
  });

  test('in mode SSO redirects requests without an identity, also below /_integration', async () => {
    const { gateway } = await enter({ authentication: { mode: 'SSO' } });
    const { status } = await gateway.fetch(`${gateway.url}/_integration/authn/v1/identity`, { redirect: 'manual' });
    expect(status).toBe(307);
  });
});

test('the gateway has an origin of its own, and needs no integration: false', async () => {
  const mock = await open();
  expect(mock.gateway.connection).toMatchObject({ url: 'http://gateway.mock.test', retry: 0, graceMs: 0 });
  expect(new URL(mock.connection.url).origin).not.toBe(new URL(mock.gateway.connection.url).origin);
});

test('the environment of a gateway has no address of integration services', async () => {
  const mock = await open();
  const [gateway, both] = [await listen(mock, { port: 0, gateway: true }), await listen(mock, { port: 0 })];
  expect(await both.env()).toMatchObject({ INTEGRATION_HTTP_ADDRESS_FULL: both.url });
  const { INTEGRATION_HTTP_ADDRESS_FULL: _, ...others } = await both.env();
  expect(await gateway.env()).toEqual({ ...others, ARANGO_DEPLOYMENT_ENDPOINT: gateway.url });
  expect(both.connection).not.toHaveProperty('gateway');
});

test('gateway has to be true or false', async () => {
  await expect(listen(await open(), { gateway: 'yes' as never })).rejects.toMatchObject({ field: 'gateway' });
});
