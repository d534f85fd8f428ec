import { describe, expect, test } from 'vitest';
import { createEvaluator, type Policy, type PolicyState } from '../../../src/policy/index.ts';
import { allow, ask, broken, denied, deny, everywhere, granted, policy, state } from '../support/fixtures.ts';

describe('sidecar fidelity', () => {
  test('skips policies and scopes that cannot be parsed, as a whole', () => {
    const odd: PolicyState = {
      ...state,
      policies: { ...state.policies, broken, alien: { statements: 'x' } as never, none: null as never },
      roles: {
        half: { policies: ['broken', 'alien', 'none', 'reader'] },
        list: { policies: ['reader', 5 as never] },
        none: null as never,
        wrong: { policies: 'reader' } as never,
      },
      bindings: [
        { user: 'hugo', role: 'half', scope: everywhere },
        { user: 'ida', role: 'half', scope: policy(...everywhere.statements, allow('*x*')) },
        { user: 'jan', role: 'list', scope: everywhere },
        { user: 'kim', role: 'none', scope: everywhere },
        { user: 'kim', role: 'wrong', scope: everywhere },
        null as never,
        { user: 5, role: 'half', scope: everywhere } as never,
        { user: 'mia', role: 'viewer', scope: { statements: 5 } } as never,
        { user: 'mia', role: 'list', scope: null },
        { user: '', role: 'list', scope: everywhere },
        { user: 'leo', role: 5, scope: everywhere } as never,
      ],
    };
    expect(ask('hugo orders:read axb', 'sidecar', odd)).toEqual(granted);
    expect(ask('ida orders:read axb', 'sidecar', odd)).toEqual(denied);
    expect(ask('jan orders:read x', 'sidecar', odd)).toEqual(granted);
    expect(ask('kim orders:read x', 'sidecar', odd)).toEqual(denied);
    expect(ask('leo orders:read x', 'sidecar', odd)).toEqual(denied);
    expect(ask('mia orders:read x', 'sidecar', odd)).toEqual(denied);
    expect(ask(' orders:read x', 'sidecar', odd)).toEqual(denied);
    const evaluator = createEvaluator(odd, { fidelity: 'sidecar' });
    expect(evaluator.policy('broken')).toEqual({ statements: [] });
    expect(evaluator.role('list')).toEqual({ policies: ['reader'] });
    expect(evaluator.role('wrong')).toEqual({ policies: [] });
    expect(evaluator.bindings('leo')).toEqual([]);
    evaluator.setBinding({ user: 5, role: 'half', scope: everywhere } as never);
    evaluator.setPolicy('reader', broken);
    expect(evaluator.evaluate({ user: 'jan', action: 'orders:read', resource: 'x' })).toEqual(denied);
  });

  test('treats an unknown effect as a Deny', () => {
    const odd: PolicyState = {
      ...state,
      policies: { reader: policy(allow('*'), { ...deny('x'), effect: 'allow' as never }) },
    };
    expect(ask('alice orders:read x', 'sidecar', odd)).toEqual(denied);
    expect(ask('alice orders:read y', 'sidecar', odd)).toEqual(granted);
  });

  test('`faults` lists the skipped items of a user only', () => {
    const evaluator = createEvaluator(
      {
        ...state,
        policies: { ...state.policies, broken },
        roles: { ...state.roles, careless: { policies: ['reader', 'broken'] } },
      },
      { fidelity: 'sidecar' },
    );
    expect(evaluator.faults('alice')).toEqual([]);
    expect(evaluator.faults('stranger')).toEqual([]);
    evaluator.setBinding({ user: 'pete', role: 'careless', scope: everywhere });
    evaluator.setBinding({ user: 'pete', role: 'viewer', scope: policy(allow('b:*y*')) });
    evaluator.setBinding({ user: 'pete', role: 'missing', scope: everywhere });
    evaluator.setBinding({ user: 'pete', role: 'careful' });
    const message = (segment: string) => expect.stringContaining(`has the segment "${segment}"`);
    expect(evaluator.faults('pete')).toEqual([
      {
        role: 'careless',
        policy: 'broken',
        path: ['policies', 'broken', 'statements', 0, 'resources', 0],
        segment: '*x*',
        message: message('*x*'),
      },
      {
        role: 'viewer',
        path: ['binding', 'scope', 'statements', 0, 'resources', 0],
        segment: '*y*',
        message: message('*y*'),
      },
    ]);
    evaluator.setPolicy('broken', policy());
    evaluator.setBinding({ user: 'pete', role: 'viewer', scope: everywhere });
    expect(evaluator.faults('pete')).toEqual([]);
  });
});

