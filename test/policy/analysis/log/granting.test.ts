// What a change grants by: scopes, policies, roles that are there, and new ones; each case beside one that it must not.
import { describe, expect, test } from 'vitest';
import { type RehearseOptions, rehearse } from '../../../../src/policy/analysis/index.ts';
import { chooseCover } from '../../../../src/policy/analysis/log/cover.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const asked = (user: string, action: string, resource: string, more: Partial<DecisionLine> = {}) =>
  decisionOf({ subject: { user }, action, resource, effect: 'Deny', ...more });
const eu = { statements: [allow(['*'], ['order:eu:*'])] };
const nowhere = { statements: [deny(['*'], ['*'])] };

/** The items of a change, in short. */
async function changed(lines: readonly DecisionLine[], state: PolicyState, options: RehearseOptions = {}) {
  const { change } = await rehearse(lines, state, options);
  return change.items.map((item) => {
    const statements = 'statements' in item ? item.statements : [];
    const granted = statements.map(({ actions, resources }) => `${actions.join()} ${resources.join()}`);
    const what = 'name' in item ? item.name : `${item.user} ${item.role}`;
    const policies = item.kind === 'role' ? item.policies : [];
    return [`${item.action} ${item.kind} ${what}`, ...policies, ...granted].join(': ');
  });
}

const created = (user: string, statement: string) => [
  `create policy rehearsed-1: ${statement}`,
  'create role rehearsed-1: rehearsed-1',
  `create binding ${user} rehearsed-1`,
];

/** A role of a policy that is there, bound in a scope. */
const reused = (user: string, policy: string, statement: string) => [
  `create role rehearsed-1: ${policy}`,
  `create binding ${user} rehearsed-1: ${statement}`,
];

describe('the scope that gets the statement for a question', () => {
  const state: PolicyState = {
    policies: { reader: { statements: [allow(['a:b'], ['order:*'])] } },
    roles: { viewer: { policies: ['reader'] } },
    bindings: [{ user: 'bob', role: 'viewer', scope: eu }],
  };
  const lines = [asked('bob', 'a:b', 'order:us:1')];

  test('is that of the user’s own binding if the role allows the question', async () => {
    expect(await changed(lines, state)).toEqual(['update binding bob viewer: a:b order:us:1']);
  });

  test('is not that of a binding under another name, or of one of two bindings to a role', async () => {
    const other = { user: 'bob:x', role: 'viewer', scope: eu };
    expect(await changed(lines, { ...state, bindings: [other] })).toEqual(reused('bob', 'reader', 'a:b order:us:1'));
    const both = { ...state, bindings: [{ user: 'bob', role: 'viewer', scope: everywhere }, other] };
    expect(await changed(lines, both)).toEqual(reused('bob', 'reader', 'a:b order:us:1'));
  });

  test('is not that of a binding to a role of another user’s name, or of the operator', async () => {
    for (const role of ['x:viewer', 'managed:operator:viewer']) {
      const given = {
        ...state,
        roles: { [role]: { policies: ['reader'] } },
        bindings: [{ user: 'bob', role, scope: eu }],
      };
      expect(await changed(lines, given)).toEqual(reused('bob', 'reader', 'a:b order:us:1'));
      // Nor does a user get such a role.
      expect(await changed([asked('eve', 'a:b', 'order:1')], given)).toEqual(reused('eve', 'reader', 'a:b order:1'));
    }
  });

  test('is not one that cannot be parsed', async () => {
    const broken = { statements: [allow(['*'], ['*x*'])] };
    const given = { ...state, bindings: [{ user: 'bob', role: 'viewer', scope: broken }] };
    expect(await changed(lines, given)).toEqual(reused('bob', 'reader', 'a:b order:us:1'));
  });

  test('gets the whole statement that allows the question if statements are generalised', async () => {
    const policies = { reader: { statements: [allow(['a:c'], ['order:*']), allow(['a:b', 'a:d'], ['order:*'])] } };
    const given = { ...state, policies };
    expect(await changed(lines, given, { generalise: 'statements' })).toEqual([
      'update binding bob viewer: a:b,a:d order:*',
    ]);
  });
});

