import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { checkOwn } from '../../../src/permissions/apply/own-check.ts';
import type { ItemContent, PlanChange, PlanStage } from '../../../src/permissions/model/plan-change.ts';
import type { Plan } from '../../../src/permissions/plan/plan.ts';
import type { Fidelity, Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';

const allow = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const readers = allow('rbac:Get*', 'rbac:List*');
const admin = allow('rbac:*');

type Item = { kind: 'policy' | 'role'; name: string } | { kind: 'binding'; user: string; role: string };

/** A call of a plan: an item, and its content before and after. */
type Written = readonly [item: Item, before: ItemContent, after: ItemContent];

/** A plan of calls, each in a stage of its own. */
function planOf(fidelity: Fidelity, ...calls: readonly Written[]): Plan {
  const items = [...new Map(calls.map((call) => [JSON.stringify(call[0]), call] as const)).values()];
  const changes = items.map(([item, , after]): PlanChange => {
    const before = calls.find((call) => JSON.stringify(call[0]) === JSON.stringify(item))?.[1] ?? null;
    return { ...item, action: 'update', reason: '', before, after } as PlanChange;
  });
  const stages = calls.map(([item, , content]): PlanStage => {
    return [{ change: items.findIndex((one) => JSON.stringify(one[0]) === JSON.stringify(item)), content }];
  });
  // The cast: the other fields of a plan are not looked at.
  return { changes, stages, fidelity } as unknown as Plan;
}

interface Opened {
  readonly fidelity?: Fidelity;
  readonly user?: string | null;
  readonly groups?: string[];
}

/** A mock with a state, a client of ann, and the names of the items that she reads. */
async function open(config: MockConfig, { fidelity = 'sidecar', user = 'ann', groups = [] }: Opened = {}) {
  const mock = await createMock({ fidelity, ...config });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user, groups });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token), retry: 0 });
  const read: string[] = [];
  mock.onRequest(({ path }) => void read.push(...(/(?:policy|role)\/[^/]+$/.exec(path) ?? [])));
  return { mock, client, read };
}

const bound = (user: string, role: string) => ({ user, role, scope: everything });
const needsOf = (list: readonly { action: string; resource: string }[]) =>
  list.map(({ action, resource }) => `${action} ${resource}`);

describe('the caller’s permissions are computed from what it has and gets', () => {
  const state: MockConfig = {
    policies: { mine: readers, more: admin, theirs: admin, later: admin },
    roles: {
      viewer: { policies: ['mine'] },
      boss: { policies: ['more'] },
      other: { policies: ['theirs'] },
      named: { policies: [] },
    },
    bindings: [bound('ann', 'viewer')],
  };

  test.each<[string, Fidelity, readonly Written[], string[]]>([
    ['nothing else', 'sidecar', [], ['policy/mine', 'role/viewer']],
    [
      'the role that it is given, and its policies',
      'sidecar',
      [[{ kind: 'binding', user: 'ann', role: 'boss' }, null, everything]],
      ['policy/mine', 'policy/more', 'role/boss', 'role/viewer'],
    ],
    [
      'no role of others',
      'documented',
      [
        [{ kind: 'binding', user: 'bob', role: 'boss' }, null, everything],
        [{ kind: 'binding', user: 'ann:eu', role: 'other' }, null, everything],
      ],
      ['policy/mine', 'role/viewer'],
    ],
    [
      'the role of a binding whose name begins with the user’s, where that counts',
      'sidecar',
      [
        [{ kind: 'binding', user: 'ann:eu', role: 'other' }, null, everything],
        [{ kind: 'binding', user: 'annex', role: 'boss' }, null, everything],
      ],
      ['policy/mine', 'policy/theirs', 'role/other', 'role/viewer'],
    ],
    [
      'the policies that its role gets, and not those of other roles',
      'sidecar',
      [
        [{ kind: 'role', name: 'viewer' }, { policies: ['mine'] }, { policies: ['mine', 'later'] }],
        [{ kind: 'role', name: 'other' }, { policies: ['theirs'] }, { policies: ['theirs', 'more'] }],
        [{ kind: 'role', name: 'viewer' }, { policies: ['mine', 'later'] }, null],
      ],
      ['policy/later', 'policy/mine', 'role/viewer'],
    ],
  ])('reads %s', async (_, fidelity, calls, names) => {
    const { client, read } = await open(state, { fidelity });
    await checkOwn(client, planOf(fidelity, ...calls), undefined);
    expect(read.sort()).toEqual(names);
  });

  test('the groups of a token are roles in documented fidelity alone', async () => {
    for (const [fidelity, names] of [
      ['documented', ['policy/mine', 'role/named', 'role/viewer']],
      ['sidecar', ['policy/mine', 'role/viewer']],
    ] as const) {
      const { client, read } = await open(state, { fidelity, groups: ['named'] });
      await checkOwn(client, planOf(fidelity), undefined);
      expect(read.sort()).toEqual(names);
    }
  });

  test('a role or policy that does not exist grants the caller nothing to lose', async () => {
    const { client } = await open({ roles: { viewer: { policies: ['gone'] } }, bindings: [bound('ann', 'viewer')] });
    const { client: second } = await open({ policies: {}, bindings: [bound('ann', 'gone')] });
    for (const one of [client, second]) {
      expect(
        await checkOwn(
          { authorization: one.authorization, authentication: one.authentication },
          planOf('sidecar'),
          undefined,
        ),
      ).toMatchObject({
        user: 'ann',
        lost: [],
      });
    }
  });
});

