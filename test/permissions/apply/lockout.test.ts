import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import {
  ApplyError,
  apply,
  formatPlan,
  type PermissionsState,
  type PlanOptions,
  plan,
  readCaller,
  readState,
} from '../../../src/permissions/index.ts';
import type { Binding, Fidelity, Policy, Role } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { manageAll } from '../support/states.ts';

const granting = (action: string, ...resources: string[]): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: resources.length > 0 ? resources : ['*'] }],
});

/** A state in short: policies, the policies of each role, and bindings as `user role`, everywhere. */
const stateOf = (
  policies: Readonly<Record<string, Policy>>,
  roles: Readonly<Record<string, readonly string[]>>,
  bindings: readonly string[],
): PermissionsState => ({
  policies: new Map(Object.entries(policies)),
  roles: new Map(Object.entries(roles).map(([name, its]) => [name, { policies: its }])),
  bindings: bindings.map((one) => {
    const [user = '', role = ''] = one.split(' ');
    return { user, role, scope: everything };
  }),
  users: 'all',
});

const admins = { 'admin-all': granting('rbac:*'), reader: granting('orders:read') };

interface Opened {
  readonly fidelity?: Fidelity;
  /** The owner of the token that applies. */
  readonly user?: string;
  readonly groups?: readonly string[];
  /** The users whose bindings are read. */
  readonly users?: readonly string[];
}

/** A mock on a port with a state, and clients of an ordinary admin and of the superuser. */
async function open(from: PermissionsState, { fidelity = 'sidecar', user = 'ann', groups = [], users }: Opened = {}) {
  const config: MockConfig = {
    fidelity,
    policies: Object.fromEntries(from.policies),
    roles: Object.fromEntries(from.roles),
    bindings: from.bindings as Binding[],
  };
  const mock = await createMock(config);
  const server = await listen(mock);
  onTestFinished(async () => {
    await server.close();
    await mock[Symbol.asyncDispose]();
  });
  const as = async (identity: { user: string | null; groups?: string[] }) =>
    createClient({ url: server.url, credentials: credentials.bearer(await mock.tokens.issue(identity)) });
  const admin = await as({ user, groups: [...groups] });
  const superuser = await as({ user: null });
  const known = users ?? [...new Set(from.bindings.map((one) => one.user))];
  const planned = async (to: PermissionsState, options: PlanOptions = {}) => {
    const current = await readState(admin, { users: known });
    const caller = await readCaller(admin);
    return plan(current, to, { prune: true, manage: manageAll, fidelity, caller, ...options });
  };
  /** What is left to do, as the superuser sees it. */
  const left = async (to: PermissionsState) =>
    plan(await readState(superuser, { users: known }), to, { prune: true, manage: manageAll, fidelity }).changes.length;
  const writes = () => mock.requests.filter(({ method }) => method !== 'GET' && method !== 'HEAD').length;
  return { mock, admin, superuser, planned, left, writes };
}

const quick = { settleMs: 0, concurrency: 4 };

describe.each(['revoke-first', 'grant-first'] as const)('the caller loses nothing before it is done: %s', (order) => {
  test.each<[string, PermissionsState, PermissionsState]>([
    [
      'a role is renamed while another right changes',
      stateOf(admins, { admin: ['admin-all', 'reader'] }, ['ann admin', 'bob admin']),
      stateOf({ ...admins, reader: granting('orders:list') }, { operator: ['admin-all', 'reader'] }, [
        'ann operator',
        'bob operator',
      ]),
    ],
    [
      'rights move to a policy of another name',
      stateOf({ old: granting('*') }, { admin: ['old'] }, ['ann admin']),
      stateOf({ manage: granting('rbac:*'), shop: granting('orders:*') }, { admin: ['manage', 'shop'] }, ['ann admin']),
    ],
    [
      'the pattern that grants them changes',
      stateOf({ custom: granting('*') }, { boss: ['custom'] }, ['ann boss', 'bob boss']),
      stateOf({ custom: granting('rbac:*') }, { boss: ['custom'], chief: ['custom'] }, ['ann chief', 'bob boss']),
    ],
  ])('%s', async (_, from, to) => {
    for (const fidelity of ['documented', 'sidecar'] as const) {
      const { admin, planned, left } = await open(from, { fidelity });
      const made = await planned(to, { order });
      expect(made.own).toMatchObject({ user: 'ann', missing: [], lost: [] });
      await apply(admin, made, quick);
      expect(await left(to)).toBe(0);
    }
  });

  test('a file without the admin, with prune: reported, refused, and completed if lockout is allowed', async () => {
    const shop = { 'admin-all': admins['admin-all'], reader: admins.reader };
    const from = stateOf(shop, { admin: ['admin-all'], viewer: ['reader'] }, ['ann admin', 'carl viewer', 'zoe admin']);
    const to = stateOf(shop, { admin: ['admin-all'] }, ['zoe admin']);
    const { admin, planned, left, writes } = await open(from);
    const made = await planned(to, { order });
    expect(made.own).toMatchObject({ missing: [], lost: [{ action: 'rbac:*', resource: '*' }] });
    const [first, second] = formatPlan(made).split('\n');
    expect(first).toBe('Self-lockout: user "ann", who applies this plan,');
    expect(second).toBe('  has no rbac:* on * any more in the end');
    await expect(apply(admin, made, quick)).rejects.toMatchObject({
      code: 'APPLY',
      done: [],
      own: { user: 'ann' },
      message: expect.stringMatching(/^refused, because user "ann".*allowSelfLockout.*nothing was written$/),
    });
    expect(writes()).toBe(0);
    // The caller's own binding is last, so that all calls are made.
    await apply(admin, made, { ...quick, allowSelfLockout: true });
    expect(await left(to)).toBe(0);
  });

  test('a plan that no order completes names the call and the change that prevents it', async () => {
    const from = stateOf(admins, { admin: ['admin-all'] }, ['ann admin']);
    const { admin, planned, writes } = await open(from);
    const made = await planned(stateOf({}, {}, []), { order });
    expect(made.own?.missing.some(({ lostBy }) => lostBy !== undefined)).toBe(true);
    expect(formatPlan(made)).toContain('no order of the calls was found that keeps what they need');
    await expect(apply(admin, made, quick)).rejects.toMatchObject({ code: 'APPLY', done: [] });
    expect(writes()).toBe(0);
  });
});

