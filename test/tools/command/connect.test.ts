import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { quickWaits } from '../../support/quick-waits.ts';
import { openDeployment, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';
import { command } from './support/process.ts';

const file = { 'permissions.yaml': shopFile() };
const everything = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
/** A user who may do everything, and logs in. */
const admin = {
  users: [{ name: 'admin', password: 'canary-password' }],
  policies: { all: everything },
  roles: { admins: { policies: ['all'] } },
  bindings: [{ user: 'admin', role: 'admins', scope: everything }],
};

describe('a command connects to a deployment', () => {
  test('with a token file, with a user and a password on stdin, and by the environment next to a sidecar', async () => {
    const { server, folder, url } = await openDeployment(
      { ...admin, authentication: { token: { user: 'admin' } } },
      file,
    );
    const env = await server.env({ tokenFile: join(folder, 'sidecar-token') });
    const missing = expect.stringContaining('Changes: 3');
    expect(await command(['plan', '--url', url, '--token-file', 'token'], folder)).toMatchObject({
      code: 2,
      out: missing,
    });
    expect(await command(['plan'], folder, env)).toMatchObject({ code: 2, out: missing });
    const login = ['plan', '--url', url, '--user', 'admin', '--password-stdin'];
    for (const input of ['canary-password', 'canary-password\n', 'canary-password\r\n']) {
      expect(await command(login, folder, {}, input)).toMatchObject({ code: 2, err: '', out: missing });
    }
    expect(await command(login, folder, {}, 'canary-passwor')).toMatchObject({ code: 1, out: '' });
    // The flags override the credentials of the environment.
    expect(await command(['plan', '--user', 'admin', '--password-stdin'], folder, env, 'wrong')).toMatchObject({
      code: 1,
    });
    // The token of the environment goes to its deployment only.
    expect((await command(['plan', '--url', url], folder, env)).code).toBe(2);
    expect(await command(['plan', '--url', url.replace('127.0.0.1', 'localhost')], folder, env)).toMatchObject({
      code: 64,
      err: expect.stringContaining('--url: is not ARANGO_DEPLOYMENT_ENDPOINT'),
    });
  });

  test('with the secret of the deployment, which signs tokens of the superuser', async () => {
    const secret = 'canary-secret-0123456789';
    const key = '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----';
    const files = { ...file, secret, key, wrong: 'canary-wrong-0123456789' };
    const { folder, url } = await openDeployment({ ...admin, authentication: { keys: { active: secret } } }, files);
    const plan = (...more: string[]) => ['plan', '--url', url, '--jwt-secret-file', ...more];
    expect(await command(plan('secret'), folder)).toMatchObject({ code: 2, err: '' });
    expect(await command(plan('-'), folder, {}, secret)).toMatchObject({ code: 2, err: '' });
    for (const [more, code, problem] of [
      [['wrong'], 1, '401'],
      [['key'], 64, '--jwt-secret-file: is or holds another kind of key'],
      [['missing'], 64, '--jwt-secret-file: '],
      [['secret', '--token-file', 'token'], 64, '--jwt-secret-file: cannot be combined'],
      [['secret', '--user', 'admin', '--password-stdin'], 64, '--jwt-secret-file: cannot be combined'],
    ] as const) {
      const ended = await command(plan(...more), folder);
      expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(problem) });
      expect(ended.err).not.toContain('canary');
    }
  });

  test('--grpc: a replica knows the bindings of all users', async () => {
    const { mock, folder, flags } = await openDeployment(admin, file);
    const { address } = await listenGrpc(mock);
    const grpc = [...flags, '--grpc', address];
    const { code, out } = await command(['plan', '--prune', '--out', 'plan.json', ...grpc], folder);
    expect(code).toBe(2);
    expect(out).toContain('- binding of user "admin" to role "admins": is not wanted any more');
    expect(out).not.toContain('bindings are known');
    expect(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')).plan.users).toBe('all');
    expect((await command(['apply', 'plan.json', '--settle-ms', '0', ...grpc], folder)).code).toBe(0);
    expect((await command(['plan', '--prune', ...grpc], folder)).code).toBe(0);
  });

  test('a plan made with a replica is stale once a new user has a binding', async () => {
    const { mock, folder, flags, client } = await openDeployment(admin, file);
    const { address } = await listenGrpc(mock);
    const grpc = [...flags, '--grpc', address];
    expect((await command(['plan', '--out', 'plan.json', ...grpc], folder)).code).toBe(2);
    await client.authorization.bindings.assign({ user: 'zoe', role: 'admins', scope: everything });
    expect(await command(['apply', 'plan.json', '--settle-ms', '0', ...grpc], folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('bindings of user "zoe"'),
    });
  });

  test('a deployment that asks for credentials: exit 1, with the flags that take them', async () => {
    const { folder, flags } = await openDeployment({}, file);
    const { code, err } = await permissions(['plan', '--file', join(folder, 'permissions.yaml'), ...flags.slice(0, 2)]);
    expect(code).toBe(1);
    expect(err).toMatch(/ failed: 401 Unauthorized; see --token-file and --user\n$/);
  });

  test('a deployment that is not there: exit 1', async () => {
    const { folder, server, flags } = await openDeployment({}, file);
    await server.close();
    expect(await command(['plan', ...flags], folder)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('wrong connections exit with 64, before anything is sent', () => {
  test.each<[readonly string[], Readonly<Record<string, string>>, string]>([
    [[], {}, '--url: is missing, and so is the environment next to a sidecar (ARANGO_DEPLOYMENT_ENDPOINT: is missing'],
    [['--url', 'canary'], {}, '--url: expected an absolute http: or https: URL'],
    [['--url', 'http://root:canary@a.test'], {}, '--url: must not hold a user or a password'],
    [['--url', 'http://a.test?token=canary'], {}, '--url: must not hold a query or a fragment'],
    [['--url', 'http://a.test', '--user', 'a'], {}, '--user: needs --password-stdin'],
    [['--url', 'http://a.test', '--password-stdin'], {}, '--password-stdin: needs --user'],
    [
      ['--url', 'http://a.test', '--user', 'a', '--password-stdin', '--token-file', 'x'],
      {},
      '--token-file: cannot be combined',
    ],
    [['--url', 'http://a.test', '--token-file', 'missing'], {}, '--token-file: there is no such file'],
    [['--url', 'http://a.test', '--grpc', 'canary/x'], {}, '--grpc: '],
    [['--url', 'http://a.test'], { ARANGO_TOKEN: 'missing' }, 'ARANGO_TOKEN: there is no such file'],
    [[], { ARANGO_DEPLOYMENT_ENDPOINT: 'canary' }, '(ARANGO_DEPLOYMENT_ENDPOINT: expected a URL like'],
  ])('%j %j', async (args, env, message) => {
    const { folder } = await openDeployment({}, file);
    const { code, out, err } = await permissions(['plan', '--file', join(folder, 'permissions.yaml'), ...args], {
      env,
    });
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(message);
    expect(err).not.toContain('canary');
  });
});

describe('the secrets of a connection', () => {
  quickWaits();

  test('appear in no output, no error and no file', async () => {
    const { mock, folder, url, token } = await openDeployment(admin, file);
    const canaries = [token, token.split('.')[2] ?? token, 'canary-password', 'canary-body'];
    const login = ['--url', url, '--user', 'admin', '--password-stdin'];
    const withToken = ['--url', url, '--token-file', 'token'];
    const outputs: string[] = [];
    const run = async (args: readonly string[], input = 'canary-password') => {
      const { code, out, err } = await command(args, folder, {}, input);
      outputs.push(out, err);
      return code;
    };
    for (const status of [400, 401, 403, 409, 500, 503]) {
      const body = { errorMessage: `${token} canary-password`, message: token };
      const undo = mock.fail({ status, body, times: Number.POSITIVE_INFINITY });
      expect(await run(['plan', ...withToken])).toBe(1);
      expect(await run(['plan', '--json', ...login])).toBe(1);
      undo();
      const undoWrites = mock.fail({ method: 'POST', status, body, times: Number.POSITIVE_INFINITY });
      expect(await run(['apply', '--yes', '--json', ...withToken])).toBe(1);
      expect(await run(['apply', '--yes', ...withToken])).toBe(1);
      undoWrites();
    }
    writeFileSync(join(folder, 'token'), `${token}\ncanary-body`);
    expect(await run(['plan', ...withToken])).toBe(1);
    writeFileSync(join(folder, 'token'), token);
    expect(await run(['plan', '--out', 'plan.json', ...login])).toBe(2);
    expect(
      await run(['apply', 'plan.json', '--settle-ms', '0', '--users-file', 'users.json', '--first-run', ...login]),
    ).toBe(0);
    for (const name of readdirSync(folder).filter((one) => one !== 'token')) {
      outputs.push(readFileSync(join(folder, name), 'utf8'));
    }
    expect(outputs.join('')).toContain('Applied: 3 calls');
    for (const canary of canaries) expect(outputs.filter((text) => text.includes(canary))).toEqual([]);
  });
});
