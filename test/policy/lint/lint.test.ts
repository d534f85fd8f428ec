import { describe, expect, test } from 'vitest';
import { createEvaluator, formatPath, type LintRule, lint, type PolicyState } from '../../../src/policy/index.ts';
import { allow, deny, everywhere, policy } from '../support/fixtures.ts';

/** The findings of one rule as lines. */
const find = (rule: LintRule, state: PolicyState) =>
  lint(state)
    .filter((finding) => finding.rule === rule)
    .map(({ path, message }) => `${formatPath(path)}: ${message}`);
const used = { bindings: [{ user: 'u', role: 'r', scope: everywhere }] };
const withPolicies = (policies: PolicyState['policies'], names = ['p']): PolicyState => ({
  policies,
  roles: { r: { policies: names } },
  ...used,
});

test('a clean state has no findings', () => {
  const clean = withPolicies({ p: policy(allow('a:*', '*b', 'c*'), deny('a:x')) });
  expect(lint(clean)).toEqual([]);
  expect(lint({})).toEqual([]);
  expect(lint({ ...clean, policies: new Map(Object.entries(clean.policies ?? {})) })).toEqual([]);
});

describe('patterns', () => {
  test('a "*" inside a segment is literal', () => {
    const text = (pattern: string, part: string) =>
      `in "${pattern}" the "*" inside "${part}" is literal: it matches only a "*"`;
    const state: PolicyState = {
      policies: { p: policy(allow('*'), { effect: 'Allow', actions: ['a:b', 'a*b:c'], resources: ['x:a*b*:y', '*'] }) },
      roles: { r: { policies: ['p'], scope: policy(allow('s*s')) } },
      bindings: [{ user: 'u', role: 'r', scope: policy(allow('ok', '*t*t')) }],
    };
    expect(find('literal-star', state)).toEqual([
      `policies.p.statements[1].actions[1]: ${text('a*b:c', 'a*b')}`,
      `policies.p.statements[1].resources[0]: ${text('x:a*b*:y', 'a*b')}`,
      `roles.r.scope.statements[0].resources[0]: ${text('s*s', 's*s')}`,
      `bindings[0].scope.statements[0].resources[1]: ${text('*t*t', 't*t')}`,
    ]);
  });

  test('reports what cannot be parsed, and other issues, and still checks the rest of the state', () => {
    const state: PolicyState = {
      ...withPolicies({
        p: policy(allow('*x*')),
        q: policy({ ...allow('a*b'), effect: 'X' as never }),
        ok: policy(allow('a*b')),
      }),
      bindings: [...used.bindings, null as never],
    };
    expect(lint(state).map(({ rule, path }) => [rule, formatPath(path)])).toEqual([
      ['unparsable-pattern', 'policies.p.statements[0].resources[0]'],
      ['invalid', 'policies.q.statements[0].effect'],
      ['invalid', 'bindings[1]'],
      ['literal-star', 'policies.ok.statements[0].resources[0]'],
      ['unused-policy', 'policies.q'],
      ['unused-policy', 'policies.ok'],
    ]);
    expect(find('invalid', { roles: { r: {} as never } })).toEqual([
      'roles.r.policies: expected a list, got undefined',
    ]);
  });

  test.each([
    [{ policies: 'x' }, 'policies: expected an object or a Map, got a string'],
    [{ roles: [] }, 'roles: expected an object or a Map, got a list'],
    [{ bindings: {} }, 'bindings: expected a list, got an object'],
    [{ bindings: null }, 'bindings: expected a list, got null'],
    [{ bindings: 'x' }, 'bindings: expected a list, got a string'],
  ])('reports a part of the state that has the wrong type: %j', (state, line) => {
    // The cast: JSON that is not of the expected type.
    expect(find('invalid', state as unknown as PolicyState)).toEqual([line]);
  });

  test('a statement without actions or without resources is reported, as it never matches', () => {
    const state = withPolicies({ p: policy(allow(), { effect: 'Deny', actions: [], resources: ['a'] }, allow('b')) });
    expect(find('empty-statement', state)).toEqual([
      'policies.p.statements[0]: has no resources and never matches',
      'policies.p.statements[1]: has no actions and never matches',
    ]);
  });
});

describe('the rule for names', () => {
  const state: PolicyState = {
    policies: { p: policy(allow('a')), lonely: policy() },
    roles: { r: { policies: ['p', 'ghost'] }, idle: { policies: [] } },
    bindings: [
      { user: 'u', role: 'r', scope: everywhere },
      { user: 'a:b', role: 'nobody', scope: everywhere },
      { user: 'v', role: 'r' },
      { user: 'w', role: 'r', scope: null },
    ],
  };
  test.each([
    ['missing-policy', ['roles.r.policies[1]: there is no policy "ghost"; it is skipped']],
    ['missing-role', ['bindings[1].role: there is no role "nobody"; the binding grants nothing']],
    [
      'colon-in-user',
      ['bindings[1].user: a ":" in a user name: the service stores bindings as "user:role", where it is ambiguous'],
    ],
    [
      'no-scope',
      [
        'bindings[2]: a binding without a scope grants nothing',
        'bindings[3]: a binding without a scope grants nothing',
      ],
    ],
    ['unused-policy', ['policies.lonely: no role uses this policy']],
    ['unused-role', ['roles.idle: no binding uses this role']],
  ] as [LintRule, string[]][])('%s reports each of its cases', (rule, expected) => {
    expect(find(rule, state)).toEqual(expected);
    expect(lint(state)).toHaveLength(7);
  });
});

