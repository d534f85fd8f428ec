import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byCodePoint } from '../../../../src/base/lib/code-points.ts';
import { createClient } from '../../../../src/index.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { readState } from '../../../../src/permissions/index.ts';
import { permissionUsage, rehearse, replay } from '../../../../src/policy/analysis/index.ts';
import { createEvaluator } from '../../../../src/policy/index.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { requestFor, stateArb, userNames } from '../../support/arbitrary.ts';
import { dice } from '../support/rewrite.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const users = [...userNames, 'stranger'];

describe.each(['documented', 'sidecar'] as const)('a random part of the state may not be read, %s', (fidelity) => {
  test('decisions are those of the whole state, and nothing is called unused that may be used', async () => {
    const seen = { known: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(stateArb, fc.nat({ max: 0x7fffffff }), async (given, seed) => {
        const below = dice(seed);
        // The services store no binding without a scope.
        const byKey = new Map(
          given.bindings.filter(({ scope }) => scope).map((one) => [`${one.user}:${one.role}`, one]),
        );
        const whole = {
          policies: Object.fromEntries(given.policies),
          // The services sort the policies of a role, and `permissionUsage` names the first of several that deny.
          roles: Object.fromEntries(
            [...given.roles].map(([name, role]) => [name, { ...role, policies: [...role.policies].sort(byCodePoint) }]),
          ),
          bindings: [...byKey.values()],
        };
        const truth = createEvaluator(whole, { fidelity });
        const mock = await createMock({ ...whole, fidelity, authentication: { enabled: false } });
        const client = createClient(mock.connection);
        const names = [
          ...[...given.policies.keys()].map((name) => `/policy/${name}`),
          ...[...given.roles.keys()].map((name) => `/role/${name}`),
          ...users.map((name) => `/user/${name}/role`),
        ];
        const hidden = new Set(names.filter(() => below(4) === 0));
        for (const path of hidden) {
          const [, kind = '', name = ''] = path.split('/');
          const end = `/${kind}/${encodeURIComponent(name)}${kind === 'user' ? '/role' : ''}`;
          mock.fail({ method: 'GET', path: end, status: 403, times: Number.POSITIVE_INFINITY });
        }
        const state = await readState(client, { users, allowUnread: true });
        const unread = [
          ...(state.unread?.policies ?? []).map((name) => `/policy/${name}`),
          ...(state.unread?.roles ?? []).map((name) => `/role/${name}`),
          ...(state.unread?.users ?? []).map((name) => `/user/${name}/role`),
        ];
        // Users may be unread also because two bindings to one role count for them.
        expect([...hidden].filter((path) => !unread.includes(path))).toEqual([]);
        expect(unread.filter((path) => !hidden.has(path) && !path.startsWith('/user/'))).toEqual([]);
        expect(state.users).toEqual(users.filter((user) => !unread.includes(`/user/${user}/role`)));

        const lines = Array.from({ length: 30 }, () => {
          const { user: own, roles, action, resource } = requestFor(given, below(0x7fffffff));
          const user = below(2) === 0 ? own : (users[below(users.length)] ?? own);
          const subject = { user, ...(roles && { groups: roles }) };
          const isAllowed = truth.isAllowed({ user, ...(roles && { roles }), action, resource });
          return decisionOf({ subject, action, resource, effect: isAllowed ? 'Allow' : 'Deny' });
        });
        const options = { users: state.users, unread: state.unread, fidelity };
        const { gained, revoked, unchanged, error } = await replay(lines, state, options);
        // The log has the decisions of the whole state, so those that differ would be wrong.
        expect([gained.groups, revoked.groups]).toEqual([[], []]);
        expect(unchanged.count + error.count).toBe(lines.length);
        seen.known += unchanged.count;
        seen.unknown += error.count;
        const { denied, change } = await rehearse(lines, state, options);
        expect(denied.count).toBeLessThanOrEqual(lines.filter(({ effect }) => effect === 'Deny').length);
        for (const { kind, action, ...item } of change.items) {
          if (kind !== 'binding') expect(action).toBe('create');
          if ('name' in item) expect(hidden).not.toContain(`/${kind}/${item.name}`);
          if (kind === 'binding' && 'role' in item) expect(hidden).not.toContain(`/role/${item.role}`);
        }
        const unused = await permissionUsage(lines, whole, { fidelity });
        const some = await permissionUsage(lines, state, options);
        for (const kind of ['policies', 'roles', 'statements'] as const) {
          expect(unused[kind], kind).toEqual(expect.arrayContaining(some[kind] as unknown[]));
        }
      }),
      runsOf(60),
    );
    expect(Math.min(seen.known, seen.unknown)).toBeGreaterThan(partOf(150));
  }, 120_000);
});

