import { describe, expect, test } from 'vitest';
import { adoptPermissions, PermissionsError, plan, readPermissions } from '../../../src/permissions/index.ts';
import { reading } from '../support/files.ts';

const everywhere = '{ statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }';
const main = `
include: [teams/stock.yaml]
scopes:
  everywhere: ${everywhere}
policies:
  platform-admin: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
  stock-audit: { statements: [{ effect: Allow, actions: ["stock:*", "audit:read"], resources: ["*"] }] }
roles:
  platform-admin: { policies: [platform-admin] }
  audit: { policies: [stock-audit] }
limits:
  teams/: { actions: ["stock:*"], resources: ["shop:*"] }
  teams/stock.yaml: { roles: ["stock-*", audit] }
`;

/** The issues of a team's file beside the main file above or another one, as `line:column message`. */
async function issuesOf(team: string, others: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const files = { 'p/main.yaml': main, 'p/teams/stock.yaml': team, ...others };
  const reads = readPermissions('p/main.yaml', { read: reading(files) });
  const error: unknown = await reads.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error === undefined) return [];
  if (!(error instanceof PermissionsError)) throw error;
  return error.issues.map(({ file, line, column, message }) =>
    `${file}:${line}:${column} ${message}`.replace(/^p\/teams\/stock\.yaml:/, ''),
  );
}

const roleLimit = (what: string) =>
  `${what} is beyond the limits of this file (p/main.yaml:13): its roles are "stock-*", "audit"`;
const accessLimit = 'beyond the limits of this file (p/main.yaml:12): stock:* on shop:*';

