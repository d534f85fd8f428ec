import { describe, expect, test } from 'vitest';
import {
  createEvaluator,
  type EvaluatorQuestion,
  explain,
  type Fidelity,
  formatExplanation,
  type PolicyState,
} from '../../../src/policy/index.ts';
import { allow, broken, deny, everywhere, policy } from '../support/fixtures.ts';

const state: PolicyState = {
  policies: {
    reader: policy({ effect: 'Allow', actions: ['orders:read', 'orders:list'], resources: ['*'] }),
    guard: policy(allow('nothing'), deny('secret', 'secret:*')),
    broken: policy(),
  },
  roles: {
    viewer: { policies: ['reader'] },
    careful: { policies: ['reader', 'missing', 'guard', 'missing'] },
    own: { policies: ['reader'], scope: policy(allow('public:*'), deny('public:x')) },
  },
  bindings: [
    { user: 'alice', role: 'viewer', scope: policy(allow('a'), deny('b')) },
    { user: 'alice', role: 'careful', scope: everywhere },
    { user: 'carol', role: 'viewer' },
    { user: 'carol', role: 'ghost', scope: everywhere },
  ],
};

function run(request: EvaluatorQuestion, fidelity: Fidelity = 'documented') {
  const explanation = explain(createEvaluator(state, { fidelity }), request);
  return { ...explanation, outcomes: explanation.considered.map(({ role, outcome }) => `${role}: ${outcome}`) };
}
const read = (user: string, resource: string) => run({ user, action: 'orders:read', resource });

describe('explain', () => {
  test('names the policy, statement, role, binding and scope that allowed', () => {
    const { decision, reason, explicit, by, considered, request } = read('alice', 'a');
    expect(request).toEqual({ user: 'alice', action: 'orders:read', resource: 'a' });
    expect({ decision, reason, explicit }).toEqual({
      decision: { effect: 'Allow', message: 'Access Granted', allowed: true },
      reason: 'allowed',
      explicit: false,
    });
    expect(by).toEqual({
      via: 'binding',
      role: 'viewer',
      scope: policy(allow('a'), deny('b')),
      outcome: 'allowed',
      statement: {
        policy: 'reader',
        index: 0,
        statement: { effect: 'Allow', actions: ['orders:read', 'orders:list'], resources: ['*'] },
      },
      scopeStatement: { policy: undefined, index: 0, statement: allow('a') },
      skipped: [],
    });
    expect(considered[0]).toBe(by);
    expect(considered[1]).toMatchObject({
      role: 'careful',
      outcome: 'allowed',
      skipped: [{ policy: 'missing', why: 'missing' }],
    });
  });

  test('says for each binding why it did not allow', () => {
    expect(read('alice', 'secret:x')).toMatchObject({
      decision: { allowed: false },
      reason: 'explicit-deny',
      explicit: true,
      by: undefined,
      outcomes: ['viewer: outside-scope', 'careful: denied'],
    });
    expect(read('alice', 'secret:x').considered[1]?.statement).toMatchObject({ policy: 'guard', index: 1 });
    expect(read('alice', 'secret:x').considered[0]).toMatchObject({
      statement: { policy: 'reader', index: 0 },
      scopeStatement: undefined,
    });
    const other = run({ user: 'alice', action: 'orders:write', resource: 'a' });
    expect(other).toMatchObject({
      reason: 'nothing-allows',
      explicit: false,
      outcomes: ['viewer: not-allowed', 'careful: not-allowed'],
    });
    expect(other.considered[0]?.statement).toBeUndefined();
    expect(read('carol', 'a')).toMatchObject({
      reason: 'nothing-allows',
      outcomes: ['viewer: no-scope', 'ghost: missing-role'],
    });
  });

  test('reports an explicit Deny in one binding although another one allows', () => {
    const { explicit, reason, outcomes, by, considered } = read('alice', 'b');
    expect({ explicit, reason, outcomes }).toEqual({
      explicit: true,
      reason: 'allowed',
      outcomes: ['viewer: scope-denied', 'careful: allowed'],
    });
    expect(by).toBe(considered[1]);
    expect(considered[0]?.scopeStatement).toEqual({ policy: undefined, index: 1, statement: deny('b') });
  });

  test('lists roles of the request after the bindings, with their own scope', () => {
    const ask = (resource: string, fidelity?: Fidelity) =>
      run({ user: 'carol', roles: ['own', 'viewer', 'ghost'], action: 'orders:read', resource }, fidelity);
    const bound = ['viewer: no-scope', 'ghost: missing-role'];
    expect(ask('public:a').outcomes).toEqual([...bound, 'own: allowed', 'viewer: allowed', 'ghost: missing-role']);
    expect(ask('public:x').outcomes).toEqual([...bound, 'own: scope-denied', 'viewer: allowed', 'ghost: missing-role']);
    expect(ask('x').by).toMatchObject({ via: 'request', role: 'viewer', scope: undefined, scopeStatement: undefined });
    expect(ask('x').considered[2]).toMatchObject({
      via: 'request',
      role: 'own',
      outcome: 'outside-scope',
      scope: { statements: {} },
    });
    expect(ask('public:a', 'sidecar').outcomes).toEqual(bound);
    expect(run({ roles: ['viewer'], action: 'orders:read', resource: 'x' })).toMatchObject({ reason: 'allowed' });
  });

  test.each([
    [{ superuser: true, action: '', resource: '' }, 'superuser'],
    [{ action: 'a:b', resource: '' }, 'no-subject'],
    [{ user: '', action: 'a:b', resource: 'c' }, 'empty-user'],
    [{ user: '', roles: ['viewer'], action: 'orders:read', resource: 'c' }, 'empty-user'],
    [{ user: 'alice', action: '', resource: 'a' }, 'empty-action'],
    [{ user: 'nobody', action: 'a:b', resource: 'c' }, 'no-binding'],
    [{ roles: [], action: 'a:b', resource: 'c' }, 'no-binding'],
  ] as [EvaluatorQuestion, string][])('gives the reason why nothing allowed %j: %s', (request, reason) => {
    const { considered, decision, ...rest } = run(request);
    expect(rest).toMatchObject({ reason, explicit: false, by: undefined });
    expect(considered).toHaveLength(reason === 'empty-action' ? 2 : 0);
    expect(decision).toEqual(createEvaluator(state).evaluate(request));
  });

  test('an empty action matches no statement', () => {
    const { considered } = run({ user: 'alice', action: '', resource: 'a' });
    expect(considered.map(({ scopeStatement }) => scopeStatement)).toEqual([undefined, undefined]);
  });

  test('a scope that cannot be parsed allows nothing; the empty user has no bindings', () => {
    const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
    evaluator.setBinding({ user: 'dora', role: 'viewer', scope: broken });
    evaluator.setBinding({ user: '', role: 'viewer', scope: everywhere });
    const of = (user: string) => explain(evaluator, { user, action: 'orders:read', resource: 'a' }).considered;
    expect(of('dora')).toMatchObject([{ role: 'viewer', outcome: 'outside-scope', skipped: [] }]);
    expect(of('')).toEqual([]);
  });

  test('names policies that cannot be parsed', () => {
    const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
    evaluator.setPolicy('guard', broken);
    const { considered } = explain(evaluator, { user: 'alice', action: 'orders:read', resource: 'secret' });
    expect(considered[1]).toMatchObject({
      outcome: 'allowed',
      skipped: [
        { policy: 'missing', why: 'missing' },
        { policy: 'guard', why: 'unparsable' },
      ],
    });
  });
});

