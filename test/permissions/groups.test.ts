import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../src/mock/index.ts';
import {
  adoptPermissions,
  apply,
  explainAccess,
  exportCustomResources,
  exportPermissions,
  findStaleResources,
  formatPlan,
  type PermissionsState,
  plan,
  planResources,
  readCaller,
  readPermissions,
  readState,
  writeResources,
} from '../../src/permissions/index.ts';
import { everything } from '../support/calls.ts';

const file = `
policies:
  reader: { statements: [{ effect: Allow, actions: ['orders:read'], resources: ['*'] }] }
roles:
  viewer: { policies: [reader] }
scopes:
  all: { statements: [{ effect: Allow, actions: ['*'], resources: ['*'] }] }
groupBindings:
  - { group: developers, role: viewer, scope: all }
manage: { policies: [reader], roles: [viewer], groups: ['dev*'] }
`;
const read = (text: string) => readPermissions('permissions.yaml', { read: () => text });

const platforms = [
  ['sidecar', 'next'],
  ['documented', 'next'],
  ['sidecar', 'recorded'],
  ['sidecar', '1.4.4'],
] as const;

async function open(mock: Mock, user: string | null = null, groups: readonly string[] = []) {
  const token = await mock.tokens.issue(user === null ? { user } : { user, groups: [...groups] });
  return createClient({ ...mock.connection, credentials: credentials.bearer(token) });
}

const next: MockConfig = { platform: 'next', fidelity: 'sidecar' };
const writes = (mock: Mock) => mock.requests.filter(({ method }) => method !== 'GET');

describe('files with bindings of groups', () => {
  test('are read with their groups, and located', async () => {
    const found = await read(file);
    expect(found.groupBindings).toMatchObject([{ group: 'developers', role: 'viewer', scope: everything }]);
    expect([found.groups, found.manage.groups, found.users, found.bindings]).toEqual([
      ['developers'],
      ['dev*'],
      [],
      [],
    ]);
    expect(found.locate(['groupBindings', 0])).toMatchObject({ line: 9 });
    const none = await read('policies: {}');
    expect(['groups' in none, 'groupBindings' in none, 'groups' in none.manage]).toEqual([false, false, false]);
  });

  test.each([
    ['{ group: "a:b", role: viewer, scope: all }', 'holds a ":": groups named by its prefixes'],
    ['{ group: "", role: viewer, scope: all }', 'must not be empty'],
    [`{ group: ${'x'.repeat(1_025)}, role: viewer, scope: all }`, '1024'],
    ['{ group: [1], role: viewer, scope: all }', 'string'],
    ['{ user: developers, role: viewer, scope: all }', 'group'],
    ['{ group: developers, role: viewer, scope: al }', 'did you mean "all"'],
    ['{ group: developers, role: viewer, scope: null }', 'a binding needs a scope'],
  ])('%s is refused', async (binding, problem) => {
    const text = file.replace('{ group: developers, role: viewer, scope: all }', binding);
    await expect(read(text)).rejects.toMatchObject({ code: 'PERMISSIONS', message: expect.stringContaining(problem) });
  });

  test('a duplicate is refused, and a user with the same names is another binding', async () => {
    const twice = file.replace('\nmanage', '\n  - { group: developers, role: viewer, scope: all }\nmanage');
    await expect(read(twice)).rejects.toThrow('the binding of group "developers" to role "viewer" is also in');
    const user = `${file}bindings: [{ user: developers, role: viewer, scope: all }]\n`;
    const { bindings, groupBindings } = await read(user);
    expect([bindings.length, groupBindings?.length]).toEqual([1, 1]);
  });

  test('names that a file does not own are outside, and another file must not own them', async () => {
    const outside = await read(file.replace("'dev*'", "'ops*'"));
    expect(outside.outside).toEqual([{ kind: 'binding', group: 'developers', role: 'viewer' }]);
    const files = new Map([
      ['permissions.yaml', `include: [other.yaml]\n${file}`],
      ['other.yaml', "manage: { groups: ['*lopers'] }"],
    ]);
    const both = readPermissions('permissions.yaml', { read: (name) => files.get(name) ?? '' });
    await expect(both).rejects.toThrow(/two files own the same groups|owns the group "developers"/);
  });
});