describe('the rule for shared names of bindings', () => {
  const state: PolicyState = {
    policies: { p: policy(allow('a')) },
    roles: { r: { policies: ['p'] }, 'b:r': { policies: ['p'] } },
    bindings: [
      { user: 'plain', role: 'r', scope: everywhere },
      { user: 'a:b', role: 'r', scope: everywhere },
      { user: 'a', role: 'b:r', scope: everywhere },
      { user: 'a', role: 'r', scope: policy(allow('x')) },
      { user: 'a:c:d', role: 'r', scope: everywhere },
      { user: 'x:y', role: 'ghost', scope: everywhere },
      { user: 'x:z', role: 'r' },
    ],
  };

  test.each([
    [
      'shared-binding',
      [
        'bindings[1]: its name "a:b:r" gives role "r" to user "a", too: services match by prefix',
        'bindings[2]: its name "a:b:r" gives role "b:r" to user "a:b", too: services match by prefix',
        'bindings[4]: its name "a:c:d:r" gives role "r" to users "a", "a:c", too: services match by prefix',
      ],
    ],
    ['same-binding-name', ['bindings[2]: has the same name "a:b:r" as bindings[1]; services keep one']],
    [
      'two-scopes',
      ['bindings[3]: user "a" has role "r" also through bindings[1] in another scope; the services pick one at random'],
    ],
  ] as [LintRule, string[]][])('%s reports each of its cases', (rule, expected) => {
    expect(find(rule, state)).toEqual(expected);
  });

  test('agrees with the evaluator of sidecar fidelity', () => {
    const bindings = [{ user: 'a:b', role: 'r', scope: everywhere }];
    for (const fidelity of ['sidecar', 'documented'] as const) {
      const evaluator = createEvaluator({ ...state, bindings }, { fidelity });
      const { allowed } = evaluator.evaluate({ user: 'a', action: 'x:y', resource: 'a' });
      expect([allowed, find('shared-binding', { ...state, bindings }).length]).toEqual([fidelity === 'sidecar', 1]);
    }
  });

  test('reports bindings of predefined roles for the name of their user only', () => {
    const role = 'managed:predefined:coredb-reader';
    const bindings = ['ada', 'team:bob'].map((user) => ({ user, role, scope: everywhere }));
    expect(find('shared-binding', { ...state, roles: { [role]: { policies: [] } }, bindings })).toEqual([
      `bindings[1]: its name "team:bob:${role}" gives role "${role}" to user "team", too: services match by prefix`,
    ]);
  });

  test('reports nothing for names without a colon', () => {
    const bindings = ['u', 'v', '', 'u'].map((user) => ({ user, role: 'r', scope: everywhere }));
    const found = lint({ ...state, bindings }).map(({ rule }) => rule);
    expect(found.filter((rule) => ['shared-binding', 'same-binding-name', 'two-scopes'].includes(rule))).toEqual([]);
  });
});

describe('shadowed-allow', () => {
  const shadowed = (state: PolicyState) => find('shadowed-allow', state);

  test('reports an Allow that a Deny of the same policy revokes completely, in any order', () => {
    const by = (statement: number) =>
      `this Allow has no effect: policy "p" statement ${statement + 1} denies all that it allows`;
    expect(shadowed(withPolicies({ p: policy(allow('a:b', 'a:c:d'), allow('b'), deny('a:*')) }))).toEqual([
      `policies.p.statements[0]: ${by(2)}`,
    ]);
    expect(shadowed(withPolicies({ p: policy(deny('x'), deny('*'), allow('b')) }))).toEqual([
      `policies.p.statements[2]: ${by(1)}`,
    ]);
  });

  test('one of several patterns of the Deny is enough', () => {
    const state = withPolicies({
      p: policy({ effect: 'Deny', actions: ['x:y', '*'], resources: ['b', 'a:*'] }, allow('a:1')),
    });
    expect(shadowed(state)).toHaveLength(1);
  });

  test('reports nothing if a part of it remains', () => {
    const all = { effect: 'Allow', actions: ['*'], resources: ['a'] } as const;
    const some = { effect: 'Deny', actions: ['x:*'], resources: ['*'] } as const;
    expect(shadowed(withPolicies({ p: policy(allow('a:b', 'b'), deny('a:*')) }))).toEqual([]);
    expect(shadowed(withPolicies({ p: policy(all, some) }))).toEqual([]);
    expect(shadowed(withPolicies({ p: policy(allow(), deny('*')) }))).toEqual([]);
    expect(shadowed(withPolicies({ p: policy({ ...all, actions: [] }, deny('*')) }))).toEqual([]);
    expect(shadowed(withPolicies({ p: policy({ ...all, actions: ['x:y', 'y:z'] }, some) }))).toEqual([]);
  });

  test('reports it once for another policy of the same role', () => {
    const policies = { p: policy(allow('a')), q: policy(deny('a')), s: policy(allow('b'), deny('b')) };
    const state: PolicyState = {
      policies,
      roles: { r: { policies: ['p', 'q', 's'] }, t: { policies: ['p', 'q'] }, alone: { policies: ['p'] } },
      ...used,
    };
    expect(shadowed(state)).toEqual([
      'policies.s.statements[0]: this Allow has no effect: policy "s" statement 2 denies all that it allows',
      'policies.p.statements[0]: this Allow has no effect in role "r": policy "q" statement 1 denies all that it allows',
    ]);
  });
});