describe('reading and cloning', () => {
  test('returns the values that were set', () => {
    const described = {
      policies: { p: { statements: [{ ...allow('x'), description: 'why' }], description: 'all' } },
      roles: {
        r: { policies: ['p', 'p'], scope: everywhere, description: 'role' },
        bare: { policies: [], scope: null },
      },
      bindings: [
        { user: 'u', role: 'r', scope: { ...everywhere, description: 'scope' } },
        { user: 'u', role: 'r', scope: everywhere },
        { user: 'u', role: 'bare' },
      ],
    };
    const evaluator = createEvaluator(described);
    expect(evaluator.policy('p')).toStrictEqual(described.policies.p);
    expect(evaluator.role('r')).toStrictEqual(described.roles.r);
    expect(evaluator.role('bare')).toStrictEqual({ policies: [] });
    expect(evaluator.bindings('u')).toStrictEqual(described.bindings);
    expect([evaluator.policy('x'), evaluator.role('x'), evaluator.bindings('x')]).toEqual([undefined, undefined, []]);
    evaluator.setBinding({ user: 'u', role: 'r', scope: policy() });
    expect(evaluator.bindings('u')).toEqual([
      { user: 'u', role: 'bare' },
      { user: 'u', role: 'r', scope: policy() },
    ]);
    expect(evaluator.deleteBinding('u', 'x')).toBe(false);
    expect(evaluator.deleteBinding('u', 'r')).toBe(true);
    expect(evaluator.deleteBinding('u', 'bare')).toBe(true);
    expect(evaluator.deleteBinding('u', 'bare')).toBe(false);
  });

  test('keeps scopes apart that differ in one place only', () => {
    const scopes: Policy[] = [
      policy(allow('a', 'b')),
      policy(allow('a'), allow('b')),
      policy(allow('a,b')),
      policy(deny('a', 'b')),
      policy({ effect: 'Allow', actions: ['*', 'a:a'], resources: ['b'] }),
      { ...policy(allow('a', 'b')), description: 'x' },
      policy({ ...allow('a', 'b'), description: 'x' }),
      policy({ ...allow('a', 'b'), description: '' }),
    ];
    const evaluator = createEvaluator({
      bindings: [...scopes, ...scopes].map((scope) => ({ user: 'u', role: 'r', scope })),
    });
    expect(evaluator.bindings('u').map(({ scope }) => scope)).toEqual([...scopes, ...scopes]);
    // Equal scopes of one load are stored once.
    expect(new Set(evaluator.bindings('u').map(({ scope }) => scope)).size).toBe(scopes.length);
  });

  test('a clone and its origin are independent', () => {
    const origin = createEvaluator(state, { fidelity: 'sidecar' });
    const clone = origin.clone();
    expect(clone.fidelity).toBe('sidecar');
    const read = { user: 'alice', action: 'orders:read', resource: 'x' };
    clone.deletePolicy('reader');
    expect([origin.evaluate(read).allowed, clone.evaluate(read).allowed]).toEqual([true, false]);
    origin.deleteBinding('alice', 'viewer');
    clone.setPolicy('reader', everywhere);
    expect([origin.evaluate(read).allowed, clone.evaluate(read).allowed]).toEqual([false, true]);
    const late = clone.clone();
    late.setRole('viewer', { policies: [] });
    clone.setRole('more', { policies: [] });
    expect([clone.evaluate(read).allowed, late.evaluate(read).allowed]).toEqual([true, false]);
    expect([origin.role('more'), late.role('more')]).toEqual([undefined, undefined]);
  });
});
