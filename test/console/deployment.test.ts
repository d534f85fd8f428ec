import { expect, onTestFinished, test } from 'vitest';
import type { ConsoleApi, ConsoleEvent } from '../../src/console/api.js';
import { createDeploymentConsole, type LogAccess } from '../../src/console/deployment-api.js';
import { mockPool } from '../../src/console/mock/node.ts';
import { createReplica } from '../../src/enforce/replica/index.js';
import { createClient, credentials } from '../../src/index.js';
import { createMock, type MockConfig } from '../../src/mock/index.js';
import { readChunks } from './support/browser.js';
import { shop } from './support/shop.js';

/** A deployment, with a console over its replica. */
async function openDeployment(config: MockConfig = shop, log?: LogAccess) {
  const mock = await createMock(config);
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  const replica = createReplica({ transport: mockPool(mock), credentials: credentials.bearer(token) });
  await replica.ready();
  const files = new Map([
    ['permissions.yaml', 'include: [policies.yaml]'],
    ['policies.yaml', 'policies: { reader: { statements: [] } }'],
  ]);
  const access = { read: (name: string) => files.get(name) ?? Promise.reject(new Error('not there')) };
  const file = { name: 'permissions.yaml', access };
  const api = createDeploymentConsole({ url: 'http://db.test', replica, client, file, log });
  onTestFinished(async () => {
    api.close();
    await replica.close();
    await client.close();
    await mock[Symbol.asyncDispose]();
  });
  mock.requests.clear();
  return { mock, api, token, replica };
}

test('shows permissions, explanations, matrix and grants of the replica, and sends nothing', async () => {
  const { mock, api } = await openDeployment();
  expect(await api.overview()).toMatchObject({
    kind: 'deployment',
    url: 'http://db.test',
    file: 'permissions.yaml',
    replica: { live: true, words: expect.stringContaining('follows every change') },
    capabilities: { requests: false, edit: false, mint: false, compareText: true, compareGiven: true },
  });
  const state = await api.state();
  expect(state.roles.map(({ name }) => name)).toEqual(['clerk', 'viewer']);
  const question = { subject: { user: 'bob' }, action: 'orders:delete', resource: 'order:1' };
  expect((await api.explain(question)).tree).toMatchObject({ reason: 'explicit-deny' });
  const asked = { of: 'users', names: ['alice'], actions: ['orders:read'], resource: 'order:1' } as const;
  expect((await api.matrix(asked)).cells).toEqual([['allow']]);
  expect((await api.grants({ user: 'bob' })).map(({ text }) => text)).toEqual(['orders:read on order:1']);
  expect(mock.requests).toHaveLength(0);
});

test('follows changes of the deployment', async () => {
  const { mock, api, token } = await openDeployment();
  const stop = new AbortController();
  const seen: ConsoleEvent[] = [];
  const reading = (async () => {
    for await (const event of api.events(stop.signal)) seen.push(event);
  })();
  const before = (await api.state()).revision;
  await mock.fetch(`${mock.connection.url}/_management/permissions/role/viewer`, {
    method: 'DELETE',
    headers: { authorization: `bearer ${token}` },
  });
  await expect.poll(async () => (await api.state()).roles.map(({ name }) => name)).toEqual(['clerk']);
  expect((await api.state()).revision).toBeGreaterThan(before);
  expect(seen).toContainEqual({ type: 'state', revision: expect.any(Number) });
  stop.abort();
  await reading;
});

test('validates a token with the deployment, the only call that is sent', async () => {
  const { mock, api } = await openDeployment();
  const token = await mock.tokens.issue({ user: 'alice', groups: ['viewer'] });
  expect(await api.token({ text: token })).toMatchObject({ valid: true, user: 'alice', groups: ['viewer'] });
  const expired = await mock.tokens.forge({ user: 'alice', expired: true });
  expect(await api.token({ text: expired })).toMatchObject({ valid: false, user: null, why: expect.any(String) });
  const answer = await api.explain({ subject: { token }, action: 'orders:read', resource: 'order:7' });
  expect(answer).toMatchObject({ token: { valid: true }, tree: { effect: 'Allow' } });
  const sent = new Set(mock.requests.map(({ method, path }) => `${method} ${path}`));
  expect([...sent]).toEqual(['POST /_integration/authn/v1/validate']);
});