describe('limits of a team’s file', () => {
  test('accept what is inside them', async () => {
    const team = `
policies:
  stock-picker:
    statements:
      - { effect: Allow, actions: ["stock:read", "stock:move*"], resources: ["shop:eu:*", "shop:*:shelf"] }
      - { effect: Deny, actions: ["*"], resources: ["*"] }
  stock-most:
    statements:
      - { effect: Allow, actions: ["*"], resources: ["shop:*"] }
      - { effect: Deny, actions: ["*"], resources: ["*"] }
roles: { stock-picker: { policies: [stock-picker] } }
bindings: [{ user: ann, role: stock-picker, scope: everywhere }]
groupBindings: [{ group: night, role: stock-picker, scope: everywhere }]
manage: { roles: ["stock-*"], bindings: { roles: [stock-picker] } }
`;
    expect(await issuesOf(team)).toEqual([]);
  });

  test.each([
    [
      'a role of another file',
      'bindings: [{ user: ann, role: platform-admin, scope: everywhere }]',
      [`1:31 ${roleLimit('the role "platform-admin"')}`],
    ],
    [
      'a role of a group',
      'groupBindings: [{ group: g, role: platform-admin, scope: everywhere }]',
      [`1:35 ${roleLimit('the role "platform-admin"')}`],
    ],
    [
      'a role of its own with another name',
      'roles: { picker: { policies: [] } }',
      [`1:10 ${roleLimit('the role "picker"')}`],
    ],
    [
      'a policy of another file in a role',
      'roles: { stock-x: { policies: [stock-audit, platform-admin] } }',
      [`1:32 allows audit:read on *, ${accessLimit}`, `1:45 allows * on *, ${accessLimit}`],
    ],
    [
      'a policy that no file has',
      'roles: { stock-x: { policies: ["managed:predefined:super-admin"] } }',
      [`1:32 allows * on *, because no file has its content, ${accessLimit}`],
    ],
    [
      'a role whose name is in the limits, with more access',
      'bindings: [{ user: a, role: audit, scope: everywhere }]',
      [`1:29 allows audit:read on *, ${accessLimit}`],
    ],
    [
      'a role that no file defines',
      'bindings: [{ user: a, role: stock-old, scope: everywhere }]',
      [`1:29 allows * on *, because no file defines the role, ${accessLimit}`],
    ],
    [
      'a policy',
      'policies: { x: { statements: [{ effect: Allow, actions: ["stock:read", "pay:read"], resources: ["shop:*"] }] } }',
      [`1:31 allows pay:read on shop:*, ${accessLimit}`],
    ],
    [
      'patterns of manage',
      'manage: { roles: ["*"], bindings: { roles: ["st*", stock-a] } }',
      [
        'p/main.yaml:9:3 p/teams/stock.yaml:1 owns the role "platform-admin"',
        'p/main.yaml:10:3 p/teams/stock.yaml:1 owns the role "audit"',
        `1:19 ${roleLimit('the pattern "*"')}`,
        `1:45 ${roleLimit('the pattern "st*"')}`,
      ],
    ],
    [
      'users and groups of manage, whose bindings have any role',
      'manage: { users: [ann], groups: ["night-*"] }',
      ['users', 'groups'].map(
        (kind) =>
          `1:${kind === 'users' ? 11 : 25} owns bindings to all roles, beyond the limits of this file (p/main.yaml:13): ` +
          `own those to its roles (bindings: { roles: […] }), and ${kind} in the first file`,
      ),
    ],
  ])('refuse %s', async (_, team, issues) => {
    expect(await issuesOf(team)).toEqual(issues);
  });

  test('of roles alone are refused for a file that defines what they allow', async () => {
    const open = { 'p/main.yaml': main.replace(/ {2}teams\/:.*\n/, '') };
    const issue =
      'p/main.yaml:12:3 needs "actions" or "resources": p/teams/stock.yaml defines roles or policies, which could allow anything';
    expect(await issuesOf('roles: { stock-x: { policies: [platform-admin] } }', open)).toEqual([issue]);
    expect(await issuesOf('policies: { x: { statements: [] } }', open)).toEqual([issue]);
    expect(await issuesOf('bindings: [{ user: a, role: audit, scope: everywhere }]', open)).toEqual([]);
    const explicit = { 'p/main.yaml': open['p/main.yaml'].replace('roles: ["stock', 'actions: ["*"], roles: ["stock') };
    expect(await issuesOf('roles: { stock-x: { policies: [platform-admin] } }', explicit)).toEqual([]);
  });

  test('count the scope of a binding, and what its role denies', async () => {
    const scope = '{ statements: [{ effect: Allow, actions: ["stock:*"], resources: ["shop:eu:*"] }] }';
    expect(await issuesOf(`bindings: [{ user: a, role: audit, scope: ${scope} }]`)).toEqual([]);
    expect(await issuesOf(`bindings: [{ user: a, role: stock-old, scope: ${scope} }]`)).toEqual([]);
    const audit = scope.replace('stock:*', '*:read');
    expect(await issuesOf(`bindings: [{ user: a, role: audit, scope: ${audit} }]`)).toEqual([
      `1:29 allows audit:read on shop:eu:*, ${accessLimit}`,
    ]);
    const denying = main.replace(
      'resources: ["*"] }] }\nroles',
      'resources: ["*"] }, { effect: Deny, actions: ["audit:*"], resources: ["*"] }] }\nroles',
    );
    expect(denying).not.toBe(main);
    const team = `bindings: [{ user: a, role: audit, scope: ${audit} }]`;
    expect(await issuesOf(team, { 'p/main.yaml': denying })).toEqual([]);
  });

  test('apply to what the file includes, and refuse an include to which they do not apply', async () => {
    const more = { 'p/teams/more.yaml': 'roles: { x: { policies: [platform-admin] } }', 'p/x.yaml': 'roles: {}' };
    expect(await issuesOf('include: [more.yaml, ../x.yaml]', more)).toEqual([
      '1:11 the limits of this file (p/main.yaml:13) do not reach it: include it in the first file',
      '1:22 the limits of this file (p/main.yaml:12) do not reach it: include it in the first file',
      `p/teams/more.yaml:1:26 allows * on *, ${accessLimit}`,
    ]);
  });

  test('apply to a file by its real path', async () => {
    const files = {
      'p/main.yaml': main.replace('teams/stock.yaml]', 'link.yaml]').replace(/ {2}teams\/stock.*\n/, ''),
      'p/link.yaml': 'roles: { x: { policies: [platform-admin] } }',
    };
    const realPath = (file: string) => `/srv/${file}`.replace('/link.yaml', '/teams/stock.yaml');
    const error = readPermissions('p/main.yaml', { read: reading(files), realPath });
    await expect(error).rejects.toThrow(`p/link.yaml:1:26: allows * on *, ${accessLimit}`);
  });

  test('are compared once for many bindings with the same role and scope, and not for files without limits', async () => {
    // Long patterns count as much work, and take little time.
    const resources = Array.from({ length: 20 }, (_, i) => `shop:${i}${'x'.repeat(10_000)}`);
    const wide = JSON.stringify({ statements: [{ effect: 'Allow', actions: ['stock:*'], resources }] });
    const bindings = `bindings:\n${Array.from({ length: 60 }, (_, i) => `  - { user: u${i}, role: ROLE, scope: wide }\n`).join('')}`;
    const first =
      `${main.replace('roles:\n', 'roles:\n  shop: { policies: [wide] }\n')}${bindings.replaceAll('ROLE', 'shop')}`
        .replace('scopes:\n', `scopes:\n  wide: ${wide}\n`)
        .replace('policies:\n', `policies:\n  wide: ${wide}\n`)
        .replace('[stock-audit]', '[wide]');
    expect(await issuesOf(bindings.replaceAll('ROLE', 'audit'), { 'p/main.yaml': first })).toEqual([]);
  });

  test('keep its scopes from other files, whose grants it could widen', async () => {
    const first = `${main}bindings: [{ user: root2, role: platform-admin, scope: narrow }]\n`;
    const team = `scopes: { narrow: ${everywhere} }\nbindings: [{ user: a, role: stock-old, scope: narrow }]`;
    const limited = first.replace('actions: ["stock:*"], resources: ["shop:*"]', 'actions: ["*"]');
    expect(await issuesOf(team, { 'p/main.yaml': limited })).toEqual([
      'p/main.yaml:14:56 the scope "narrow" is of a file with limits (p/main.yaml:12): define one here',
    ]);
  });

  test('do not apply to custom resources, which are refused', async () => {
    const resource = `
apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermissionRole
metadata: { name: stock-x }
spec: { deployment: { name: main } }
`;
    expect(await issuesOf(resource)).toEqual([
      '2:1 limits (p/main.yaml:12) do not reach custom resources, which kubectl applies: limit them there',
    ]);
  });

  test('are accepted in the first file only, and for files that are read', async () => {
    const misspelt = main.replace('  teams/stock.yaml:', '  teams/stok.yaml:').replace('  teams/:', '  teams:');
    expect(await issuesOf('limits: {}', { 'p/main.yaml': misspelt })).toEqual([
      'p/main.yaml:12:3 no file that is read has this path (did you mean "teams/"?); that of a folder ends with "/"',
      'p/main.yaml:13:3 no file that is read has this path (did you mean "teams/stock.yaml"?); that of a folder ends with "/"',
      '1:1 limits stand in the first file, which includes this one',
    ]);
    for (const path of ['/teams/', '../teams/', 'a/../b', 'C:\\\\teams', '']) {
      const wrong = main.replace('  teams/:', `  "${path}":`);
      expect(await issuesOf('{}', { 'p/main.yaml': wrong })).toEqual([
        'p/main.yaml:12:3 expected a file like "teams/stock.yaml", or a folder like "teams/", relative to this file and below its folder',
      ]);
    }
    expect(
      await issuesOf('{}', { 'p/main.yaml': main.replace('actions: ["stock:*"]', 'action: ["stock:*"]') }),
    ).toEqual([
      'p/main.yaml:12:13 unknown field "action" (did you mean "actions"?); accepted are roles, actions, resources',
    ]);
  });
});