describe('the policy that gets the statement for a question', () => {
  const state: PolicyState = {
    policies: { one: { statements: [allow(['a:x'], ['*'])] }, two: { statements: [allow(['a:y'], ['*'])] } },
    roles: { first: { policies: ['one'] }, second: { policies: ['two'] } },
    bindings: [
      { user: 'bob', role: 'first', scope: everywhere },
      { user: 'bob', role: 'second', scope: everywhere },
    ],
  };
  const lines = [asked('bob', 'a:b', 'order:us:1')];

  test('reaches the user through one of the user’s roles', async () => {
    expect(await changed(lines, state)).toEqual(['update policy one: a:b order:us:1']);
  });

  test('does not reach the user through a scope that does not allow the question', async () => {
    const closed = { ...state, bindings: [{ user: 'bob', role: 'first', scope: eu }] };
    expect(await changed(lines, closed)).toEqual(created('bob', 'a:b order:us:1'));
    expect(await changed([asked('bob', 'a:b', 'order:eu:1')], closed)).toEqual(['update policy one: a:b order:eu:1']);
    const open = { ...state, bindings: [{ user: 'bob', role: 'first', scope: everywhere }] };
    expect(await changed(lines, open)).toEqual(['update policy one: a:b order:us:1']);
  });

  test('does not reach the user where another binding to the role has to allow the question, too, and does not', async () => {
    const bindings = [
      { user: 'bob', role: 'first', scope: everywhere },
      { user: 'bob:x', role: 'first', scope: eu },
    ];
    expect(await changed(lines, { ...state, bindings })).toEqual(created('bob', 'a:b order:us:1'));
  });

  test('is the second policy if another user would gain access by the first policy', async () => {
    const bindings = [...(state.bindings ?? []), { user: 'dan', role: 'first', scope: everywhere }];
    expect(await changed(lines, { ...state, bindings })).toEqual(['update policy two: a:b order:us:1']);
    // A user who cannot use it does not count, unless patterns are granted.
    const held = [...(state.bindings ?? []), { user: 'dan', role: 'first', scope: eu }];
    expect(await changed(lines, { ...state, bindings: held })).toEqual(['update policy one: a:b order:us:1']);
    expect(await changed(lines, { ...state, bindings: held }, { generalise: 'resources' })).toEqual([
      'update policy two: a:b *',
    ]);
  });

  test.each([
    ['no scope, so that any request may name it', undefined, created('bob', 'a:b order:us:1')],
    ['a scope that lets it through', { statements: [allow(['a:b'], ['*'])] }, created('bob', 'a:b order:us:1')],
    ['a scope that denies', nowhere, ['update policy one: a:b order:us:1']],
    ['a scope of other resources', eu, ['update policy one: a:b order:us:1']],
  ])('belongs to no role by which any request would gain access: a role with %s', async (_, scope, items) => {
    const given: PolicyState = {
      policies: { one: { statements: [allow(['a:x'], ['*'])] } },
      roles: { first: { policies: ['one'], ...(scope && { scope }) } },
      bindings: [{ user: 'bob', role: 'first', scope: everywhere }],
    };
    expect(await changed(lines, given, { fidelity: 'documented' })).toEqual(items);
    expect(await changed(lines, given, { fidelity: 'sidecar' })).toEqual(['update policy one: a:b order:us:1']);
  });

  test('belongs to no role that requests name and whose scope allows something, if patterns are granted', async () => {
    const given: PolicyState = {
      policies: { one: { statements: [allow(['a:x'], ['*'])] } },
      roles: { first: { policies: ['one'], scope: eu } },
      bindings: [{ user: 'bob', role: 'first', scope: everywhere }],
    };
    const options = { fidelity: 'documented', generalise: 'resources' } as const;
    expect((await changed(lines, given, options))[0]).toBe('create policy rehearsed-1: a:b *');
  });
});

