import { describe, expect, test } from 'vitest';
import { compare, leastPrivilege, permissionUsage, rehearse, replay } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { createEvaluator, type PolicyState } from '../../../../src/policy/index.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    keeper: { statements: [allow(['rbac:*'], ['role:*']), allow(['rbac:*'], ['policy:*'])] },
    reader: { statements: [allow(['orders:read'], ['order:*']), deny(['orders:*'], ['order:secret:*'])] },
    idle: { statements: [allow(['billing:pay'], ['*'])] },
  },
  roles: { admin: { policies: ['keeper'] }, viewer: { policies: ['reader'] }, payer: { policies: ['idle'] } },
  bindings: [
    { user: 'alice', role: 'admin', scope: everywhere },
    { user: 'bob', role: 'viewer', scope: everywhere },
    { user: 'carol', role: 'payer', scope: everywhere },
    { user: 'dan', role: 'viewer', scope: everywhere },
  ],
};
const options = { fidelity: 'sidecar' } as const;
const time = '2026-11-23T04:06:12Z';

const json = (fields: object, last: string) =>
  `${JSON.stringify({ level: 'info', ...fields, time }).slice(0, -1)},"message":${JSON.stringify(last)}}`;
const asked = { user: 'alice', action: 'rbac:GetRole', resource: 'role:x' };
const permissive = { method: 'Permissive.Evaluate', ...asked, roles: [], context: 'null' };
const pretty = 'action=rbac:GetRole context=null method=Permissive.Evaluate resource=role:x roles=[] user=alice';

/** A line of the platform for each reason: alice reads role x, and the line does not tell if she may. */
const hidingLines: readonly (readonly [reason: string, line: string])[] = [
  ['ambiguous', `${time} INF Access Granted ${pretty}`],
  ['always', json({ ...permissive, message: 'Allowed by always plugin' }, 'Access Granted')],
  ['failed', json({ ...permissive, level: 'warn', error: 'x' }, 'Failed to evaluate permission')],
  ['failed', `${time} WRN Failed to evaluate permission error="a b=c" ${pretty}`],
  ['debug', json({ ...asked, level: 'debug', policies: 1, effect: 'Deny' }, 'AUTHZ-EVAL-DIAG EvaluatePolicies')],
  [
    'debug',
    `${time} DBG AUTHZ-EVAL-DIAG EvaluatePolicies action=rbac:GetRole effect=Deny policies=1 resource=role:x user=alice`,
  ],
  ['debug', `${time} DBG Permission granted action=rbac:GetRole resource=role:x user=alice`],
  ['event', json({ ...asked, reason: 'Permission denied' }, 'Permission denied')],
  // A collector of logs kept the first of two messages.
  ['event', json(permissive, 'Explicit deny')],
  ['event', `${time} INF Permission denied action=rbac:GetRole reason="Permission denied" resource=role:x user=alice`],
];
const logOf = (...lines: readonly string[]) =>
  readDecisions(new Blob([lines.map((one) => `${one}\n`).join('')]).stream());
/** A decision about bob, so that the log has one. */
const known = JSON.stringify(decisionOf({ subject: { user: 'bob' } }));

const rest = {
  statements: [
    { policy: 'idle', statement: 0 },
    { policy: 'keeper', statement: 1 },
    { policy: 'reader', statement: 1 },
  ],
  policies: ['idle'],
  roles: ['payer'],
  bindings: [
    { user: 'carol', role: 'payer' },
    { user: 'dan', role: 'viewer' },
  ],
};

/** Bindings to one role stay together: in this fidelity their names decide for whom they count. */
const ofViewers = ['bob', 'dan'];

describe.each(hidingLines)('a line that does not tell what was decided: %s, %s', (reason, line) => {
  test('usage lists nothing that may have decided it', async () => {
    const { undecided, log: _, ...unused } = await permissionUsage(logOf(known, line), state, options);
    expect(unused).toEqual(rest);
    expect(undecided).toEqual({
      count: 1,
      firstSeen: time,
      lastSeen: time,
      groups: [{ reason, count: 1, firstSeen: time, lastSeen: time, lines: [{ line: 2 }] }],
    });
  });

  test('leastPrivilege keeps what may have allowed it, narrowed, and names the line', async () => {
    const { state: least, undecided, notGranted } = await leastPrivilege(logOf(known, line), state, options);
    expect(least.isAllowed({ user: 'alice', action: 'rbac:GetRole', resource: 'role:x' })).toBe(true);
    expect(least.policy('keeper')?.statements).toEqual([allow(['rbac:GetRole'], ['role:x'])]);
    expect(least.bindings().map(({ user }) => user)).toEqual(['alice', ...ofViewers]);
    expect([undecided.groups[0]?.lines, notGranted]).toEqual([[{ line: 2 }], []]);
  });

  test('replay counts it apart: neither state flips it', async () => {
    for (const after of [state, {}]) {
      const { gained, revoked, undecided, log, unchanged } = await replay(logOf(line), after, options);
      expect([gained.count, revoked.count, unchanged.count, undecided.count]).toEqual([0, 0, 0, 1]);
      expect(log.count).toBe(reason === 'ambiguous' || reason === 'always' ? 1 : 0);
    }
  });

  test('a decision elsewhere in the log tells what its steps hide', async () => {
    const told = json({ ...permissive, message: 'Access Granted' }, 'Access Granted');
    const { undecided, unchanged } = await replay(logOf(line, told), state, options);
    const isStep = reason === 'debug' || reason === 'event';
    expect([undecided.count, unchanged.count]).toEqual([isStep ? 0 : 1, 1]);
    // A decision about another user tells nothing.
    const other = told.replace('alice', 'bob');
    expect((await replay(logOf(line, other), {}, options)).undecided.count).toBe(1);
  });
});

