import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Mock } from '../../../../src/mock/index.ts';
import { run } from '../../../../src/tools/command/mock/start-mock.ts';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command over seed files, named by their letters, whose folder is left out of its output. */
async function seeded(seeds: Readonly<Record<string, unknown>>, ...more: readonly string[]) {
  const own = mkdtempSync(join(folder, 'seeds-'));
  const flags = Object.entries(seeds).map(([name, content]) => {
    writeFileSync(join(own, name), typeof content === 'string' ? content : JSON.stringify(content));
    return `--seed=${join(own, name)}`;
  });
  const out: string[] = [];
  const lines: string[] = [];
  let mock: Mock | undefined;
  const code = await run(['mock', '--port=0', ...flags, ...more], {
    env: {},
    print: (line) => out.push(line),
    warn: (line) => lines.push(line.replaceAll(`${own}/`, '').replace('arango-services: ', '')),
    serving: (served) => {
      mock = served;
      onTestFinished(() => served[Symbol.asyncDispose]());
    },
  });
  return { code, out: out.join('\n'), lines, mock, own };
}

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const yaml = `
policies: { reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["*"] }] } }
roles: { viewer: { policies: [reader] } }
bindings: [{ user: alice, role: viewer, scope: all }]
scopes: { all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`;
const reader = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] };

/** The lines of a mock that started. */
const started = [expect.stringContaining('warning'), expect.stringContaining('of the database')];

