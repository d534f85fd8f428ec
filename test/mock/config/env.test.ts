import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromEnv } from '../../../src/client/node/index.ts';
import { createClient } from '../../../src/index.ts';
import { applyValues, readVariables } from '../../../src/mock/config/config-values.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { start } from '../adapters/node/port-support.ts';

const env = async (config?: MockConfig) => (await createMock(config)).env();

describe('mock.env()', () => {
  test('holds the variables of a program next to a sidecar, as far as the mock has them', async () => {
    expect(await env()).toEqual({
      INTEGRATION_HTTP_ADDRESS_FULL: 'http://mock.test',
      INTEGRATION_AUTHENTICATION_MODE: 'Native',
      INTEGRATION_AUTHORIZATION_MODE: 'RBAC',
      INTEGRATION_AUTHORIZATION_MODE_COREDB: 'Native',
      INTEGRATION_AUTHORIZATION_V1_TYPE: 'central',
      ARANGO_DEPLOYMENT_ENDPOINT: 'http://mock.test',
    });
  });

  test.each([
    [{ mode: 'None' }, 'None', 'None'],
    [{ mode: 'Native' }, 'Native', 'Native'],
    [{ mode: 'RBAC' }, 'RBAC', 'Native'],
    [{ coreDb: 'RBAC' }, 'RBAC', 'RBAC'],
    [{ mode: 'Native', coreDb: 'None' }, 'Native', 'None'],
  ] as const)('authorization %o shows as %s, and as %s of the core database', async (authorization, mode, core) => {
    expect(await env({ authorization })).toMatchObject({
      INTEGRATION_AUTHORIZATION_MODE: mode,
      INTEGRATION_AUTHORIZATION_MODE_COREDB: core,
    });
  });

  test.each([
    [{ mode: 'SSO' }, 'SSO'],
    [{ mode: 'None' }, 'None'],
    [{ enabled: false }, 'None'],
    [{ enabled: false, mode: 'SSO' }, 'None'],
  ] as const)('authentication %o shows as %s', async (authentication, mode) => {
    expect(await env({ authentication })).toMatchObject({ INTEGRATION_AUTHENTICATION_MODE: mode });
  });

  test('is a new object each time, and holds no secret', async () => {
    const mock = await createMock({
      authentication: { keys: { active: 'canary' } },
      users: [{ name: 'a', password: 'canary' }],
    });
    const first = mock.env();
    first.ARANGO_TOKEN = 'changed';
    expect(mock.env()).not.toHaveProperty('ARANGO_TOKEN');
    expect(JSON.stringify(mock.env())).not.toContain('canary');
  });

  test('configures another mock with the same modes and type', async () => {
    const config: MockConfig = { authentication: { mode: 'SSO' }, authorization: { type: 'never', mode: 'RBAC' } };
    const { values } = readVariables(await env(config));
    expect(applyValues({}, values)).toEqual(config);
  });
});

describe('server.env()', () => {
  function temporary(): string {
    const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  }

  test('has the URL of the port in place of the mock', async () => {
    const { mock, server } = await start();
    expect(await server.env()).toEqual({
      ...mock.env(),
      INTEGRATION_HTTP_ADDRESS_FULL: server.url,
      ARANGO_DEPLOYMENT_ENDPOINT: server.url,
    });
  });

  test('writes a token file that only its owner can read, with a valid token', async () => {
    const folder = temporary();
    const tokenFile = join(folder, 'token');
    const { server } = await start({}, { authentication: { token: { user: 'svc' } } });
    expect(await server.env({ tokenFile })).toMatchObject({ ARANGO_TOKEN: tokenFile });
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const identity = async () => {
      const authorization = `bearer ${readFileSync(tokenFile, 'utf8')}`;
      return (await fetch(`${server.url}/_identity`, { headers: { authorization } })).json();
    };
    expect(await identity()).toEqual({ user: 'svc' });
  });

  test('is enough for a client', async () => {
    const { server } = await start({}, { authentication: { token: { user: 'svc' } }, users: [{ name: 'svc' }] });
    const env = await server.env({ tokenFile: join(temporary(), 'token') });
    const client = createClient(fromEnv(env));
    expect((await client.authentication.createToken({ user: 'alice' })).user).toBe('alice');
    const { body } = await client.route('_echo').post('orders', { item: 1 });
    expect(body).toMatchObject({ path: '/_db/_system/_echo/orders', body: { item: 1 } });
  });

  test('renews the token in place, by the clock of the mock', async () => {
    const folder = temporary();
    const tokenFile = join(folder, 'token');
    const { mock, server } = await start({}, {});
    const status = async () => {
      const authorization = `bearer ${readFileSync(tokenFile, 'utf8')}`;
      return (await fetch(`${server.url}/_api/version`, { headers: { authorization } })).status;
    };
    await server.env({ tokenFile });
    mock.clock.advance('2h');
    expect(await status()).toBe(401);
    await server.env({ tokenFile });
    expect(await status()).toBe(200);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  test('rejects if the file cannot be written', async () => {
    const { server } = await start();
    await expect(server.env({ tokenFile: join(temporary(), 'no', 'such', 'token') })).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