describe('an item that cannot be read', () => {
  const role = { roles: { viewer: { policies: ['mine'] } }, bindings: [bound('ann', 'viewer')] };

  test('because it is forbidden, leaves the caller unknown, and names what it needs', async () => {
    const { client } = await open({ ...role, policies: { mine: allow('rbac:List*') } });
    expect(await checkOwn(client, planOf('sidecar'), undefined)).toEqual({
      user: 'ann',
      groups: [],
      unknown: 'the token has no rbac:GetRole on "viewer"',
      missing: [],
      lost: [],
    });
  });

  test('for another reason, fails the check', async () => {
    const { client, mock } = await open({ ...role, policies: { mine: readers } });
    mock.fail({ path: '/_management/permissions/policy/mine', status: 500 });
    await expect(checkOwn(client, planOf('sidecar'), undefined)).rejects.toMatchObject({ status: 500 });
  });
});

test('each read gets the signal of the caller', async () => {
  const { client } = await open({
    policies: { mine: readers },
    roles: { viewer: { policies: ['mine'] } },
    bindings: [bound('ann', 'viewer')],
  });
  const { signal } = new AbortController();
  const { policies, roles, bindings } = client.authorization;
  const seen: unknown[] = [];
  const watch = <T extends { get: (name: string, options?: object) => unknown }>(items: T): T =>
    Object.assign(Object.create(items), {
      get: (name: string, options?: object) => {
        seen.push(options);
        return items.get(name, options);
      },
    });
  const authorization = { policies: watch(policies), roles: watch(roles), bindings };
  await checkOwn({ authentication: client.authentication, authorization }, planOf('sidecar'), signal);
  expect(seen).toEqual([{ signal }, { signal }]);
});

describe('the calls that an earlier run of the plan may have made', () => {
  const state: MockConfig = {
    policies: { mine: admin },
    roles: { boss: { policies: ['mine'] } },
    bindings: [bound('ann', 'boss')],
  };
  const mine = { kind: 'policy', name: 'mine' } as const;
  const half = allow('rbac:*Policy', 'rbac:Get*', 'rbac:List*');
  const created: Written = [{ kind: 'role', name: 'new' }, null, { policies: [] }];
  /** The deployment after a run that has written a policy of the caller. */
  const written = (policy: Policy) => open({ ...state, policies: { mine: policy } });
  const order = planOf('sidecar', [mine, admin, half], created, [mine, half, allow('*')]);

  test('before the first run, the permission that the first call takes is missing for a later call', async () => {
    const { client } = await open(state);
    expect(await checkOwn(client, order, undefined)).toMatchObject({
      missing: [{ action: 'rbac:CreateRole', resource: 'new', lostBy: { name: 'mine' } }],
    });
  });

  test('after a first call by an earlier run, the permission that it took is missing before all calls', async () => {
    const { client } = await written(half);
    const { missing } = await checkOwn(client, order, undefined);
    expect(needsOf(missing)).toEqual(['rbac:CreateRole new']);
    expect(missing[0]?.lostBy).toBeUndefined();
  });

  test('are left out if the item already has the content of the last call', async () => {
    const { client } = await written(allow('*'));
    expect(await checkOwn(client, order, undefined)).toMatchObject({ missing: [], lost: [] });
  });

  test('are recognized by the content of a role or a binding of the caller, too', async () => {
    const boss = { kind: 'role', name: 'boss' } as const;
    const [less, more] = [{ policies: ['few'] }, { policies: ['mine'] }];
    const roles = planOf('sidecar', [boss, { policies: ['mine', 'few'] }, less], created, [boss, less, more]);
    const ofRole = await open({ ...state, policies: { ...state.policies, few: readers } });
    expect((await checkOwn(ofRole.client, roles, undefined)).missing).toEqual([]);
    const binding = { kind: 'binding', user: 'ann', role: 'boss' } as const;
    const bindings = planOf('sidecar', [binding, readers, null], created, [binding, null, everything]);
    const ofBinding = await open(state);
    expect((await checkOwn(ofBinding.client, bindings, undefined)).missing).toEqual([]);
    // A binding of another user is not looked up, so its calls are left.
    const others = planOf('sidecar', [{ kind: 'binding', user: 'bob', role: 'boss' }, null, null]);
    const few = await open({ ...state, policies: { mine: readers } });
    expect(needsOf((await checkOwn(few.client, others, undefined)).missing)).toEqual(['rbac:RemoveUserRole bob']);
  });
});