describe.each(platforms)('a deployment in %s fidelity, platform %s', (fidelity, platform) => {
  const hasGroups = platform === 'next';

  test('the plan binds the group, or is refused before anything is written', async () => {
    await using mock = await createMock({ fidelity, platform });
    const client = await open(mock);
    const desired = await read(file);
    const current = await readState(client, { users: [], groups: desired.groups });
    if (!hasGroups) {
      expect(current.groups).toBe('none');
      const refusal =
        /does not bind roles to groups: it cannot hold the binding of group "developers" to role "viewer"/;
      expect(() => plan(current, desired)).toThrow(refusal);
      const blind = plan({ ...current, groups: ['developers'] }, desired);
      const failure = await apply(client, blind, { settleMs: 0 }).catch((error) => error);
      expect(failure).toMatchObject({ code: 'APPLY', done: [] });
      expect(failure.message).toContain('needs a newer platform');
      expect(writes(mock)).toEqual([]);
      return;
    }
    const made = plan(current, desired, { caller: await readCaller(client) });
    expect(made.changes.map(({ action, kind, group }) => [action, kind, group])).toContainEqual([
      'create',
      'binding',
      'developers',
    ]);
    expect(made.access.gained).toMatchObject(
      [{ groups: ['developers'] }, ...(fidelity === 'documented' ? [{}] : [])].slice(0, 1),
    );
    expect(formatPlan(made)).toContain('+ binding of group "developers" to role "viewer": is missing');
    expect((await apply(client, made, { settleMs: 0 })).wrote).toBe(3);
    const question = { user: 'bob', roles: ['developers'], action: 'orders:read', resource: 'order:1' };
    expect(await client.authorization.isAllowed(question)).toBe(true);
    const again = plan(await readState(client, { users: [], groups: desired.groups }), desired);
    expect([again.changes, again.stages]).toEqual([[], []]);
    expect((await apply(client, made, { settleMs: 0 })).wrote).toBe(0);

    // Removed from the file, the group is found by its name.
    const rest = await read(file.replace('  - { group: developers, role: viewer, scope: all }', '  []'));
    const left = await readState(client, { users: [], groups: ['developers'] });
    expect(plan(left, rest).kept).toMatchObject([{ group: 'developers', reason: 'prune is off' }]);
    const pruned = plan(left, rest, { prune: true });
    expect(pruned.access.lost).toMatchObject([{ groups: ['developers'] }]);
    expect((await apply(client, pruned, { settleMs: 0 })).wrote).toBe(1);
    expect((await apply(client, pruned, { settleMs: 0 })).skipped).toBe(1);
    expect(await client.authorization.isAllowed(question)).toBe(false);
  });
});

describe('reading groups', () => {
  const groupBindings = [
    { group: 'developers', role: 'viewer', scope: everything },
    { group: 'developers:web', role: 'viewer', scope: everything },
  ];
  const bound: MockConfig = {
    ...next,
    policies: { reader: everything },
    roles: { viewer: { policies: ['reader'] } },
    groupBindings,
  };

  test('a scope is replaced, and a group whose bindings are not known is refused', async () => {
    await using mock = await createMock(bound);
    const client = await open(mock);
    const current = await readState(client, { users: [], groups: ['developers', 'developers'] });
    expect(current.groups).toEqual(['developers']);
    const narrow = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
    const desired: PermissionsState = {
      ...current,
      groupBindings: [{ group: 'developers', role: 'viewer', scope: narrow }],
    };
    const unknown = { ...desired, groupBindings: [{ group: 'ops', role: 'viewer', scope: narrow }] };
    expect(() => plan(current, unknown)).toThrow(
      'The bindings of group "ops" are not known: name the group to readState',
    );
    const { changes } = plan({ ...current, bindings: [], groupBindings: groupBindings.slice(0, 1) }, desired);
    expect(changes).toMatchObject([{ action: 'update', reason: 'has another scope', group: 'developers' }]);
  });

  test('bindings that the services list twice, by the prefix of a name, count once', async () => {
    await using mock = await createMock(bound);
    const client = await open(mock);
    const groups = ['developers', 'developers:web'];
    const current = await readState(client, { users: [], groups });
    expect(current.groupBindings).toHaveLength(3);
    const { unowned } = plan(current, { ...current, groupBindings: [] });
    expect(unowned.map(({ group }) => group).sort()).toEqual(groups);
  });

  test('readState rejects for a group that the token may not read, and a replica knows all groups', async () => {
    await using mock = await createMock(bound);
    const client = await open(mock, 'nobody');
    const refused = readState(client, { users: [], groups: ['developers'] });
    await expect(refused).rejects.toMatchObject({
      needs: { action: 'rbac:ListGroupRoleBinding', resource: 'developers' },
    });
    const both = { replica: { evaluator: () => undefined as never }, groups: ['developers'] };
    await expect(readState(client, both)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'groups' });
  });

  test('allowUnread leaves out the groups that the token may not read, and names them', async () => {
    await using mock = await createMock(bound);
    mock.fail({ method: 'GET', path: '/group/ops/role', status: 403, times: 2 });
    const client = await open(mock);
    const options = { users: [], groups: ['developers', 'ops'], allowUnread: true };
    const { groups, groupBindings, unread } = await readState(client, options);
    expect([groups, unread?.groups]).toEqual([['developers'], ['ops']]);
    expect(new Set(groupBindings?.map(({ group }) => group))).toEqual(new Set(['developers']));
    await expect(readState(client, { ...options, allowUnread: false })).rejects.toMatchObject({ status: 403 });
  });

  test('an export holds the bindings of groups and reads back to the same state, and adopt adds them', async () => {
    await using mock = await createMock({ ...bound, groupBindings: groupBindings.slice(0, 1) });
    const client = await open(mock);
    const current = await readState(client, { users: [], groups: ['developers', 'ops'] });
    const { text, omitted } = exportPermissions(current);
    expect(omitted).toEqual([]);
    expect(text).toContain('The bindings of 2 named groups only: "developers", "ops"');
    expect(text).toContain('groupBindings:\n  - { group: developers, role: viewer');
    const back = await read(text);
    expect(plan(current, back, { prune: true }).changes).toEqual([]);
    const { text: adopted, added } = await adoptPermissions('permissions.yaml', current, { read: () => '{}' });
    expect(added).toContainEqual({ kind: 'binding', group: 'developers', role: 'viewer' });
    expect((await read(adopted)).groupBindings).toHaveLength(1);
    const owned = await adoptPermissions('permissions.yaml', current, { read: () => "manage: { groups: ['dev*'] }" });
    expect(owned.added.filter(({ group }) => group !== undefined)).toEqual([]);
  });
});

