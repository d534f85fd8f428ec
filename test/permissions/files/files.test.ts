import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { PermissionsError, type ReadFile, readPermissions } from '../../../src/permissions/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { cpuOf } from '../../support/cpu-of.ts';
import { partOf } from '../../support/thorough.ts';

/** Reads files that stand in memory. */
const reading =
  (files: Readonly<Record<string, string | Uint8Array>>): ReadFile =>
  (file) => {
    const content = Object.hasOwn(files, file) ? files[file] : undefined;
    if (content === undefined) throw new Error(`no ${file}`);
    return content;
  };

const read = (text: string | Uint8Array, others: Readonly<Record<string, string>> = {}) =>
  readPermissions('p/main.yaml', { read: reading({ 'p/main.yaml': text, ...others }) });

/** The issues of a file, as `line:column message`. */
async function issuesOf(text: string | Uint8Array, others: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const error: unknown = await read(text, others).catch((thrown) => thrown);
  if (!(error instanceof PermissionsError)) throw new Error('it was accepted', { cause: error });
  const lines = error.issues.map((one) => `${one.file}:${one.line}:${one.column} ${one.message}`);
  expect(error.message.split('\n')).toHaveLength(lines.length);
  return lines.map((line) => line.replace(/^p\/main\.yaml:/, ''));
}

const shop = `
scopes:
  everywhere: &all { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
policies:
  reader:
    description: reads orders
    statements:
      - { effect: Allow, actions: ["orders:read"], resources: ["order:*"] }
roles:
  viewer: { policies: [reader] }
  narrow: { policies: [], scope: everywhere }
bindings:
  - { user: alice, role: viewer, scope: everywhere }
  - { user: bob, role: viewer, scope: *all }
manage: { policies: ["shop-*", reader], users: ["*"] }
`;

describe('a file of permissions', () => {
  test('is read into a state that decides, with scopes by name and by alias', async () => {
    const state = await read(shop);
    expect(state).toMatchObject({
      users: ['alice', 'bob'],
      manage: { policies: ['shop-*', 'reader'], roles: [], users: ['*'] },
      files: ['p/main.yaml'],
    });
    expect(state.roles.get('narrow')?.scope?.statements[0]?.effect).toBe('Allow');
    const evaluator = createEvaluator(state);
    const allowed = ['alice', 'bob', 'eve'].map((user) =>
      evaluator.isAllowed({ user, action: 'orders:read', resource: 'order:7' }),
    );
    expect(allowed).toEqual([true, true, false]);
  });

  test('rejects bindings and policies of the other shape with their places', async () => {
    const text = 'policies: { reader: [{ allow: x }] }\nroles: { viewer: [reader] }\nbindings: { alice: [viewer] }';
    await expect(readPermissions('p/main.yaml', { read: reading({ 'p/main.yaml': text }) })).rejects.toMatchObject({
      code: 'PERMISSIONS',
    });
  });

  test('locates items and their parts, through scopes with a name', async () => {
    const state = await read(`include: [more.yaml]${shop}`, { 'p/more.yaml': 'roles: { "a b": { policies: [] } }' });
    const at = (...path: (string | number)[]) => {
      const place = state.locate(path);
      return place && `${place.file}:${place.line}:${place.column}`;
    };
    expect(at('policies', 'reader', 'statements', 0)).toBe('p/main.yaml:8:9');
    expect(at('policies', 'reader', 'statements', 0, 'actions', 0)).toBe('p/main.yaml:8:36');
    expect(at('roles', 'viewer')).toBe('p/main.yaml:10:3');
    expect(at('roles', 'a b', 'policies')).toBe('p/more.yaml:1:29');
    expect(at('bindings', 1, 'user')).toBe('p/main.yaml:14:13');
    expect(at('bindings', 1, 'scope', 'statements', 0)).toBe(at('scopes', 'everywhere', 'statements', 0));
    expect(at('roles', 'narrow', 'scope')).toBe('p/main.yaml:3:3');
    expect([at('bindings', 2), at('policies', 'none'), at('files', 0), at()]).toEqual(Array(4).fill(undefined));
    expect([...state.scopes.keys()]).toEqual(['everywhere']);
  });

  test('may be JSON, as bytes, with a byte order mark', async () => {
    const text = '\ufeff{"$schema": "x", "policies": {"__proto__": {"statements": []}}}';
    const { policies } = await read(new TextEncoder().encode(text));
    expect([...policies.keys()]).toEqual(['__proto__']);
  });

  test('may be empty', async () => {
    expect(await read('# nothing\n')).toMatchObject({ bindings: [], users: [] });
  });

  test('seeds the mock', async () => {
    const { policies, roles, bindings } = await read(shop);
    const mock = await createMock({
      policies: Object.fromEntries(policies),
      roles: Object.fromEntries(roles),
      bindings: [...bindings],
    });
    const client = createClient({
      ...mock.connection,
      credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    });
    const question = { user: 'alice', action: 'orders:read', resource: 'order:7' };
    expect(await client.authorization.isAllowed(question)).toBe(true);
  });

  test('includes others, relative to itself, each once, and their scopes', async () => {
    const others = {
      'p/a/roles.yaml': 'include: [../b/policies.json]\nroles: { r: { policies: [x], scope: s } }',
      'p/b/policies.json': '{"policies": {"x": {"statements": []}}}',
    };
    const state = await read('include: [a/roles.yaml, ./b/policies.json]\nscopes: { s: { statements: [] } }', others);
    expect(state.files).toEqual(['p/main.yaml', 'p/a/roles.yaml', 'p/b/policies.json']);
    expect([...state.roles.keys(), ...state.policies.keys()]).toEqual(['r', 'x']);
  });
});