describe('formatExplanation', () => {
  const format = (request: EvaluatorQuestion) => formatExplanation(run(request)).split('\n');

  test('returns a few lines, the decision first', () => {
    expect(format({ user: 'alice', action: 'orders:read', resource: 'secret' })).toEqual([
      'Deny: user "alice", "orders:read" on "secret": nothing allows it, and an explicit Deny matched',
      '- bound to role "viewer": outside the scope',
      '    policy "reader" statement 1: Allow orders:read, orders:list on *',
      '- bound to role "careful": an explicit Deny',
      '    policy "guard" statement 2: Deny * on secret, secret:*',
      '    scope statement 1: Allow * on *',
      '    policy "missing" is missing',
    ]);
    expect(format({ roles: ['own'], action: 'orders:read', resource: 'public:a' })).toEqual([
      'Allow: "orders:read" on "public:a": granted',
      '- role "own": allows',
      '    policy "reader" statement 1: Allow orders:read, orders:list on *',
      '    scope statement 1: Allow * on public:*',
    ]);
  });

  test.each([
    [{ superuser: true, action: 'a:b', resource: 'c' }, 'Allow: "a:b" on "c": the superuser may do everything'],
    [{ action: 'a:b', resource: 'c' }, 'Deny: "a:b" on "c": the request names neither a user nor roles'],
    [{ user: '', action: 'a:b', resource: 'c' }, 'Deny: user "", "a:b" on "c": the user is empty'],
    [{ user: 'alice', action: '', resource: 'c' }, 'Deny: user "alice", "" on "c": the action is empty'],
    [{ user: 'x', action: 'a:b', resource: 'c' }, 'Deny: user "x", "a:b" on "c": the user has no binding'],
    [{ user: 'alice', action: 'a:b', resource: 'c' }, 'Deny: user "alice", "a:b" on "c": nothing allows it'],
  ] as [EvaluatorQuestion, string][])('begins with the decision and its reason: %j', (request, line) => {
    expect(format(request)[0]).toBe(line);
  });

  test('describes each outcome in words', () => {
    const text = [
      ...format({ user: 'alice', action: 'orders:read', resource: 'b' }),
      ...format({ user: 'alice', action: 'orders:write', resource: 'a' }),
      ...format({ user: 'carol', action: 'orders:write', resource: 'a' }),
    ];
    expect(text.filter((line) => line.startsWith('-'))).toEqual([
      '- bound to role "viewer": an explicit Deny in the scope',
      '- bound to role "careful": allows',
      '- bound to role "viewer": nothing in its policies allows this',
      '- bound to role "careful": nothing in its policies allows this',
      '- bound to role "viewer": the binding has no scope',
      '- bound to role "ghost": the role does not exist',
    ]);
  });
});

test.each([
  [undefined, 'no-subject'],
  [null, 'no-subject'],
  ['alice', 'no-subject'],
  [Object.create({ user: 'alice', action: 'orders:read', resource: 'a' }), 'no-subject'],
  [{ user: 'alice', action: 5, resource: 'a' }, 'empty-action'],
  [{ user: 'alice', action: 'orders:read', resource: undefined }, 'empty-action'],
  [{ user: 'stranger', roles: 'viewer', action: 'orders:read', resource: 'a' }, 'no-binding'],
])('explains an invalid request as it is decided: %j', (request, reason) => {
  const explanation = explain(createEvaluator(state), request as EvaluatorQuestion);
  expect([explanation.decision.allowed, explanation.by, explanation.reason]).toEqual([false, undefined, reason]);
  expect(formatExplanation(explanation)).toMatch(/^Deny: /);
});