describe('a caller whose management permissions come from a group', () => {
  const manager = { statements: [{ effect: 'Allow', actions: ['rbac:*'], resources: ['*'] }] } as const;
  const start = (): Promise<Mock> =>
    createMock({
      ...next,
      policies: { manager },
      roles: { admin: { policies: ['manager'] } },
      groupBindings: [{ group: 'admins', role: 'admin', scope: everything }],
    });
  const change = (current: PermissionsState, groupBindings: PermissionsState['groupBindings']): PermissionsState => ({
    ...current,
    policies: new Map([...current.policies, ['new', everything]]),
    groupBindings,
  });

  test('may apply, and its last rights are taken last', async () => {
    await using mock = await start();
    const client = await open(mock, 'ann', ['admins']);
    const current = await readState(client, { users: ['ann'], groups: ['admins'] });
    const caller = await readCaller(client);
    expect(caller).toMatchObject({ groups: ['admins'], groupBindings: [{ group: 'admins', role: 'admin' }] });
    const kept = plan(current, change(current, current.groupBindings), { caller });
    expect(kept.own).toMatchObject({ missing: [], lost: [] });
    expect((await apply(client, kept, { settleMs: 0 })).wrote).toBe(1);
  });

  test('is refused a plan that takes the binding of the group from it, unless that is allowed', async () => {
    await using mock = await start();
    const client = await open(mock, 'ann', ['admins']);
    const current = await readState(client, { users: ['ann'], groups: ['admins'] });
    const manage = { groups: ['admins'] };
    const options = { caller: await readCaller(client), prune: true, manage };
    const taken = plan(current, change(current, []), options);
    expect(taken.own?.missing).toEqual([]);
    expect(taken.own?.lost).not.toEqual([]);
    const last = taken.stages.at(-1)?.map((step) => taken.changes[step.change]?.group);
    expect(last).toEqual(['admins']);
    await expect(apply(client, taken, { settleMs: 0 })).rejects.toMatchObject({ code: 'APPLY', done: [] });
    expect(writes(mock).filter(({ path }) => path.includes('/policy/'))).toEqual([]);
    const { wrote } = await apply(client, taken, { settleMs: 0, allowSelfLockout: true });
    expect(wrote).toBe(2);
  });

  test('may not apply without the group', async () => {
    await using mock = await start();
    const client = await open(mock, 'ann');
    const admin = await open(mock);
    const current = await readState(admin, { users: ['ann'], groups: ['admins'] });
    const { own } = plan(current, change(current, current.groupBindings), { caller: await readCaller(admin) });
    expect(own?.missing).toEqual([]);
    await expect(apply(client, plan(current, change(current, current.groupBindings)))).rejects.toMatchObject({
      done: [],
    });
  });
});

const shop = { deployment: 'main', namespace: 'shop' };