const statement = (fields: string) => `policies:\n  p:\n    statements:\n      - ${fields}`;
const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi']
  .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[i]}`).join()}]`)
  .join('\n')}`;

describe('bad input names the line and the column', () => {
  test.each<[string, string | Uint8Array, string | RegExp]>([
    ['a tab as indentation', 'policies:\n\tp: 1', /^2:1 Tabs are not allowed/],
    ['an open bracket', 'policies: {', /^1:12 /],
    [
      'a key that is there twice',
      'roles:\n  r: { policies: [] }\n  r: { policies: [] }',
      '3:3 the key "r" is there twice',
    ],
    ['a tag', 'policies: !!map {}', '1:17 tags are not accepted'],
    ['a merge key', 'roles:\n  <<: {}', '2:3 merge keys are not accepted; repeat the fields'],
    ['a key that is not text', 'policies: { 7: { statements: [] } }', '1:13 keys must be text; quote it'],
    ['YAML 1.1', '%YAML 1.1\n---\npolicies: {}', '1:1 is YAML 1.1; version 1.2 is accepted'],
    ['two documents', 'roles: {}\n---\nroles: {}', '2:1 holds more than one document'],
    ['an unknown anchor', 'policies: *x', '1:11 names an anchor that is not defined before it'],
    ['an anchor inside itself', 'include: &a [*a]', /^1:13 contains itself/],
    [
      '101 aliases',
      `manage:\n  users: [&a x, ${Array(101).fill('*a').join()}]`,
      /^2:\d+ the file has more than 100 aliases/,
    ],
    ['deep flow', '['.repeat(5_000), /^1:\d+ is nested deeper than 100 levels/],
    ['deep blocks', '- '.repeat(5_000), /^1:\d+ is nested deeper than 100 levels/],
    ['100 MB', new Uint8Array(100_000_000), '1:1 holds more than 10 MB'],
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0xff]), '1:1 is not valid UTF-8'],
    ['a list', '- policies', '1:1 expected an object, got a list'],
    [
      'an unknown field',
      'policys: {}',
      /^1:1 unknown field "policys" \(did you mean "policies"\?\); accepted are \$schema, include, /,
    ],
    ['an unknown field without a like', 'q: 1', /^1:1 unknown field "q"; accepted are /],
    [
      'an unknown field of a statement',
      statement('{ effect: Allow, action: [], actions: [], resources: [] }'),
      /^4:26 unknown field "action" \(did you mean "actions"\?\)/,
    ],
    ['a missing field', statement('{ effect: Allow, actions: [] }'), '4:9 the field "resources" is missing'],
    [
      'an effect',
      statement('{ effect: allow, actions: [], resources: [] }'),
      '4:19 expected Allow or Deny, got "allow"',
    ],
    [
      'a secret in place of an effect',
      statement('{ effect: hunter2, actions: [], resources: [] }'),
      '4:19 expected Allow or Deny, got a string',
    ],
    [
      'an action',
      statement('{ effect: Allow, actions: [read], resources: [] }'),
      '4:36 must be "*" or "<namespace>:<name>"',
    ],
    ['a resource', statement('{ effect: Allow, actions: [], resources: ["*x*"] }'), /^4:51 has the segment "\*x\*"/],
    [
      'a number as a name',
      'bindings: [{ user: 7, role: r, scope: s }]',
      '1:20 expected a string, got a number; quote it',
    ],
    ['a name with a slash', 'policies:\n  a/b: { statements: [] }', /^2:3 the name must not hold a "\/"/],
    [
      'a step as a name',
      'bindings: [{ user: .., role: r, scope: { statements: [] } }]',
      /^1:20 must not be "\." or "\.\."/,
    ],
    ['a user with a colon', 'bindings: [{ user: "a:b", role: r, scope: { statements: [] } }]', /^1:20 holds a ":"/],
    ['a binding without a scope', 'bindings: [{ user: a, role: r }]', '1:12 the field "scope" is missing'],
    ['a binding whose scope is null', 'bindings: [{ user: a, role: r, scope: null }]', '1:39 a binding needs a scope'],
    [
      'a scope that is not there',
      'scopes: { all: { statements: [] } }\nbindings: [{ user: a, role: r, scope: al }]',
      '2:39 no scope has the name "al" (did you mean "all"?)',
    ],
    [
      'a missing policy',
      'policies: { reader: { statements: [] } }\nroles: { r: { policies: [raeder] } }',
      '2:26 no policy has the name "raeder" (did you mean "reader"?)',
    ],
    [
      'a predefined name',
      'roles: { "managed:predefined:x": { policies: [] } }',
      /^1:10 names with managed:predefined: belong to the platform/,
    ],
    [
      'a binding that is there twice',
      'bindings:\n  - &b { user: a, role: r, scope: { statements: [] } }\n  - *b',
      /^3:5 the binding of user "a" to role "r" is also in p\/main.yaml:2/,
    ],
    ['an include outside the folder', 'include: [../other.yaml]', '1:11 is outside the folder of the first file'],
    ['an absolute include', 'include: [/etc/passwd]', '1:11 must be relative to this file'],
    ['a URL to include', 'include: ["https://x/y.yaml"]', '1:11 must be relative to this file'],
    ['backslashes in an include', 'include: ["a\\\\b.yaml"]', '1:11 must use "/" between its parts'],
    ['an include that cannot be read', 'include: [none.yaml]', '1:11 cannot be read'],
    ['an include of itself', 'include: [main.yaml]', '1:11 includes itself, by way of other files'],
  ])('%s', async (_, text, expected) => {
    const [first = ''] = await issuesOf(text);
    if (typeof expected === 'string') expect(first).toBe(expected);
    else expect(first).toMatch(expected);
  });

  test('aliases that multiply', async () => {
    const issues = await issuesOf(bomb);
    expect(issues.filter((one) => one.includes('aliases expand to more than 100000 values'))).toHaveLength(1);
  });

  test('a misspelt field hides no other issue, and the names in it are known', async () => {
    const text = `polices: { reader: { statements: [] } }
