import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import {
  apply,
  findStaleResources,
  formatPlan,
  type PermissionsState,
  plan,
  readState,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { readText } from '../support/files.ts';
import { manageAll } from '../support/states.ts';

const resource = (kind: string, name: string, spec: string) => `
---
apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermission${kind}
metadata: { name: ${name} }
spec:
  deployment: { name: main }
${spec}`;
const statements = (action: string) => `{ statements: [{ effect: Allow, actions: ["${action}"], resources: ["*"] }] }`;

/** Custom resources: a policy, a role with it, and a user in it. */
const shop = (action = 'orders:read', user = 'alice', more = '') =>
  [
    resource('Policy', 'reader', `  description: reads\n  policy: ${statements(action)}`),
    resource('Role', 'viewer', '  description: views'),
    resource('PolicyRoleBinding', 'viewer-reader', '  policy: { name: reader }\n  role: { name: viewer }'),
    resource(
      'RoleUserBinding',
      'the-user',
      `  role: { name: viewer }\n  userName: ${user}\n  scope: ${statements('*')}`,
    ),
    more,
  ].join('');

const allow = (action: string, description = ''): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: ['*'], description }],
  description,
});

/** The state of the services after the operator's work, with descriptions of another writer. */
const live = (action = 'orders:read', users: readonly string[] = ['alice'], description = ''): PermissionsState => ({
  policies: new Map([['managed:operator:reader', allow(action, description)]]),
  roles: new Map([['viewer', { policies: ['managed:operator:reader'], description }]]),
  bindings: users.map((user) => ({ user, role: 'viewer', scope: allow('*', description) })),
  users: 'all',
});

describe('a plan over custom resources', () => {
  test('compares custom resources under the names of the operator: nothing differs after its work', async () => {
    const made = plan(live(), await readText(shop()), { prune: true });
    expect([made.changes, made.kept, made.operator.changes]).toEqual([[], [], []]);
    expect(formatPlan(made)).toBe('No changes.');
  });

  test('ignores descriptions', async () => {
    const made = plan(live('orders:read', ['alice'], 'of another writer'), await readText(shop()));
    expect([made.changes, made.operator.changes]).toEqual([[], []]);
  });

  test('lists the changes of the operator beside its own, with the access that they change', async () => {
    const desired = await readText(shop('orders:*', 'alice'));
    const { changes, stages, access, operator } = plan(live(), desired);
    expect([changes, stages, access]).toEqual([[], [], { gained: [], lost: [] }]);
    expect(operator.changes).toEqual([
      {
        kind: 'policy',
        name: 'managed:operator:reader',
        action: 'update',
        reason: 'differs: apply its custom resource with kubectl',
        before: allow('orders:read'),
        after: allow('orders:*'),
      },
    ]);
    expect(operator.access.gained).toMatchObject([{ users: ['alice'], action: 'orders:*' }]);
    expect(operator.access.lost).toEqual([]);
  });

  test('says to use kubectl', async () => {
    const none: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
    const token = resource('Token', 'svc', `  policy: ${statements('a:b')}\n  scope: ${statements('*')}`);
    const lines = formatPlan(plan(none, await readText(shop('orders:read', 'alice', token)))).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '3 changes of custom resources to make with kubectl; 1 user gains access.',
        'Custom resources, which belong to the operator and are not written here; use kubectl:',
        '  + policy "managed:operator:reader": is missing: apply its custom resource with kubectl',
        '  + role "viewer": is missing: apply its custom resource with kubectl',
        '  + binding of user "alice" to role "viewer": is missing: apply its custom resource with kubectl',
        '  token "svc": not compared before the operator names its items',
        'Access after kubectl:',
      ]),
    );
  });

  test('names the binding that a changed userName leaves behind, unless the plan deletes it', async () => {
    const desired = await readText(shop('orders:read', 'bob'));
    const current = live('orders:read', ['alice', 'bob']);
    const reason = 'no custom resource makes it; the operator leaves a binding whose user, group or role changes';
    expect(plan(current, desired).kept).toEqual([{ kind: 'binding', user: 'alice', role: 'viewer', reason }]);
    const pruned = plan(current, desired, { prune: true, manage: { users: ['alice'] } });
    expect(pruned.kept).toEqual([]);
    expect(pruned.changes).toMatchObject([{ kind: 'binding', user: 'alice', action: 'delete' }]);
  });

  test('never deletes what custom resources make, whatever manage owns', async () => {
    const { changes, operator } = plan(live(), await readText(shop()), { prune: true, manage: manageAll });
    expect([changes, operator.changes]).toEqual([[], []]);
  });

  test('between two files of custom resources says what kubectl deletes', async () => {
    const { changes, operator } = plan(await readText(shop()), await readText(resource('Role', 'viewer', '')), {
      prune: true,
      manage: manageAll,
    });
    expect(changes).toEqual([]);
    expect(operator.changes.map(({ kind, action }) => [kind, action])).toEqual([
      ['policy', 'delete'],
      ['role', 'update'],
      ['binding', 'delete'],
    ]);
    expect(operator.access.lost).toMatchObject([{ users: ['alice'], action: 'orders:read' }]);
  });

  test('leaves an item with a name of the operator to the operator, even if a file of permissions has it', async () => {
    const desired = await readText('policies: { "managed:operator:reader": { statements: [] } }');
    const { changes, operator } = plan(live(), desired);
    expect(changes).toEqual([]);
    expect(operator.changes).toMatchObject([{ name: 'managed:operator:reader', action: 'update' }]);
  });

  test('attaches a policy to a predefined role by the operator only', async () => {
    const role = '{ direct: "managed:predefined:ai-user" }';
    const text = shop() + resource('PolicyRoleBinding', 'x', `  policy: { name: reader }\n  role: ${role}`);
    const name = 'managed:predefined:ai-user';
    const current = { ...live(), roles: new Map([...live().roles, [name, { policies: [] }]]) };
    const { changes, operator } = plan(current, await readText(text), { prune: true, manage: manageAll });
    expect(changes).toEqual([]);
    expect(operator.changes).toMatchObject([
      { name, action: 'update', after: { policies: ['managed:operator:reader'] } },
    ]);
  });
});