describe('custom resources of bindings of groups', () => {
  test('are written, and read back to the same state', async () => {
    const desired = await read(file);
    const { text, omitted } = exportCustomResources(desired, shop);
    expect(omitted).toEqual([]);
    expect(text).toContain('kind: ArangoPermissionRoleGroupBinding\n');
    expect(text).toContain('  groupName: developers\n');
    const back = await read(text);
    expect([back.groups, back.users]).toEqual([['developers'], []]);
    expect(back.groupBindings).toMatchObject([{ group: 'developers', role: 'viewer', scope: everything }]);
    expect(back.operator?.bindings).toEqual([{ group: 'developers', role: 'viewer' }]);
    const bad = { ...desired, groupBindings: [{ group: 'a:b', role: 'viewer', scope: everything }] };
    expect(exportCustomResources(bad, shop).omitted).toMatchObject([
      { group: 'a:b', reason: expect.stringContaining('holds a ":"') },
    ]);
  });

  test('stand in a file of their own in a folder, whose plan names the access of groups', async () => {
    const desired = await read(file);
    const { files } = writeResources(desired, shop);
    expect([...files.keys()]).toContain('group-bindings.yaml');
    expect((await planResources(desired, { ...shop, files })).resources).toEqual([]);
    const added = await planResources(desired, { ...shop, files: new Map() });
    expect(added.resources.map(({ kind }) => kind)).toContain('ArangoPermissionRoleGroupBinding');
    expect(added.plan.operator.access.gained.flatMap(({ groups }) => groups ?? [])).toEqual(['developers']);
    const removed = await planResources(
      await read(file.replace('  - { group: developers, role: viewer, scope: all }', '  []')),
      {
        ...shop,
        files,
      },
    );
    expect(removed.resources).toMatchObject([{ action: 'delete', file: 'group-bindings.yaml' }]);
  });

  const resource = (name: string, rest = '', status = '') => `
apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermissionRoleGroupBinding
metadata: { name: devs }
spec:
  deployment: { name: main }
  role: { direct: "managed:predefined:coredb-reader" }
  groupName: ${name}
  scope: { statements: [] }
${rest}${status}`;

  test('are refused as the operator refuses them, with place', async () => {
    await expect(read(resource('""'))).rejects.toThrow(/:8:14: must not be empty/);
    await expect(read(resource('a:b'))).rejects.toThrow(/:8:14: holds a ":"/);
    await expect(read(resource('devs').replace(/ {2}scope.*\n/, ''))).rejects.toThrow(/missing.*"scope"|scope/);
    await expect(read(resource('devs').replace('coredb-reader', 'super-admin'))).rejects.toThrow(/does not bind/);
    const { findings } = await read(resource('devs', '  userName: alice\n'));
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('the API server drops it')]);
  });

  test('name the binding that stays when groupName changes, from the status and from two versions', async () => {
    const status = 'status: { groupRoleBinding: { name: old }, role: { name: viewer } }\n';
    const { findings } = await read(resource('devs', '', status));
    expect(findings.map(({ message }) => message)).toEqual([
      'was "old", whose binding to role "viewer" stays: remove it',
    ]);
    const found = findStaleResources(await read(resource('old')), await read(resource('devs')));
    const stays = 'the binding of group "old" to role "managed:predefined:coredb-reader" stays, remove it';
    expect(found.map(({ message }) => message)).toEqual([`has another groupName: ${stays}`]);
    expect(findStaleResources(await read(resource('devs')), await read(resource('devs')))).toEqual([]);
  });

  test('belong to the operator: a plan leaves them to kubectl', async () => {
    await using mock = await createMock(next);
    const client = await open(mock);
    const desired = await read(exportCustomResources(await read(file), shop).text);
    const made = plan(await readState(client, { users: [], groups: desired.groups }), desired);
    expect(made.changes).toEqual([]);
    expect(made.operator.changes).toContainEqual(
      expect.objectContaining({ kind: 'binding', group: 'developers', action: 'create' }),
    );
    expect(made.operator.access.gained.flatMap(({ groups }) => groups ?? [])).toEqual(['developers']);
  });
});

test('a question about groups that a state does not know is refused', () => {
  const state: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: ['bob'] };
  const question = { user: 'bob', groups: ['ops'], action: 'orders:read', resource: 'order:7' };
  const unknown = 'The bindings of group "ops" are not known: name the group to readState';
  for (const one of [state, { ...state, groups: ['dev'] }]) expect(() => explainAccess(one, question)).toThrow(unknown);
  for (const groups of ['all', 'none', ['ops']] as const) {
    expect(explainAccess({ ...state, groups }, question).explanation.decision.allowed).toBe(false);
  }
});

test('a plan of many bindings names their users and groups', async () => {
  const scope = { statements: [] };
  const bindings = Array.from({ length: 40 }, (_, i) => ({ user: `u${i}`, role: 'viewer', scope }));
  const groupBindings = bindings.map(({ user, ...rest }) => ({ group: user.replace('u', 'g'), ...rest }));
  const none: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
  expect(formatPlan(plan(none, { ...none, bindings, groupBindings }))).toContain(
    '80 bindings to role "viewer" (of users "u0", "u1", "u2" and 37 more and of groups "g0", "g1", "g2" and 37 more)',
  );
});