scopes: { all: { statements: [] } }
roles:
  viewer: { policies: [reader, raeder] }
  viewer: { policies: [] }
  editor: { policies: 5 }
bindings:
  - { user: "a:b", role: viewer, scope: all }
  - { user: a, role: viewer, scope: al }
  - { user: a, role: 7, scope: none }`;
    expect(await issuesOf(text)).toEqual([
      expect.stringMatching(/^1:1 unknown field "polices" \(did you mean "policies"\?\)/),
      '4:32 no policy has the name "raeder" (did you mean "reader"?)',
      '5:3 the key "viewer" is there twice',
      '6:23 expected a list, got a number',
      '8:13 holds a ":": users named by its prefixes would get the role, too',
      '9:37 no scope has the name "al" (did you mean "all"?)',
      '10:22 expected a string, got a number; quote it',
    ]);
  });

  test('an item that is faulty or unreadable is not reported as missing', async () => {
    const roles = 'roles: { viewer: { policies: [reader] } }';
    expect(await issuesOf(`policies: { reader: { statements: 5 } }\n${roles}`)).toEqual([
      '1:35 expected a list, got a number',
    ]);
    expect(await issuesOf(`include: [none.yaml]\n${roles}`)).toEqual(['1:11 cannot be read']);
    const other = { 'p/b.yaml': 'policies: {' };
    expect(await issuesOf(`include: [b.yaml]\n${roles}`, other)).toEqual([expect.stringMatching(/^p\/b.yaml:1:12 /)]);
    expect(await issuesOf(`policies: 5\n${roles}`)).toEqual(['1:11 expected an object, got a number']);
  });

  test.each([
    ['blocks', 'policies:\n', '  a: 1\n', ''],
    ['flow', 'policies: {', 'a: 1,', '}'],
    ['JSON', '{"policies": {"b": 1', ', "a": 1', '}}'],
  ])('200 000 keys that are there twice, in %s: a hundred issues, as of fewer', async (_, before, key, after) => {
    const [many, few] = [200_000, 500].map((count) => issuesOf(`${before}${key.repeat(count)}${after}`));
    const found = await many;
    expect(found).toHaveLength(100);
    expect(found).toEqual((await few)?.filter((one) => one.includes('the key "a" is there twice')));
  });

  test('the same key in several maps, or in pairs of a list, is not a repetition', async () => {
    const bindings = '  - { user: a, role: r, scope: { statements: [] } }\n'.repeat(partOf(2_000));
    const found = await issuesOf(`bindings:\n${bindings}`);
    expect(found[0]).toMatch(/^3:5 the binding of user "a" to role "r" is also in/);
    expect((await issuesOf(`include: [${'a: 1,'.repeat(5_000)}]`))[0]).toBe(
      '1:11 expected a string, got an object; quote it',
    );
  });

  test('reports all issues at once, each with its own place', async () => {
    expect(await issuesOf('policies: { a: 5, b: { statements: [7] } }\nrole: {}')).toEqual([
      '1:16 expected an object, got a number',
      '1:37 expected an object, got a number',
      expect.stringMatching(/^2:1 unknown field "role" \(did you mean "roles"\?\)/),
    ]);
  });

  test('a cycle by way of another file', async () => {
    const others = { 'p/b.yaml': 'include: [main.yaml]' };
    expect(await issuesOf('include: [b.yaml]', others)).toEqual([
      'p/b.yaml:1:11 includes itself, by way of other files',
    ]);
  });

  test('two files that define or own the same', async () => {
    const b = 'policies: { x: { statements: [] }, shop-a: { statements: [] } }\nmanage: { users: ["a*", c] }';
    const main =
      'include: [b.yaml]\npolicies: { x: { statements: [] } }\nmanage: { policies: ["shop-*"], users: ["*b"] }';
    expect(await issuesOf(main, { 'p/b.yaml': b })).toEqual([
      'p/b.yaml:1:13 the policy "x" is also in p/main.yaml:2',
      'p/b.yaml:1:36 p/main.yaml:3 owns the policy "shop-a"',
      'p/b.yaml:2:19 two files own the same users: p/main.yaml:3 has "*b"',
    ]);
  });

  test('an include that leaves the folder through a link', async () => {
    const files = { 'p/main.yaml': 'include: [link/x.yaml]', 'p/link/x.yaml': '' };
    const realPath = (file: string) => `/srv/${file}`.replace('/p/link/', '/elsewhere/');
    const error = readPermissions('p/main.yaml', { read: reading(files), realPath });
    await expect(error).rejects.toMatchObject({ issues: [{ line: 1, column: 11, message: /outside the folder/ }] });
  });

  test('a folder that is reached by ".." is a folder, too', async () => {
    const files = { '../p/main.yaml': 'include: [a/x.yaml, ../x.yaml, ../../x.yaml]', '../p/a/x.yaml': 'roles: {}' };
    const issues = [21, 32].map((column) => ({ column, message: expect.stringContaining('outside the folder') }));
    await expect(readPermissions('../p/main.yaml', { read: reading(files) })).rejects.toMatchObject({ issues });
    const up = { '../main.yaml': 'include: [x.yaml, ../x.yaml]', '../x.yaml': '' };
    const error = readPermissions('../main.yaml', { read: reading(up) });
    await expect(error).rejects.toMatchObject({ issues: [{ column: 19 }] });
  });

  test('thousands of wrong names are reported within seconds', async () => {
    const names = Array.from({ length: 3_000 }, (_, i) => i);
    const policies = Object.fromEntries(names.map((i) => [`policy-number-${i}`, { statements: [] }]));
    const roles = Object.fromEntries(names.map((i) => [`role-${i}`, { policies: [`polcy-nmber-${i}`] }]));
    let issues: readonly string[] = [];
    const ms = await cpuOf(async () => {
      issues = await issuesOf(JSON.stringify({ policies, roles }));
    });
    expect(ms).toBeLessThan(15_000);
    expect([issues.length, issues[0]]).toEqual([3_000, expect.stringContaining('did you mean "policy-number-0"?')]);
  });

  test('the error of the first file is passed on', async () => {
    const failure = new Error('gone');
    const error = readPermissions('x.yaml', { read: () => Promise.reject(failure) });
    await expect(error).rejects.toBe(failure);
  });

  test('arguments that are not valid', async () => {
    await expect(readPermissions('', { read: () => '' })).rejects.toThrow('file: expected the name of a file');
    // @ts-expect-error -- not a function
    await expect(readPermissions('a', { read: 'a' })).rejects.toThrow('read: expected a function that reads a file');
  });
});