describe('apply', () => {
  test('writes the other items, and leaves custom resources to kubectl', async () => {
    const mock = await createMock();
    const client = createClient({
      ...mock.connection,
      credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    });
    const files = await readText(shop());
    const own = { user: 'carol', role: 'viewer', scope: allow('*') };
    const desired = { ...files, bindings: [...files.bindings, own], users: [...files.users, 'carol'] };
    const made = plan(await readState(client, { users: desired.users }), desired);
    const { wrote, left } = await apply(client, made, { settleMs: 0 });
    expect([wrote, left.length]).toEqual([1, 3]);
    const { policies, roles, bindings } = await readState(client, { users: desired.users });
    expect([policies.has('managed:operator:reader'), roles.has('viewer')]).toEqual([false, false]);
    expect(bindings.map(({ user }) => user)).toEqual(['carol']);
  });
});

describe('the findings about two versions of custom resources', () => {
  const stale = async (before: string, after: string) =>
    findStaleResources(await readText(before), await readText(after)).map(
      ({ line, column, message }) => `${line}:${column} ${message}`,
    );
  const token = (scope: string) => resource('Token', 'svc', `  policy: ${statements('a:b')}${scope}`);

  test.each<[string, string, string, string]>([
    [
      'another userName',
      shop(),
      shop('orders:read', 'bob'),
      '28:19 has another userName: the binding of user "alice" to role "viewer" stays, remove it',
    ],
    [
      'another role',
      shop(),
      shop().replace('role: { name: viewer }\n  userName', 'role: { direct: editor }\n  userName'),
      '28:19 has another role: the binding of user "alice" to role "viewer" stays, remove it',
    ],
    [
      'another scope of a token',
      token(`\n  scope: ${statements('*')}`),
      token(`\n  scope: ${statements('a:b')}`),
      '5:19 has another scope, which does not reach its binding: make a new token',
    ],
    [
      'another deployment',
      resource('Role', 'viewer', ''),
      resource('Role', 'viewer', '').replace('main', 'other'),
      '5:19 was for the deployment "main": a change has no effect, make a new resource',
    ],
  ])('name what the operator does not carry out: %s', async (_, before, after, expected) => {
    expect(await stale(before, after)).toEqual([expected]);
  });

  test('are none for other changes, and for new and deleted resources', async () => {
    expect(await stale(shop(), shop('orders:*'))).toEqual([]);
    expect(await stale(shop(), token(`\n  scope: ${statements('*')}`))).toEqual([]);
  });
});