test('a request that was let through is rehearsed, though the log does not tell what was evaluated', async () => {
  const lines = hidingLines.slice(0, 2).map(([, line]) => line);
  const { denied, undecided, change } = await rehearse(logOf(...lines), {});
  expect([denied.count, undecided.count]).toEqual([2, 0]);
  expect(change.state.isAllowed({ user: 'alice', action: 'rbac:GetRole', resource: 'role:x' })).toBe(true);
  expect(await rehearse(logOf(...lines), state)).toMatchObject({ denied: { count: 0 }, log: { count: 2 } });
  const hidden = await rehearse(logOf(...hidingLines.slice(2, 6).map(([, line]) => line)), {});
  expect(hidden).toMatchObject({ denied: { count: 0 }, undecided: { count: 4 }, log: { count: 0 } });
});

test('a baseline decides lines whose decision the log does not tell', async () => {
  const [, line = ''] = hidingLines[0] ?? [];
  const both = await replay(logOf(line), {}, { ...options, baseline: state });
  expect([both.revoked.count, both.undecided.count]).toEqual([1, 0]);
  const same = await replay(logOf(line), state, { ...options, baseline: state });
  expect([same.unchanged.count, same.undecided.count]).toEqual([1, 0]);
});

describe('a line that hides a part of its question', () => {
  const hide = (fields: Partial<DecisionLine>) => [decisionOf({ resource: 'order:1', ...fields })];
  const unusedOf = async (fields: Partial<DecisionLine>, fidelity: 'documented' | 'sidecar' = 'sidecar') => {
    const { statements, roles, bindings } = await permissionUsage(hide(fields), state, { fidelity });
    return {
      statements: statements.map(({ policy, statement }) => `${policy} ${statement}`).join(),
      roles: roles.join(),
      users: bindings.map(({ user }) => user).join(),
    };
  };
  const hash = { userHash: 'x', groups: [] };

  test.each<[string, Partial<DecisionLine>, object]>([
    [
      'the user',
      { subject: hash },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol' },
    ],
    [
      'the user, masked',
      { subject: {}, masked: ['/subject/user'] },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol' },
    ],
    [
      'the subject',
      { subject: {}, masked: ['/subject'] },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol' },
    ],
    [
      'the action',
      { subject: { user: 'bob' }, masked: ['/action'] },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol,dan' },
    ],
    [
      'the resource',
      { subject: { user: 'bob' }, masked: ['/resource'] },
      { statements: 'idle 0,keeper 0,keeper 1', roles: 'admin,payer', users: 'alice,carol,dan' },
    ],
    [
      'user and action',
      { subject: hash, masked: ['/action'] },
      { statements: 'keeper 0,keeper 1,reader 1', roles: 'admin', users: 'alice' },
    ],
    ['all of it', { subject: hash, masked: ['/action', '/resource'] }, { statements: '', roles: '', users: '' }],
    [
      'the groups, which do not count',
      { subject: { user: 'eve' }, masked: ['/subject/groups'] },
      {
        statements: 'idle 0,keeper 0,keeper 1,reader 0,reader 1',
        roles: 'admin,payer,viewer',
        users: 'alice,bob,carol,dan',
      },
    ],
    [
      'nothing that counts',
      { subject: { user: 'bob' }, masked: ['/context'] },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol,dan' },
    ],
    [
      'the decision: it failed',
      { subject: { user: 'bob' }, reason: 'failed', effect: 'Deny' },
      { statements: 'idle 0,keeper 0,keeper 1,reader 1', roles: 'admin,payer', users: 'alice,carol,dan' },
    ],
  ])('%s: usage lists nothing that may have decided it', async (_, fields, unused) => {
    expect(await unusedOf(fields)).toEqual(unused);
  });

  test('where the roles of a request count, hidden ones may be any', async () => {
    const masked = { subject: { user: 'eve' }, masked: ['/subject/groups'] };
    expect(await unusedOf(masked, 'documented')).toMatchObject({ roles: 'admin,payer', users: 'alice,bob,carol,dan' });
    const named = { subject: { userHash: 'x', groups: ['payer'] } };
    expect(await unusedOf(named, 'documented')).toMatchObject({ roles: 'admin,payer', users: 'alice,carol' });
  });

  test('leastPrivilege narrows the parts that the line has, and keeps the hidden parts whole', async () => {
    const least = async (fields: Partial<DecisionLine>) => (await leastPrivilege(hide(fields), state, options)).state;
    const ofHash = await least({ subject: hash });
    expect(ofHash.policy('reader')?.statements).toEqual([
      deny(['orders:*'], ['order:secret:*']),
      allow(['orders:read'], ['order:1']),
    ]);
    expect(ofHash.bindings().map(({ user }) => user)).toEqual(['bob', 'dan']);
    expect([ofHash.roles(), ofHash.policies()]).toEqual([['viewer'], ['reader']]);
    const ofBob = await least({ subject: { user: 'bob' }, masked: ['/resource'] });
    expect(ofBob.policy('reader')?.statements).toEqual([
      deny(['orders:*'], ['order:secret:*']),
      allow(['orders:read'], ['order:*']),
    ]);
    expect(ofBob.bindings().map(({ user }) => user)).toEqual(ofViewers);
    expect(compare(createEvaluator(state, options), ofBob).gained).toEqual([]);
    // It is known that it was denied.
    expect((await least({ subject: hash, effect: 'Deny' })).policies()).toEqual([]);
    expect((await least({ subject: { user: 'bob' }, reason: 'failed', effect: 'Deny' })).policies()).toEqual([
      'reader',
    ]);
  });

  test('keeps what an unread policy or unknown bindings may have decided together with the parts that are read', async () => {
    const { roles, bindings } = await permissionUsage(hide({ subject: hash, action: 'a:b', resource: 'x' }), state, {
      ...options,
      unread: { policies: ['lost'], roles: [] },
      users: ['bob'],
    });
    expect([roles.length, bindings.length]).toEqual([3, 4]);
    const lacking = { ...state, roles: { ...state.roles, odd: { policies: ['lost'] } } };
    const found = await permissionUsage(hide({ subject: hash, action: 'a:b', resource: 'x' }), lacking, {
      ...options,
      unread: { policies: ['lost'] },
      users: ['bob'],
    });
    expect(found.roles).toEqual(['admin', 'payer', 'viewer']);
  });
});

