import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { apply, formatPlan, type PermissionsState, plan, readState } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { readText } from '../support/files.ts';

const allow = (action: string): Policy => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] });
const everywhere = allow('*');

/** A deployment with items of the shop, of others and of the platform. */
const current: PermissionsState = {
  policies: new Map([
    ['shop-reader', allow('orders:read')],
    ['goods-reader', allow('goods:read')],
    ['managed:operator:x', allow('x:y')],
  ]),
  roles: new Map([['viewer', { policies: ['shop-reader', 'goods-reader'] }]]),
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'viewer', scope: everywhere },
    { user: 'root', role: 'managed:predefined:super-admin', scope: everywhere },
  ],
  users: 'all',
};

const file = (manage: string, action = 'orders:read') => `
policies:
  shop-reader: { statements: [{ effect: Allow, actions: ["${action}"], resources: ["*"] }] }
manage: ${manage}
`;

describe('items that the files neither define nor own', () => {
  test('are counted, in a line, without those of the platform', async () => {
    const made = plan(current, await readText(file('{ policies: ["shop-*"] }')));
    expect(made.unowned).toEqual([
      { kind: 'policy', name: 'goods-reader' },
      { kind: 'role', name: 'viewer' },
      { kind: 'binding', user: 'alice', role: 'viewer' },
      { kind: 'binding', user: 'bob', role: 'viewer' },
    ]);
    const line = '1 policy, 1 role and 2 bindings are not in "manage": they stay';
    expect(formatPlan(made)).toBe(`No changes.\n\n${line}.`);
    const pruned = plan(current, await readText(file('{}')), { prune: true });
    expect(formatPlan(pruned)).toBe(`No changes.\n\n${line}; --prune changes nothing.`);
    expect(formatPlan(made, 'details')).toContain('"manage", so they stay:\n  policy "goods-reader"\n');
  });

  test('do not include owned ones, which prune deletes', async () => {
    const desired = await readText(file('{ policies: ["*"], roles: ["*"], users: [bob] }'));
    const made = plan(current, desired, { prune: true });
    expect(made.unowned).toEqual([{ kind: 'binding', user: 'alice', role: 'viewer' }]);
    expect(formatPlan(made)).toContain('\n1 binding is not in "manage": it stays.');
    expect(made.changes.map(({ action }) => action)).toEqual(['delete', 'delete', 'delete']);
  });
});

describe('orphaned bindings', () => {
  test('are those of known users and groups, which the state or the option names', async () => {
    const desired = await readText(file('{ policies: ["*"], roles: ["*"] }'));
    const group = { group: 'ops', role: 'viewer', scope: everywhere };
    const everything = { ...current, groupBindings: [group] };
    const orphans = (state: PermissionsState, known?: object) =>
      plan(state, desired, { prune: true, ...(known && { known }) }).orphaned.map(({ user, group }) => user ?? group);
    // Of a whole deployment most users are of others.
    expect(orphans(everything)).toEqual([]);
    expect(orphans(everything, { users: ['bob', 'root', 'zoe'], groups: ['ops'] })).toEqual(['bob', 'ops']);
    expect(orphans({ ...everything, users: ['alice', 'bob'], groups: ['ops'] })).toEqual(['alice', 'bob', 'ops']);
    const made = plan({ ...everything, users: ['alice', 'bob'], groups: ['ops'] }, desired);
    expect(formatPlan(made)).toMatch(/^2 orphaned users, 1 orphaned group; nothing to change\.\n/);
    expect(formatPlan(made)).toContain('\n  group "ops": role "viewer"\n');
  });
});

describe('items that a file defines outside its own manage', () => {
  test('are marked as outside, if the file manages items of their kind', async () => {
    const marked = plan(current, await readText(file('{ policies: ["goods-*"] }', 'orders:list')));
    expect(marked.changes).toMatchObject([{ outside: true }]);
    expect(formatPlan(marked)).toContain('~ policy "shop-reader": differs; "manage" of its file does not own it');
    for (const manage of ['{ roles: ["a"] }', '{ policies: ["shop-*"] }', '{}']) {
      const { changes } = plan(current, await readText(file(manage, 'orders:list')));
      expect(changes.map(({ outside }) => outside)).toEqual([undefined]);
    }
  });

  test('are marked with the option manage of plan, too', () => {
    const desired = { ...current, policies: new Map([['shop-reader', allow('a:b')]]) };
    expect(plan(current, desired, { manage: { policies: ['x'] } }).changes).toMatchObject([{ outside: true }]);
  });

  test('are overwritten with takeOver only, but created without it', async () => {
    await using mock = await createMock({ policies: { 'shop-reader': allow('orders:read') } });
    const token = await mock.tokens.issue({ user: null });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    const desired = await readText(file('{ policies: ["goods-*"] }', 'orders:list'));
    const made = plan(await readState(client, { users: [] }), desired);
    await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({
      code: 'APPLY',
      message: expect.stringMatching(/^refused, because .*\(takeOver\); policy "shop-reader"; nothing was written$/),
    });
    expect((await client.authorization.policies.get('shop-reader')).item).toMatchObject(allow('orders:read'));
    expect(await apply(client, made, { settleMs: 0, takeOver: true })).toMatchObject({ wrote: 1 });
    await client.authorization.policies.delete('shop-reader');
    const created = plan(await readState(client, { users: [] }), desired);
    expect(await apply(client, created, { settleMs: 0 })).toMatchObject({ wrote: 1 });
  });
});

test('roles that are created or deleted may be named by bindings of users that are not known', async () => {
  const desired = await readText(`roles: { a: { policies: [] }, b: { policies: [] } }
manage: { roles: ["*"] }`);
  const known = formatPlan(plan(current, desired, { prune: true }));
  expect(known).not.toMatch(/unknown users/);
  const text = formatPlan(plan({ ...current, users: ['alice', 'bob', 'root'] }, desired, { prune: true }));
  expect(text).toContain('Bindings of unknown users may name the 2 roles ("a", "b") that the plan creates.');
  expect(text).toContain('Bindings of unknown users may name the role "viewer" that the plan deletes.');
});
