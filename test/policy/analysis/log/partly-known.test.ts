// What is told of questions that depend on parts of the deployment that a state lacks, and which parts they may use.
import { describe, expect, test } from 'vitest';
import { leastPrivilege, permissionUsage, replay } from '../../../../src/policy/analysis/index.ts';
import { leastForQuestions } from '../../../../src/policy/analysis/log/least-privilege.ts';
import { QuestionsReader, readQuestions } from '../../../../src/policy/analysis/log/read-questions.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { createEvaluator, type PolicyState } from '../../../../src/policy/index.ts';
import { prettyLine } from '../../decisions/platform-lines.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: { statements: [allow(['orders:read'], ['order:*']), deny(['orders:*'], ['order:secret:*'])] },
    payer: { statements: [allow(['bills:pay'], ['*']), allow(['orders:read'], ['bill:*'])] },
  },
  roles: { viewer: { policies: ['reader', 'hidden'] }, clerk: { policies: ['payer'] }, idle: { policies: [] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'alice', role: 'clerk', scope: everywhere },
    { user: 'bob', role: 'viewer', scope: everywhere },
  ],
};
const sidecar = { fidelity: 'sidecar' } as const;
const errorsOf = ({ error }: Awaited<ReturnType<typeof replay>>) =>
  error.groups.map(({ reason, count }) => [reason, count]);

describe('the answer of a question is not known', () => {
  test('if the bindings of its user are not known, unless no binding could allow it', async () => {
    const lines = [
      decisionOf({ subject: { user: 'eve' } }),
      decisionOf({ subject: { user: 'eve' }, action: '' }),
      decisionOf({ subject: {} }),
      decisionOf({ subject: { groups: ['viewer'] } }),
    ];
    const options = { users: ['bob'], fidelity: 'documented' } as const;
    expect(errorsOf(await replay(lines, state, options))).toEqual([['not-known', 1]]);
    expect(errorsOf(await replay(lines, state, { fidelity: 'documented' }))).toEqual([]);
  });

  test('and then replay counts a log line about it as an error, not as undecided', async () => {
    const text = ['eve', 'bob'].map((user) =>
      prettyLine({ user, roles: [], action: 'rbac:GetRole', resource: 'x', granted: true }),
    );
    const log = () => readDecisions(new Blob([text.join('\n'), '\n']).stream());
    const { error, undecided } = await replay(log(), state, { ...sidecar, users: ['bob'] });
    expect([error.count, undecided.count]).toEqual([1, 1]);
    expect((await replay(log(), state, sidecar)).undecided.count).toBe(2);
  });

  test('if an unread policy or role may decide it; one of the state that is named like its stand-in may not', async () => {
    const given: PolicyState = {
      policies: { unread: { statements: [deny(['*'], ['*'])] }, 'unread-': { statements: [deny(['a:*'], ['*'])] } },
      roles: { closed: { policies: ['unread'] }, also: { policies: ['unread-'] } },
      bindings: ['closed', 'also', 'far'].map((role) => ({ user: role, role, scope: everywhere })),
    };
    const of = (user: string) => decisionOf({ subject: { user }, action: 'a:b', effect: 'Deny' });
    const errors = async (unread: object) =>
      errorsOf(await replay([of('closed'), of('also'), of('far')], given, { ...sidecar, unread }));
    expect(await errors({ roles: ['far'] })).toEqual([['not-known', 1]]);
    expect(await errors({ roles: ['far'], policies: ['unread--'] })).toEqual([['not-known', 1]]);
    expect(await errors({})).toEqual([]);
  });
});

describe('permissionUsage does not list what a question without a known answer may have used', () => {
  test('of a user whose bindings are not known: roles of any, and the statements that match', async () => {
    const lines = [decisionOf({ subject: { user: 'eve' }, resource: 'order:1' })];
    expect(await permissionUsage(lines, state, { ...sidecar, users: ['alice', 'bob'] })).toMatchObject({
      statements: [
        { policy: 'payer', statement: 0 },
        { policy: 'payer', statement: 1 },
        { policy: 'reader', statement: 1 },
      ],
      policies: ['payer'],
      roles: [],
      bindings: [
        { user: 'alice', role: 'viewer' },
        { user: 'alice', role: 'clerk' },
        { user: 'bob', role: 'viewer' },
      ],
    });
  });

  test('of a role with an unread policy: that role’s bindings, and not those of others', async () => {
    const lines = [decisionOf({ subject: { user: 'alice' }, resource: 'bill:1', effect: 'Deny' })];
    const options = { ...sidecar, unread: { policies: ['hidden'] } };
    const { roles, bindings, statements } = await permissionUsage(lines, state, options);
    // The clerk allows it, so it is decided; the unread policy may have, too.
    expect(roles).toEqual(['idle']);
    expect(bindings).toEqual([{ user: 'bob', role: 'viewer' }]);
    expect(statements).toEqual([
      { policy: 'payer', statement: 0 },
      { policy: 'reader', statement: 0 },
      { policy: 'reader', statement: 1 },
    ]);
    const others = await permissionUsage(
      [decisionOf({ subject: { user: 'bob' }, resource: 'bill:1' })],
      state,
      options,
    );
    expect(others.roles).toEqual(['clerk', 'idle']);
    expect(others.bindings).toEqual([
      { user: 'alice', role: 'viewer' },
      { user: 'alice', role: 'clerk' },
    ]);
    // Those that match may have decided it with the unread policy.
    expect(others.statements).not.toContainEqual({ policy: 'payer', statement: 1 });
  });

  test('of an unread role: all bindings of the user, and not those of others', async () => {
    const bindings = [...(state.bindings ?? []), { user: 'bob', role: 'far', scope: everywhere }];
    const lines = [decisionOf({ subject: { user: 'bob' }, action: 'x:y', resource: 'z' })];
    const found = await permissionUsage(lines, { ...state, bindings }, { ...sidecar, unread: { roles: ['far'] } });
    expect(found.bindings).toEqual([
      { user: 'alice', role: 'viewer' },
      { user: 'alice', role: 'clerk' },
    ]);
  });
});