test('compares the live state with the file of the command line, its includes, and a dropped text', async () => {
  const { api } = await openDeployment();
  const given = await api.compareFile({});
  expect(given).toMatchObject({ file: 'permissions.yaml', problems: [], gained: [] });
  expect(given.lost.flatMap(({ users }) => users)).toEqual(expect.arrayContaining(['alice', 'bob']));
  const dropped = await api.compareFile({ text: 'include: [/etc/passwd]' });
  expect(dropped.file).toBeNull();
  expect(dropped.problems).not.toEqual([]);
});

test('returns the permissions that a file would leave, and why it cannot be read', async () => {
  const { api } = await openDeployment();
  const given = await api.fileState({});
  expect(given).toMatchObject({ file: 'permissions.yaml', problems: [] });
  // What the file does not define stays: it owns nothing.
  expect(given.state?.policies.map(({ name }) => name)).toEqual(['careful', 'reader']);
  expect(given.state?.policies[1]?.policy.statements).toEqual([]);
  const { roles, bindings } = await api.state();
  expect(given.state).toMatchObject({ roles, bindings });
  const dropped = await api.fileState({ text: 'include: [/etc/passwd]' });
  expect([dropped.file, dropped.state, dropped.problems.length]).toEqual([null, null, 1]);
});

test('streams the log of the command line, once for each call', async () => {
  const chunks = ['one\n', 'two\n'].map((text) => new TextEncoder().encode(text));
  const log = {
    name: 'sidecar.log',
    size: 8,
    async *read() {
      yield* chunks;
    },
  };
  const { api } = await openDeployment(shop, log);
  expect((await api.overview()).log).toEqual({ name: 'sidecar.log', size: 8 });
  const { signal } = new AbortController();
  for (let call = 0; call < 2; call += 1) expect(await readChunks(api.log(signal))).toEqual(chunks);
});

test('the console of a deployment has no log if none was named, and tells why a named log cannot be read', async () => {
  const { api } = await openDeployment();
  const { signal } = new AbortController();
  expect((await api.overview()).log).toBeNull();
  await expect(readChunks(api.log(signal))).rejects.toMatchObject({ code: 'unsupported' });
  const gone = Object.assign(new Error('/secret/path'), { code: 'ENOENT', syscall: 'open' });
  const read = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(gone) }) });
  const { api: other } = await openDeployment(shop, { name: 'a', size: 0, read });
  await expect(readChunks(other.log(signal))).rejects.toMatchObject({
    code: 'failed',
    message: '--log: there is no such file',
  });
});

const writing = {
  requests: {},
  request: { id: 1 },
  clearRequests: {},
  preview: { edit: { kind: 'delete-policy', name: 'reader' } },
  edit: { edit: { kind: 'delete-policy', name: 'reader' } },
  undo: { id: 1 },
  edits: {},
  mint: { user: null },
  forge: { user: null, none: true },
  clock: {},
  setClock: { run: true },
  faults: {},
  addFault: { drop: true },
  removeFault: { id: 1 },
  snapshots: {},
  snapshot: {},
  restore: { id: 1 },
};

test.each(Object.entries(writing))('the console of a deployment has no call %s', async (name, argument) => {
  const { mock, api } = await openDeployment();
  const call = api[name as keyof ConsoleApi] as (argument: unknown) => Promise<unknown>;
  await expect(call(argument)).rejects.toMatchObject({ name: 'ConsoleError', code: 'unsupported' });
  expect(mock.requests).toHaveLength(0);
});

test('the console of a deployment exports a file of permissions, and no seed', async () => {
  const { api } = await openDeployment();
  expect((await api.exportAs({ kind: 'permissions' })).text).toContain('orders:read');
  await expect(api.exportAs({ kind: 'seed', secrets: true })).rejects.toMatchObject({ code: 'unsupported' });
});

test('the console of a deployment says that its copy cannot be read once the replica is closed', async () => {
  const { api, replica } = await openDeployment();
  await replica.close();
  await expect(api.state()).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('closed') });
});
