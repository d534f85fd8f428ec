import { describe, expect, test } from 'vitest';
import { lintPermissions, readPermissions, readTests, runTests } from '../../../src/permissions/index.ts';

const permissions = `
policies:
  reader: { statements: [{ effect: Allow, actions: ['orders:read'], resources: ['*'] }] }
roles:
  viewer: { policies: [reader] }
scopes:
  all: { statements: [{ effect: Allow, actions: ['*'], resources: ['*'] }] }
groupBindings:
  - { group: developers, role: viewer, scope: all }
manage: { groups: ['ops*'] }
`;
const files = (tests: string) => (file: string) => (file.endsWith('.test.yaml') ? tests : permissions);

async function run(tests: string) {
  const read = files(tests);
  const state = await readPermissions('permissions.yaml', { read });
  return runTests(state, [await readTests('permissions.test.yaml', { read })]);
}
const expected = (groups: string, effect: string) =>
  run(`expect: [{ user: bob, ${groups} action: "orders:read", resource: "order:7", effect: ${effect} }]`);

describe('tests with groups', () => {
  test('a question counts the groups of its user', async () => {
    expect((await expected('', 'Deny')).passed).toBe(true);
    const allowed = await expected('groups: [ops, developers],', 'Allow');
    expect(allowed.results).toMatchObject([
      { passed: true, name: 'Allow: user "bob" with groups "ops", "developers", "orders:read" on "order:7"' },
    ]);
    const failed = await expected('groups: [developers],', 'Deny');
    expect(failed.results[0]?.explanation).toContain('at permissions.yaml:9:5 (binding to role "viewer")');
    expect(failed.results[0]?.explanation).toContain('at permissions.yaml:3:26 (policy "reader" statement 1)');
    expect(failed.results[0]?.explanation).toContain('group "developers", bound to role "viewer": allows');
    await expect(expected('groups: [""],', 'Deny')).rejects.toThrow('must not be empty');
  });

  test('the coverage counts bindings of groups', async () => {
    const counted = (await expected('groups: [ops, developers],', 'Allow')).coverage.items;
    expect(counted.map(({ name, decided, place }) => [name, decided, place?.line])).toEqual([
      ['scope "all" statement 1', 1, 7],
      ['policy "reader" statement 1', 1, 3],
      ['binding of group "developers" to role "viewer"', 1, 9],
    ]);
    expect((await expected('', 'Deny')).coverage.items.map(({ decided }) => decided)).toEqual([0, 0, 0]);
  });

  test('a forbidden access is found by a group, too, unless the group or its role is excepted', async () => {
    const nobody = (more: string) => run(`nobody: [{ action: "orders:*", resource: "*"${more} }]`);
    const { passed, results } = await nobody('');
    expect(passed).toBe(false);
    expect(results[0]?.explanation).toContain('group "developers"');
    expect((await nobody(', exceptGroups: [developers]')).passed).toBe(true);
    expect((await nobody(', exceptGroups: [ops]')).passed).toBe(false);
    expect((await nobody(', exceptRoles: [viewer]')).passed).toBe(true);
    expect((await nobody(', exceptGroups: [developers]')).results[0]?.name).toContain('except groups "developers"');
  });

  test('groups that exist nowhere are listed, and roles bound to groups only are known', async () => {
    const asked = await expected('groups: [developers, develpers, viewer],', 'Allow');
    const about = (name: string) => asked.unknown.find((one) => one.name === name);
    expect(about('develpers')).toMatchObject({
      kind: 'group',
      line: 1,
      message: expect.stringContaining('"developers"'),
    });
    expect([about('developers'), about('viewer')]).toEqual([undefined, undefined]);
    const excepted = await run(
      'nobody: [{ action: "orders:*", resource: "*", exceptGroups: [dev], exceptRoles: [viewer] }]',
    );
    expect(excepted.unknown.map(({ kind, name }) => [kind, name])).toEqual([['group', 'dev']]);
    const read = files('nobody: [{ action: "a:b", resource: "*", exceptRoles: [elsewhere] }]');
    const state = await readPermissions('permissions.yaml', {
      read: (file) => read(file).replace('viewer, scope', 'elsewhere, scope'),
    });
    expect(
      runTests(state, [await readTests('permissions.test.yaml', { read })]).unknown.map(({ kind }) => kind),
    ).not.toContain('role');
  });

  test('a group whose bindings a deployment’s state does not know is refused', async () => {
    const read = files('expect: [{ user: bob, groups: [ops], action: "a:b", resource: "", effect: Deny }]');
    const tests = [await readTests('permissions.test.yaml', { read })];
    const known = { policies: new Map(), roles: new Map(), bindings: [], users: ['bob'] };
    for (const state of [known, { ...known, groups: ['developers'] }]) {
      expect(() => runTests(state, tests)).toThrow('bindings of group "ops" are not known');
    }
    for (const groups of ['none', 'all', ['ops']] as const) {
      expect(runTests({ ...known, groups }, tests).passed).toBe(true);
    }
  });
});

test('lint of a file names the places of bindings of groups', async () => {
  const findings = await lintPermissions('permissions.yaml', { read: files('') });
  expect(findings).toMatchObject([{ rule: 'outside-manage', line: 9 }]);
  const misspelt = permissions.replace('role: viewer', 'role: vewer').replace("'ops*'", "'*'");
  const found = await lintPermissions('permissions.yaml', { read: () => misspelt });
  expect(found.find(({ rule }) => rule === 'missing-role')).toMatchObject({
    line: 9,
    message: expect.stringContaining('did you mean "viewer"'),
  });
});