test('a role that another binding holds back has decided nothing', async () => {
  const given: PolicyState = {
    policies: { a: { statements: [allow(['a:*'], ['*'])] }, b: { statements: [allow(['a:*'], ['*'])] } },
    roles: { first: { policies: ['a'] }, second: { policies: ['b'] } },
    bindings: [
      { user: 'bob', role: 'first', scope: everywhere },
      { user: 'bob:x', role: 'first', scope: { statements: [allow(['*'], ['order:eu:*'])] } },
      { user: 'bob', role: 'second', scope: everywhere },
    ],
  };
  const lines = [decisionOf({ subject: { user: 'bob' }, action: 'a:b', resource: 'order:us:1' })];
  expect(await permissionUsage(lines, given, sidecar)).toMatchObject({ policies: ['a'], roles: ['first'] });
  expect(
    await permissionUsage(
      lines,
      { ...given, bindings: [...(given.bindings ?? [])].filter(({ user }) => user === 'bob') },
      sidecar,
    ),
  ).toMatchObject({
    policies: [],
    roles: [],
  });
});

describe('leastPrivilege', () => {
  const given: PolicyState = {
    policies: {
      one: { statements: [allow(['a:x'], ['*']), allow(['a:y'], ['*']), allow(['a:z'], ['*'])] },
      two: { statements: [allow(['b:x'], ['*'])] },
    },
    roles: { all: { policies: ['one', 'two'] } },
    bindings: [{ user: 'alice', role: 'all', scope: everywhere }],
  };

  test('keeps the order of statements, and of a role’s policies those that remain', async () => {
    const lines = ['a:z', 'a:x', 'a:y'].map((action) => decisionOf({ action, resource: 'r' }));
    const { state: least } = await leastPrivilege(lines, given, { ...sidecar, generalise: 'statements' });
    expect(least.policy('one')?.statements.map(({ actions }) => actions)).toEqual([['a:x'], ['a:y'], ['a:z']]);
    expect(least.role('all')).toEqual({ policies: ['one'] });
  });

  test('grants nothing that was only denied, whatever the state says now', async () => {
    const lines = [decisionOf({ action: 'a:x', resource: 'r' }), decisionOf({ action: 'b:x', effect: 'Deny' })];
    const { state: least, notGranted } = await leastPrivilege(lines, given, sidecar);
    expect([least.policies(), notGranted]).toEqual([['one'], []]);
  });

  test('keeps the roles that a hidden user may have by a binding that the state lacks', async () => {
    const line = decisionOf({ subject: { userHash: 'h' }, action: 'a:x', resource: 'r' });
    const questions = await readQuestions([line]);
    const unbound = createEvaluator({ ...given, bindings: [] }, sidecar);
    expect(leastForQuestions(questions, unbound, {}, { users: ['bob'] }).state.roles()).toEqual(['all']);
    expect(leastForQuestions(questions, unbound, {}).state.roles()).toEqual([]);
  });
});

test('a state without a fidelity has that of the baseline', async () => {
  const given: PolicyState = {
    policies: { all: { statements: [allow(['*'], ['*'])] } },
    roles: { viewer: { policies: ['all'] } },
  };
  const lines = [decisionOf({ subject: { user: 'eve', groups: ['viewer'] } })];
  const revoked = async (fidelity: 'documented' | 'sidecar', own?: 'documented') => {
    const baseline = createEvaluator(given, { fidelity });
    return (await replay(lines, { ...given, roles: {}, ...(own && { fidelity: own }) }, { baseline })).revoked.count;
  };
  // In sidecar fidelity the roles of a request count neither before nor after.
  expect([await revoked('documented'), await revoked('sidecar')]).toEqual([1, 0]);
});

test('undecided lines are sorted by file and number', async () => {
  const reader = new QuestionsReader();
  const line = decisionOf({ subject: { userHash: 'h' }, masked: ['/subject/user'] });
  for (const file of ['b', 'a', 'c']) {
    reader.file = file;
    for (const number of [2, 1]) reader.add({ line: number, decision: line });
  }
  const { undecided } = leastForQuestions(reader.read(), createEvaluator({}), {});
  expect(undecided.groups[0]?.lines.map(({ file, line: number }) => `${file}${number}`)).toEqual([
    'a1',
    'a2',
    'b1',
    'b2',
    'c1',
    'c2',
  ]);
});