describe('bindings that are owned by role', () => {
  const root = `include: [teams/stock.yaml, teams/pay.yaml]
roles: { stock-picker: { policies: [] }, pay-clerk: { policies: [] }, lead: { policies: [] } }
scopes: { all: ${everywhere} }
bindings: [{ user: zoe, role: lead, scope: all }]
manage: { users: ["*"] }`;
  const stock = `bindings:
  - { user: ann, role: stock-picker, scope: all }
  - { user: bob, role: stock-picker, scope: all }
manage: { bindings: { roles: ["stock-*"] } }`;
  const pay = stock.replaceAll('stock', 'pay').replaceAll('picker', 'clerk');
  const read = (files: Readonly<Record<string, string>> = {}) =>
    readPermissions('main.yaml', {
      read: reading({ 'main.yaml': root, 'teams/stock.yaml': stock, 'teams/pay.yaml': pay, ...files }),
    });

  test('let teams share people, beside a file that owns users', async () => {
    const { bindings, manage, outside } = await read();
    expect(bindings.map(({ user, role }) => `${user} ${role}`)).toEqual([
      'zoe lead',
      'ann stock-picker',
      'bob stock-picker',
      'ann pay-clerk',
      'bob pay-clerk',
    ]);
    expect(manage).toEqual({ policies: [], roles: [], users: ['*'], bindings: { roles: ['stock-*', 'pay-*'] } });
    expect(outside).toEqual([]);
  });

  test('are defined by their owner only, and owned by one file', async () => {
    const files = {
      'main.yaml': root.replace('role: lead', 'role: pay-clerk'),
      'teams/pay.yaml': pay.replace('role: pay-clerk', 'role: lead').replace('"pay-*"]', '"pay-*", "stock-p*"]'),
    };
    await expect(read(files)).rejects.toThrow(
      [
        'main.yaml:4:12: teams/pay.yaml:4 owns the bindings to the role "pay-clerk": move it there',
        'teams/stock.yaml:2:5: teams/pay.yaml:4 owns the bindings to the role "stock-picker": move it there',
        'teams/stock.yaml:3:5: teams/pay.yaml:4 owns the bindings to the role "stock-picker": move it there',
        'teams/pay.yaml:2:5: main.yaml:5 owns the user "ann": move the binding there, or own the bindings of its role here (manage: { bindings: { roles: […] } })',
        'teams/pay.yaml:4:40: two files own the same bindings by role: teams/stock.yaml:4 has "stock-*"',
      ].join('\n'),
    );
  });

  test('are deleted with prune, and are not when only the user goes', async () => {
    const before = { ...(await read()), users: 'all' as const };
    const after = await read({
      'main.yaml': root.replace('manage: { users: ["*"] }', ''),
      'teams/pay.yaml': 'manage: { bindings: { roles: ["pay-*"] } }',
    });
    const known = { users: before.bindings.map(({ user }) => user) };
    const { changes, orphaned } = plan(before, { ...after, bindings: after.bindings.slice(1) }, { prune: true, known });
    expect(changes.map(({ action, user, role }) => `${action} ${user} ${role}`)).toEqual([
      'delete ann pay-clerk',
      'delete bob pay-clerk',
    ]);
    expect(orphaned).toEqual([{ kind: 'binding', user: 'zoe', role: 'lead' }]);
  });

  test('are not adopted by another file, and are an option of plan', async () => {
    const files = await read({ 'main.yaml': root.replace('manage: { users: ["*"] }', '') });
    const binding = (role: string) => ({ user: 'new', role, scope: files.scopes.get('all') });
    const state = { ...files, bindings: [...files.bindings, binding('stock-picker'), binding('lead')] };
    const all = reading({
      'main.yaml': root.replace('manage: { users: ["*"] }', ''),
      'teams/stock.yaml': stock,
      'teams/pay.yaml': pay,
    });
    const { added } = await adoptPermissions('main.yaml', { ...state, users: 'all' }, { read: all });
    expect(added).toEqual([{ kind: 'binding', user: 'new', role: 'lead' }]);
    const known = { ...state, users: 'all' as const };
    const { changes } = plan(known, files, { prune: true, manage: { bindings: { roles: ['le*'] } } });
    expect(changes.map(({ action, user, role }) => `${action} ${user} ${role}`)).toEqual(['delete new lead']);
  });

  test('that a file defines beside those that it owns are outside', async () => {
    const { outside } = await readPermissions('f.yaml', {
      read: () => `bindings: [{ user: a, role: x, scope: ${everywhere} }, { user: b, role: y, scope: ${everywhere} }]
manage: { bindings: { roles: [x] } }`,
    });
    expect(outside).toEqual([{ kind: 'binding', user: 'b', role: 'y' }]);
  });
});