test('a binding under another name that counts for the caller is treated as one of the caller', async () => {
  // The services find the bindings of ann by the prefix `ann:`.
  const from = stateOf({ 'admin-all': granting('rbac:*') }, { admin: ['admin-all'] }, ['ann:eu admin', 'zoe admin']);
  const to = stateOf({ 'admin-all': granting('rbac:*') }, { admin: ['admin-all'] }, ['zoe admin']);
  for (const users of [
    ['ann:eu', 'zoe'],
    ['ann:eu', 'ann', 'zoe'],
  ]) {
    const { admin, planned, writes } = await open(from, { users });
    const made = await planned(to, users.length > 2 ? { manage: { ...manageAll, users: ['ann:eu'] } } : {});
    expect(made.own?.lost).toMatchObject([{ action: 'rbac:*', resource: '*' }]);
    await expect(apply(admin, made, quick)).rejects.toMatchObject({ done: [], own: { user: 'ann' } });
    expect(writes()).toBe(0);
  }
});

test('a caller whose groups are its roles may lose them by a role or a policy: documented fidelity', async () => {
  const from = stateOf({ 'admin-all': granting('rbac:*') }, { operators: ['admin-all'] }, ['bob operators']);
  const opened = { fidelity: 'documented', user: 'ann', groups: ['operators'] } as const;
  const { admin, planned, left, writes } = await open(from, opened);
  const made = await planned(stateOf({ 'admin-all': granting('rbac:Get*') }, { operators: ['admin-all'] }, []));
  await expect(apply(admin, made, quick)).rejects.toMatchObject({ done: [], own: { groups: ['operators'] } });
  expect(writes()).toBe(0);
  const kept = stateOf({ 'admin-all': granting('*') }, { operators: ['admin-all'] }, []);
  await apply(admin, await planned(kept), quick);
  expect(await left(kept)).toBe(0);
});

test('a plan of a token that cannot see its own bindings says so, and apply goes on', async () => {
  const from = stateOf({ few: granting('rbac:*Policy') }, { admin: ['few'] }, ['ann admin']);
  const { admin } = await open(from);
  const current = await readState(admin, { users: [] }).catch(() => undefined);
  expect(current).toBeUndefined();
  const caller = await readCaller(admin);
  expect(caller).toMatchObject({ user: 'ann', unknown: 'the token has no rbac:ListUserRoleBinding on "ann"' });
  const state = { ...stateOf({}, {}, []), users: [] };
  const made = plan(state, { ...state, policies: new Map([['new', granting('a:b')]]) }, { caller });
  expect(formatPlan(made)).toMatch(/^Not known: what the caller may do .* no rbac:ListUserRoleBinding on "ann"\.\n/);
  expect(await apply(admin, made, quick)).toMatchObject({ wrote: 1 });
});