describe('needless-deny', () => {
  const policies = {
    guard: policy(deny('secret:*'), deny('x')),
    reader: policy(allow('secret:1')),
    other: policy(allow('y')),
  };
  const needless = (roles: PolicyState['roles']) => find('needless-deny', { policies, roles });
  const line = (index: number) =>
    `policies.guard.statements[${index}]: no Allow of a role with this policy meets this Deny`;

  test('reports a Deny that meets no Allow in any role with its policy', () => {
    expect(needless({ r: { policies: ['reader', 'guard'] } })).toEqual([line(1)]);
    expect(needless({ r: { policies: ['other', 'guard'] } })).toEqual([line(0), line(1)]);
    expect(needless({ a: { policies: ['other', 'guard'] }, b: { policies: ['guard', 'reader'] } })).toEqual([line(1)]);
    // An Allow of another role is not touched by it.
    expect(needless({ a: { policies: ['guard'] }, b: { policies: ['reader'] } })).toEqual([line(0), line(1)]);
  });

  test('reports nothing for a policy without a role, or in a role with a policy that the state lacks', () => {
    expect(needless({ r: { policies: ['reader'] } })).toEqual([]);
    expect(needless({ r: { policies: ['guard', 'managed:any'] } })).toEqual([]);
  });
});

describe('deny-stays-inside', () => {
  const policies = {
    guard: policy(deny('secret:*'), { effect: 'Deny', actions: ['a:*'], resources: ['x'] }),
    reader: policy({ effect: 'Allow', actions: ['b:read'], resources: ['x', 'secret:1'] }),
    other: policy({ effect: 'Allow', actions: ['b:read'], resources: ['y'] }),
  };
  const roles = {
    guarded: { policies: ['reader', 'guard', 'guard'] },
    open: { policies: ['other', 'reader'] },
    harmless: { policies: ['other'] },
  };
  const bind = (user: string, ...names: string[]) => names.map((role) => ({ user, role, scope: everywhere }));
  const crossing = (bindings: PolicyState['bindings']) => find('deny-stays-inside', { policies, roles, bindings });
  const line = (user: string) =>
    `policies.guard.statements[0]: this Deny applies inside role "guarded" only; user "${user}" also has policy "reader" statement 1 of role "open", which allows some of it`;

  test('reports a Deny in one role of a user, and another role that allows the same', () => {
    expect(crossing(bind('u', 'guarded', 'open'))).toEqual([line('u')]);
    expect(crossing(bind('u', 'open', 'harmless', 'guarded'))).toEqual([line('u')]);
  });

  test('one pattern of each is enough, actions and resources separately', () => {
    const meeting = {
      policies: {
        d: policy({ effect: 'Deny', actions: ['c:d', 'a:b'], resources: ['x', 'y'] }),
        a: policy({ effect: 'Allow', actions: ['a:*', 'e:f'], resources: ['z', 'y'] }),
      },
      roles: { denier: { policies: ['d'] }, allower: { policies: ['a'] } },
      bindings: bind('u', 'denier', 'allower'),
    };
    expect(find('deny-stays-inside', meeting)).toHaveLength(1);
  });

  test('reports a pair of roles once', () => {
    expect(crossing([...bind('u', 'guarded', 'open'), ...bind('v', 'open', 'guarded')])).toEqual([line('u')]);
  });

  test('reports nothing for two users, one role twice, roles that do not overlap, or a binding that grants nothing', () => {
    expect(crossing([...bind('u', 'guarded'), ...bind('v', 'open')])).toEqual([]);
    expect(crossing(bind('u', 'guarded', 'guarded', 'harmless', 'missing'))).toEqual([]);
    expect(crossing([...bind('u', 'guarded'), { user: 'u', role: 'open' }])).toEqual([]);
  });
});