const shop = {
  policies: { reader: { statements: [allow(['orders:read'], ['order:*'])] } },
  roles: { viewer: { policies: ['reader'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
};

test('questions of users whose bindings are not known are not decided', async () => {
  const lines = [
    decisionOf(),
    decisionOf({ subject: { user: 'bob' } }),
    decisionOf({ subject: { user: '' }, effect: 'Deny' }),
  ];
  const { denied, error, log, change } = await rehearse(lines, shop, { users: ['alice'] });
  expect(error.groups).toMatchObject([{ reason: 'not-known', count: 1 }]);
  expect([log.count, log.questions, log.users]).toEqual([2, 2, 2]);
  // An empty user is denied whatever bindings there are.
  expect(denied.groups.map(({ cause }) => cause.reason)).toEqual(['empty-user']);
  expect(change.items).toEqual([]);
  expect((await replay(lines, shop, { users: 'all' })).error.count).toBe(0);
});

test('with the bindings of some users a change edits no policy, because others may have the same role', async () => {
  const lines = [decisionOf({ action: 'orders:list' })];
  const kinds = async (options: object) =>
    (await rehearse(lines, shop, options)).change.items.map(({ kind, action }) => [kind, action]);
  expect(await kinds({})).toEqual([['policy', 'update']]);
  expect(await kinds({ users: ['alice'] })).not.toContainEqual(['policy', 'update']);
  expect(await kinds({ unread: { users: ['bob'] } })).not.toContainEqual(['policy', 'update']);
});

test('nothing is granted through a role with an unread policy, which may deny', async () => {
  const state = { ...shop, roles: { viewer: { policies: ['reader', 'hidden'] } } };
  const lines = [decisionOf({ subject: { user: 'bob' }, effect: 'Deny' })];
  const { change } = await rehearse(lines, state, { unread: { policies: ['hidden'] } });
  expect(change.items).toMatchObject([
    { kind: 'role', name: 'rehearsed-1', policies: ['reader'] },
    { kind: 'binding', role: 'rehearsed-1' },
  ]);
  const taken = await rehearse(lines, state, { unread: { policies: ['rehearsed-1'], roles: ['rehearsed-2'] } });
  expect(JSON.stringify(taken.change.items)).not.toMatch(/rehearsed-[12]"/);
});

test('an unread policy decides nothing where a scope or a Deny decides already', async () => {
  const state = {
    policies: { closed: { statements: [deny(['orders:*'], ['*'])] } },
    roles: { viewer: { policies: ['hidden', 'closed'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: { statements: [allow(['*'], ['order:*'])] } }],
  };
  const lines = [
    decisionOf({ effect: 'Deny' }),
    decisionOf({ action: 'bills:pay' }),
    decisionOf({ action: 'bills:pay', resource: 'bill:1' }),
  ];
  const { denied, error } = await rehearse(lines, state, { unread: { policies: ['hidden'] } });
  expect(denied.groups.map(({ cause }) => cause)).toEqual([
    { reason: 'explicit-deny', role: 'viewer', policy: 'closed', statement: 0 },
    { reason: 'nothing-allows' },
  ]);
  expect(error.count).toBe(1);
});

test('options of another kind are refused', async () => {
  await expect(rehearse([], shop, { users: 'some' as never })).rejects.toThrow('users: expected a list');
  await expect(permissionUsage([], shop, { unread: { policy: ['a'] } as never })).rejects.toThrow(
    /unread.policy: unknown \(did you mean "policies"\?\)/,
  );
});