test('a scope counts as used if it may have denied a hidden question', async () => {
  const scope = { statements: [allow(['*'], ['*']), deny(['rbac:*'], ['role:x'])] };
  const scoped = {
    ...state,
    bindings: [
      { user: 'alice', role: 'viewer', scope },
      { user: 'bob', role: 'viewer', scope: everywhere },
    ],
  };
  const { roles, bindings } = await permissionUsage(
    [decisionOf({ subject: { userHash: 'x' }, action: 'rbac:GetRole', resource: 'role:x' })],
    scoped,
    options,
  );
  expect([roles, bindings]).toEqual([['admin', 'payer'], [{ user: 'bob', role: 'viewer' }]]);
});

test('lines without a question hide nothing that can be counted', async () => {
  const lines = [
    json({ level: 'debug', token_len: 3, items: 1 }, 'AUTHZ-EVAL-DIAG EvaluateTokenMany entry'),
    `${time} DBG AUTHZ-EVAL-DIAG response effect=Allow item_0_effect=Allow user=alice`,
    `${time} INF Policy created policy=x user=alice`,
    `${time} DBG a line without any value`,
    `${time} DBG x action=a resource="b user=alice`,
    json({ ...asked, user: '', level: 'debug' }, 'AUTHZ-EVAL-DIAG EvaluatePolicies'),
    json({ ...permissive, user: '', message: 'Allowed by always plugin' }, 'Access Granted'),
    `${time} DBG Permission granted action=rbac:GetRole resource=role:x user=alice ${'x'.repeat(16_000)}=1`,
  ];
  const log = logOf(...lines);
  expect((await permissionUsage(log, state, options)).undecided).toMatchObject({ count: 0, groups: [] });
  expect(log.summary.skipped.reduce((sum, { count }) => sum + count, 0)).toBe(lines.length);
});

test('at most 20 lines are named, and all are counted', async () => {
  const [, line = ''] = hidingLines[0] ?? [];
  const { undecided } = await permissionUsage(logOf(...Array.from({ length: 30 }, () => line)), state, options);
  expect([undecided.count, undecided.groups[0]?.lines.length]).toEqual([30, 20]);
});

test('iterating a log yields only its decisions', async () => {
  const items: unknown[] = [];
  for await (const item of logOf(known, ...hidingLines.map(([, line]) => line))) items.push(item);
  expect(items).toHaveLength(1);
});