describe('a role or policy that fits is used before one is added', () => {
  const policies = {
    admin: { statements: [allow(['*'], ['*'])] },
    reader: { statements: [allow(['a:b'], ['order:*'])] },
    writer: { statements: [allow(['a:w'], ['order:*']), deny(['a:w'], ['order:eu:*'])] },
  };
  const state: PolicyState = { policies, roles: { admin: { policies: ['admin'] }, viewer: { policies: ['reader'] } } };

  test('the role with the fewest statements of those that allow it', async () => {
    const roles = { a: { policies: ['reader', 'writer'] }, b: { policies: ['reader'] } };
    expect(await changed([asked('eve', 'a:b', 'order:1')], { policies, roles })).toEqual([
      'create binding eve b: a:b order:1',
    ]);
  });

  test('a role that allows it, that of administrators only if no other one does', async () => {
    expect(await changed([asked('eve', 'a:b', 'order:1')], state)).toEqual(['create binding eve viewer: a:b order:1']);
    expect(await changed([asked('eve', 'a:c', 'order:1')], state)).toEqual(['create binding eve admin: a:c order:1']);
  });

  test.each(['documented', 'sidecar'] as const)(
    'a policy without a role, by one role for all who ask (%s)',
    async (fidelity) => {
      const lines = [asked('eve', 'a:w', 'order:1'), asked('mal', 'a:w', 'order:2')];
      expect(await changed(lines, state, { fidelity })).toEqual([
        'create role rehearsed-1: writer',
        'create binding eve rehearsed-1: a:w order:1',
        'create binding mal rehearsed-1: a:w order:2',
      ]);
      const { change } = await rehearse(lines, state, { fidelity });
      expect([change.isExact, change.access.gained.length]).toEqual([true, 2]);
    },
  );

  test('which is not a policy whose Deny takes the access away again', async () => {
    expect(await changed([asked('eve', 'a:w', 'order:eu:1')], state)).toEqual([
      'create binding eve admin: a:w order:eu:1',
    ]);
  });
});

test('only users whom grantTo names get access, though another user asked the same question', async () => {
  const lines = [asked('eve', 'a:b', 'x'), asked('mal', 'a:b', 'x')];
  const { denied, change, notGranted } = await rehearse(lines, {}, { grantTo: ['eve'] });
  expect(denied.users).toBe(2);
  expect(notGranted).toMatchObject([{ reason: 'unknown-user', subject: { user: 'mal' }, count: 1 }]);
  expect(change.state.bindings().map(({ user }) => user)).toEqual(['eve']);
  expect(change.isExact).toBe(true);
});

describe('for users without a fitting role', () => {
  test('a new role is closed to requests that name it, if the fidelity counts roles of requests', async () => {
    for (const [fidelity, scope] of [
      ['documented', nowhere],
      ['sidecar', undefined],
    ] as const) {
      const { change } = await rehearse([asked('eve', 'a:b', 'x')], {}, { fidelity });
      expect(change.state.role('rehearsed-1')).toEqual({ policies: ['rehearsed-1'], ...(scope && { scope }) });
      expect([
        change.state.isAllowed({ roles: ['rehearsed-1'], action: 'a:b', resource: 'x' }),
        change.isExact,
      ]).toEqual([false, true]);
    }
  });

  test('of two missing roles that a user is bound to, one is created', async () => {
    const bindings = ['gone', 'lost'].map((role) => ({ user: 'bob', role, scope: everywhere }));
    expect(await changed([asked('bob', 'a:b', 'x')], { bindings })).toEqual([
      'create policy rehearsed-1: a:b x',
      'create role gone: rehearsed-1',
    ]);
  });

  test('users who ask for the same in another order share a policy', async () => {
    const lines = [
      asked('eve', 'a:b', 'x'),
      asked('mal', 'a:b', 'x'),
      asked('mal', 'a:c', 'y'),
      asked('eve', 'a:c', 'y'),
    ];
    expect(await changed(lines, {})).toEqual([
      'create policy rehearsed-1: a:b x: a:c y',
      'create role rehearsed-1: rehearsed-1',
      'create binding eve rehearsed-1',
      'create binding mal rehearsed-1',
    ]);
  });

  test('users with the same policies share a new role, named like its only policy', async () => {
    const lines = [
      asked('eve', 'a:b', 'x'),
      asked('mal', 'a:b', 'x'),
      asked('eve', 'a:c', 'y'),
      asked('zoe', 'a:d', 'z'),
    ];
    expect(await changed(lines, {})).toEqual([
      'create policy rehearsed-1: a:b x',
      'create policy rehearsed-2: a:c y',
      'create policy rehearsed-3: a:d z',
      'create role rehearsed-4: rehearsed-1: rehearsed-2',
      'create role rehearsed-1: rehearsed-1',
      'create role rehearsed-3: rehearsed-3',
      'create binding eve rehearsed-4',
      'create binding mal rehearsed-1',
      'create binding zoe rehearsed-3',
    ]);
  });
});

test('users whose resources differ in their own names gain no more than they asked for', async () => {
  const own = { statements: [allow(['a:b'], ['home:*'])] };
  const users = ['ann', 'bob', 'cid'];
  const given: PolicyState = { policies: { own }, roles: { user: { policies: ['own'] } } };
  const lines = users.map((user) => asked(user, 'a:b', `home:${user}`));
  const { change } = await rehearse(lines, given);
  expect([change.items.length, change.isExact]).toEqual([3, true]);
});