describe('--seed given several times', () => {
  test('permissions.yaml beside a seed of users works in one command', async () => {
    const seeds = { 'permissions.yaml': yaml, 'users.json': { users: [{ name: 'alice', password: 'pw' }] } };
    const { code, lines, mock } = await seeded(seeds);
    expect([code, lines]).toEqual([0, started]);
    const post = async (path: string, body: object) =>
      (await mock?.fetch(`http://mock.test${path}`, { method: 'POST', body: JSON.stringify(body) }))?.json();
    const login = await post('/_open/auth', { username: 'alice', password: 'pw' });
    expect(login).toMatchObject({ jwt: expect.any(String) });
    const question = { user: 'alice', action: 'orders:read', resource: 'x' };
    expect(await post('/_integration/authorization/v1/evaluate', question)).toMatchObject({ effect: 'Allow' });
  });

  test('merges settings, items and lists, in any order', async () => {
    const a = {
      $schema: 'a',
      fidelity: 'sidecar',
      authentication: { token: { user: 'bob', ttl: { max: '2h' } }, keys: { passive: ['k1'] } },
      users: [{ name: 'alice' }],
      policies: { a: everything, __proto__: everything },
      routes: [{ path: '/a', body: { x: 1 } }],
    };
    const b = {
      $schema: 'b',
      fidelity: 'sidecar',
      authentication: { token: { ttl: { min: '2m' } }, keys: { passive: ['k2', 'k1'] } },
      users: [{ name: 'bob' }, { name: 'alice' }],
      policies: { b: everything, a: everything },
      bindings: [{ user: 'bob', role: 'r', scope: everything }],
      routes: [{ path: '/b' }, { path: '/a', body: { x: 1 } }],
      limits: { items: 5 },
    };
    const text = JSON.stringify(a).replace('"a":{"st', '"__proto__":{"statements":[]},"a":{"st');
    for (const seeds of [
      { 'a.json': text, 'b.json': b },
      { 'b.json': b, 'a.json': text },
    ]) {
      const { out } = await seeded(seeds, '--print-config');
      const config = JSON.parse(out);
      expect(config).toMatchObject({
        fidelity: 'sidecar',
        authentication: {
          token: { user: 'bob', ttl: { min: '120s', max: '7200s' } },
          keys: { passive: { length: 2 } },
        },
        bindings: [{ user: 'bob' }],
        limits: { items: 5, log: 1000 },
      });
      expect(Object.keys(config.policies).sort()).toEqual(['__proto__', 'a', 'b']);
      expect(config.users.map(({ name }: { name: string }) => name).sort()).toEqual(['alice', 'bob', 'root']);
      expect(config.routes.map(({ path }: { path: string }) => path).sort()).toEqual(['/a', '/b']);
    }
  });

  test.each<[string, object, object, string, string]>([
    ['a scalar', { fidelity: 'sidecar' }, { fidelity: 'documented' }, 'fidelity', 'fidelity'],
    [
      'a nested one',
      { authorization: { type: 'never' } },
      { authorization: { type: 'always' } },
      'authorization.type',
      'authorization.type',
    ],
    ['false and missing', { central: true }, { central: false }, 'central', 'central'],
    ['null', { now: null }, { now: '2026-11-20T12:00:00Z' }, 'now', 'now'],
    [
      'a policy',
      { policies: { 'a.b': everything } },
      { policies: { 'a.b': reader } },
      'policies["a.b"]',
      'policies["a.b"]',
    ],
    ['a role', { roles: { r: { policies: ['a'] } } }, { roles: { r: { policies: ['b'] } } }, 'roles.r', 'roles.r'],
    [
      'a service',
      { services: { s: { url: 'http://localhost:1' } } },
      { services: { s: { url: 'http://localhost:2' } } },
      'services.s',
      'services.s',
    ],
    [
      'a password',
      { users: [{ name: 'x' }, { name: 'a', password: 'canary' }] },
      { users: [{ name: 'a', password: 'canari' }] },
      'users[0]',
      'users[1]',
    ],
    [
      'a scope',
      { bindings: [{ user: 'a', role: 'r', scope: everything }] },
      {
        bindings: [
          { user: 'b', role: 'r', scope: everything },
          { user: 'a', role: 'r', scope: reader },
        ],
      },
      'bindings[1]',
      'bindings[0]',
    ],
    [
      'a route',
      { routes: [{ path: '/a', status: 200 }] },
      { routes: [{ path: '/a', method: '*', status: 201 }] },
      'routes[0]',
      'routes[0]',
    ],
    [
      'the order of a body',
      { routes: [{ path: '/a', body: ['b', 'a'] }] },
      { routes: [{ path: '/a', body: ['a', 'b'] }] },
      'routes[0]',
      'routes[0]',
    ],
    ['a kind', { users: [] }, { users: {} }, 'users', 'users'],
  ])('refuses %s that two define differently', async (_, a, b, at, before) => {
    const { code, lines, mock } = await seeded({ 'a.json': a, 'b.json': b });
    expect([code, lines, mock]).toEqual([
      64,
      [`b.json: ${at}: is defined differently in a.json: ${before}`],
      undefined,
    ]);
    expect(lines.join()).not.toContain('canar');
  });

  test('an item of permissions.yaml may stand alike in a configuration', async () => {
    const config = (policy: object) => ({ 'permissions.yaml': yaml, 'b.json': { policies: { reader: policy } } });
    const alike = {
      description: '',
      statements: [{ resources: ['*'], actions: ['orders:read', 'orders:read'], effect: 'Allow' }],
    };
    expect((await seeded(config(alike))).lines).toEqual(started);
    expect((await seeded(config(everything))).lines).toEqual([
      'b.json: policies.reader: is defined differently in permissions.yaml: policies.reader',
    ]);
  });

  test('a problem names the file, and the place in it', async () => {
    const user = { name: 'b' };
    const { code, lines } = await seeded({
      'a.json': { users: [{ name: 'a' }], policys: {}, limits: { items: -1 } },
      'b.json': { users: [user, { name: '' }], roles: { r: 5 } },
    });
    expect(code).toBe(64);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^a\.json: policys: /),
        expect.stringMatching(/^a\.json: limits\.items: expected a whole number/),
        expect.stringMatching(/^b\.json: users\[1\]\.name: must not be empty/),
        expect.stringMatching(/^b\.json: roles\.r: /),
      ]),
    );
    const twice = await seeded({ 'a.json': { users: [{ name: 'a' }] }, 'b.json': { users: [user, user] } });
    expect(twice.lines).toEqual([expect.stringMatching(/^b\.json: users\[1\]: has the same name/)]);
    const list = await seeded({ 'a.json': [], 'b.json': {} });
    expect([list.code, list.lines]).toEqual([64, ['a.json: expected an object']]);
  });

  test('a missing file, and one that is given twice, are refused', async () => {
    const { own } = await seeded({ 'a.json': {} }, '--print-config');
    const missing = await seeded({ 'a.json': {} }, `--seed=${own}/none.json`);
    expect([missing.code, missing.lines]).toEqual([64, [`${own}/none.json: there is no such file`]]);
    const again = await seeded(
      {},
      `--seed=${own}/a.json`,
      '--seed',
      `${dirname(own)}/./${own.split('/').at(-1)}/a.json`,
    );
    expect([again.code, again.lines.join()]).toEqual([64, expect.stringMatching(/^--seed: .*a\.json is given twice$/)]);
  });

  test('flags override what the files merge', async () => {
    const seeds = { 'a.json': { fidelity: 'documented' }, 'b.json': { central: true } };
    const { out } = await seeded(seeds, '--print-config', '--fidelity=sidecar');
    expect(JSON.parse(out)).toMatchObject({ fidelity: 'sidecar', central: true });
  });
});

test('a key that stands twice is refused with its place', async () => {
  const type = '{ "authorization": {\n  "type": "never", "type": "always" } }';
  const { code, lines, mock } = await seeded({ 'a.json': type });
  expect([code, lines, mock]).toEqual([64, ['a.json:2:20: the key "type" is there twice'], undefined]);
});