describe('a binding under another name', () => {
  const state: MockConfig = {
    policies: { mine: admin },
    roles: { boss: { policies: ['mine'] } },
    bindings: [bound('ann:eu', 'boss')],
  };
  const eu = { kind: 'binding', user: 'ann:eu', role: 'boss' } as const;

  test('whose removal takes the caller’s permissions is named as lost', async () => {
    const { client } = await open(state);
    const { lost } = await checkOwn(client, planOf('sidecar', [eu, everything, null]), undefined);
    expect(lost).toMatchObject([{ action: 'rbac:*', resource: '*' }]);
  });

  test('counts only after the call that assigns it', async () => {
    const { client } = await open({ ...state, bindings: [bound('ann', 'boss')] });
    const assigned = planOf('sidecar', [{ ...eu, role: 'late' }, null, everything]);
    expect(await checkOwn(client, assigned, undefined)).toMatchObject({ missing: [], lost: [] });
  });
});

describe('permissions that the bindings do not explain', () => {
  const state: MockConfig = {
    policies: { mine: readers },
    roles: { viewer: { policies: ['mine'] } },
    bindings: [bound('ann', 'viewer')],
  };
  const created = (count: number) =>
    Array.from({ length: count }, (_, i): Written => [{ kind: 'role', name: `r${i}` }, null, { policies: [] }]);

  test.each([
    [1, 1],
    [10, 10],
    [11, 10],
  ])('are asked for: %i of them by %i questions', async (count, most) => {
    const { client } = await open(state);
    const asked: string[] = [];
    const { signal } = new AbortController();
    const checking = {
      authentication: client.authentication,
      authorization: Object.assign(Object.create(client.authorization), {
        checkSelf: async ({ action, resource }: { action: string; resource: string }, options: object) => {
          asked.push(`${action} ${resource}`);
          expect(options).toEqual({ signal });
          return { allowed: false };
        },
      }),
    };
    const { missing } = await checkOwn(checking, planOf('sidecar', ...created(count)), signal);
    expect(missing).toHaveLength(count);
    expect(asked).toEqual(needsOf(missing).slice(0, most));
  });

  test('leave the caller unknown if the services allow one', async () => {
    const { client } = await open(state);
    const { policies, roles, bindings } = client.authorization;
    const { authentication } = client;
    const plan = planOf('sidecar', ...created(2));
    const checkSelf = async ({ resource }: { resource: string }) => ({ allowed: resource === 'r1' });
    // The cast: no other part of the decision is looked at.
    const authorization = { policies, roles, bindings, checkSelf } as unknown as typeof client.authorization;
    expect(await checkOwn({ authentication, authorization }, plan, undefined)).toMatchObject({
      unknown: 'the services allow more than the bindings of the caller explain',
      missing: [],
    });
    // Without a way to ask, they are missing.
    const unasked = { authentication, authorization: { policies, roles, bindings } };
    expect((await checkOwn(unasked, plan, undefined)).missing).toHaveLength(2);
  });

  test('are not checked once the plan itself has removed them', async () => {
    const { client } = await open({ ...state, policies: { mine: admin } });
    const { policies, roles, bindings } = client.authorization;
    // The cast: as above.
    const checkSelf = (() => expect.unreachable()) as unknown as typeof client.authorization.checkSelf;
    const plan = planOf('sidecar', [{ kind: 'policy', name: 'mine' }, admin, readers], ...created(1));
    const asking = { authentication: client.authentication, authorization: { policies, roles, bindings, checkSelf } };
    expect(needsOf((await checkOwn(asking, plan, undefined)).missing)).toEqual(['rbac:CreateRole r0']);
  });
});

test('the superuser is not looked at, and a client that cannot identify its token is unknown', async () => {
  const { client, read } = await open({}, { user: null });
  const plan = planOf('sidecar', [{ kind: 'role', name: 'r' }, null, { policies: [] }]);
  const none = { user: undefined, groups: [], missing: [], lost: [] };
  expect(await checkOwn(client, plan, undefined)).toEqual({ ...none, unknown: undefined });
  expect(await checkOwn({ authorization: client.authorization }, plan, undefined)).toEqual({
    ...none,
    unknown: 'the client cannot identify its token',
  });
  expect(read).toEqual([]);
});