describe('most frequent first', () => {
  const times = (count: number, line: DecisionLine) => Array.from({ length: count }, () => line);

  test('are the questions of a statement and of a group, the groups, and what is not granted', async () => {
    const state: PolicyState = { bindings: [{ user: 'bob', role: 'gone', scope: everywhere }] };
    const lines = [
      ...times(1, asked('eve', 'a:b', 'one')),
      ...times(3, asked('eve', 'a:b', 'three')),
      ...times(2, asked('eve', 'a:b', 'two')),
      ...times(9, asked('bob', 'a:b', 'nine')),
      ...times(1, asked('eve:x', 'a:b', 'one')),
      ...times(4, asked('eve/x', 'a:b', 'four')),
    ];
    const { denied, change, notGranted } = await rehearse(lines, state);
    expect(denied.groups.map(({ count }) => count)).toEqual([9, 6, 4, 1]);
    expect(denied.groups[1]?.questions.map(({ resource }) => resource)).toEqual(['three', 'two', 'one']);
    expect(notGranted.map(({ count }) => count)).toEqual([4, 1]);
    const statements = change.items.flatMap((item) => ('statements' in item ? item.statements : []));
    const ofEve = statements.find(({ count }) => count === 6);
    expect(ofEve?.questions.map(({ resource }) => resource)).toEqual(['three', 'two', 'one']);
    // The resources of a statement are sorted.
    expect(ofEve?.resources).toEqual(['one', 'three', 'two']);
  });
});

describe('generalised patterns', () => {
  const state: PolicyState = {
    policies: {
      open: { statements: [allow(['a:x'], ['order:*']), deny(['a:*'], ['order:eu:*'])] },
      other: { statements: [allow(['b:x'], ['order:us:*'])] },
    },
  };
  const options = { generalise: 'resources' } as const;
  const patternOf = async (...resources: string[]) => {
    const lines = resources.map((one) => asked('eve', 'a:b', one));
    return (await changed(lines, state, options))[0]?.replace('create policy rehearsed-1: ', '');
  };

  test('are patterns that an Allow of the same namespace has, else the resource itself', async () => {
    expect(await patternOf('order:eu:1')).toBe('a:b order:*');
    expect(await patternOf('order:us:1')).toBe('a:b order:*');
    expect(await patternOf('bill:1')).toBe('a:b bill:1');
  });

  test('are `*` for a resource that no pattern matches alone', async () => {
    expect(await patternOf('bill:*')).toBe('a:b *');
    expect(await patternOf('')).toBe('a:b *');
  });

  test('are left out if another pattern covers them', async () => {
    const wide = { ...state, policies: { ...state.policies, wide: { statements: [allow(['a:y'], ['*'])] } } };
    const lines = [asked('eve', 'a:b', 'bill:1'), asked('eve', 'a:b', 'order:1'), asked('eve', 'a:b', 'bill:2')];
    expect((await changed(lines, wide, options))[0]).toBe('create policy rehearsed-1: a:b *');
  });
});

test('an explicit Deny of a request with roles holds back the grant of the same question without roles', async () => {
  const state: PolicyState = {
    policies: { no: { statements: [deny(['*'], ['*'])] } },
    roles: { blocked: { policies: ['no'] } },
  };
  const lines = [
    asked('eve', 'a:b', 'x', { subject: { user: 'eve', groups: ['blocked'] } }),
    asked('eve', 'a:b', 'x'),
    asked('eve', 'a:b', 'y'),
  ];
  const { notGranted, change } = await rehearse(lines, state, { fidelity: 'documented' });
  expect(notGranted.map(({ reason, subject, cause }) => [reason, subject.roles, cause.policy])).toEqual([
    ['explicit-deny', ['blocked'], 'no'],
    ['explicit-deny', undefined, 'no'],
  ]);
  expect(change.items[0]).toMatchObject({ statements: [{ resources: ['y'] }] });
});

test.each([
  [['xy', 'x', 'y'], 'xy'],
  [['ab', 'ac', 'ad', 'b', 'c', 'd'], 'bcd'],
  [['ab', 'a', 'b'], 'ab'],
  [['ab', 'bc'], 'b'],
  [[], ''],
])('of the sets %j, %j are chosen', (sets, chosen) => {
  expect([...chooseCover(sets.map((one) => new Set(one)))].sort().join('')).toBe(chosen);
});