test('a saved plan is judged by the token that applies it', async () => {
  const from = stateOf(
    { all: granting('*'), look: granting('rbac:Get*'), list: granting('rbac:List*') },
    {
      admin: ['all'],
      auditor: ['look', 'list'],
    },
    ['ann admin', 'eve auditor'],
  );
  const to = { ...from, policies: new Map([...from.policies, ['new', granting('a:b')]]) };
  const { admin, planned, left } = await open(from, { user: 'eve' });
  const made = await planned(to);
  expect(made.own).toMatchObject({
    missing: [{ action: 'rbac:CreatePolicy', resource: 'new', item: { name: 'new' } }],
  });
  expect(formatPlan(made)).toMatch(/^Missing permissions: user "eve".*apply with another token/s);
  await expect(apply(admin, made, quick)).rejects.toMatchObject({ done: [], own: { user: 'eve' } });
  const second = await open(from, { user: 'ann' });
  await apply(second.admin, made, quick);
  expect(await second.left(to)).toBe(0);
  expect(await left(to)).toBe(1);
});

test.each(['always', 'central-permissive'] as const)(
  'where the services allow everything (%s), a plan is not refused',
  async (type) => {
    const mock = await createMock({ fidelity: 'sidecar', authorization: { type } });
    const client = createClient({
      ...mock.connection,
      credentials: credentials.bearer(await mock.tokens.issue({ user: 'ann' })),
    });
    const current = await readState(client, { users: [] });
    const made = plan(current, { ...current, policies: new Map([['p', granting('a:b')]]) }, { fidelity: 'sidecar' });
    expect(await apply(client, made, quick)).toMatchObject({ wrote: 1 });
  },
);

// Small states in which the rights of ann come and go.
const adminPolicies = ['rbac', 'half', 'rest', 'shop'];
const rules = ['rbac:*', 'rbac:*Policy', 'rbac:*Role', 'orders:*', '*'];
const policyArb = fc.record({ action: fc.constantFrom(...rules), deny: fc.boolean() }).map(({ action, deny }) => ({
  statements: [
    { effect: 'Allow' as const, actions: [action], resources: ['*'] },
    ...(deny ? [{ effect: 'Deny' as const, actions: ['rbac:DeleteRole'], resources: ['r1'] }] : []),
  ],
}));
const sideArb = fc.record({
  policies: fc.tuple(...adminPolicies.map(() => fc.option(policyArb, { freq: 4 }))),
  roles: fc.tuple(...['r1', 'r2', 'r3'].map(() => fc.option(fc.subarray(adminPolicies), { freq: 3 }))),
  bindings: fc.subarray(['ann r1', 'ann r2', 'bob r1', 'bob r2', 'ann:x r3']),
});
const toState = (
  { policies, roles, bindings }: typeof sideArb extends fc.Arbitrary<infer T> ? T : never,
  isFile: boolean,
) =>
  stateOf(
    Object.fromEntries(policies.flatMap((one, i) => (one ? [[adminPolicies[i], one]] : []))),
    Object.fromEntries(roles.flatMap((one, i) => (one ? [[`r${i + 1}`, one]] : []))),
    // A file may not name a user with a colon.
    bindings.filter((one) => !isFile || !one.includes(':')),
  );

/** Ann stays an admin, by another role. */
const keepingAnn = (file: PermissionsState): PermissionsState => ({
  ...file,
  policies: new Map([...file.policies, ['keep', granting('*')]]),
  roles: new Map<string, Role>([...file.roles, ['keeper', { policies: ['keep'] }]]),
  bindings: [...file.bindings, { user: 'ann', role: 'keeper', scope: everything }],
});
const orderArb = fc.constantFrom('revoke-first' as const, 'grant-first' as const);

test('random plans by an admin’s token over a port: completed, or refused before the first write', async () => {
  const ends = { completed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(sideArb, sideArb, orderArb, fc.boolean(), async (one, other, order, isKept) => {
      const [before, file] = [toState(one, false), toState(other, true)];
      const to = isKept ? keepingAnn(file) : file;
      // Ann is an admin at first, by a role of her own.
      const from: PermissionsState = {
        ...before,
        policies: new Map([...before.policies, ['own', granting('rbac:*')]]),
        roles: new Map<string, Role>([...before.roles, ['r2', { policies: ['own'] }]]),
        bindings: [
          ...before.bindings.filter(({ user, role }) => user !== 'ann' || role !== 'r2'),
          { user: 'ann', role: 'r2', scope: everything },
        ],
      };
      const { admin, planned, left, writes } = await open(from, { users: ['ann', 'bob', 'ann:x'] });
      const made = await planned(to, { order });
      const result = await apply(admin, made, quick).then(
        () => 'completed' as const,
        (error) => {
          expect(error).toBeInstanceOf(ApplyError);
          expect([error.message, error.own?.user]).toEqual([expect.stringContaining('refused'), 'ann']);
          return 'refused' as const;
        },
      );
      ends[result]++;
      if (result === 'refused') expect(writes()).toBe(0);
      else expect(await left(to)).toBe(0);
    }),
    runsOf(40),
  );
  // Otherwise it would have shown nothing.
  expect(ends.completed).toBeGreaterThanOrEqual(partOf(4));
  expect(ends.refused).toBeGreaterThanOrEqual(partOf(4));
});
