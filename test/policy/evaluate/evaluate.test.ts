import { describe, expect, test } from 'vitest';
import {
  createEvaluator,
  type EvaluatorQuestion,
  type Policy,
  type PolicyState,
  type Statement,
} from '../../../src/policy/index.ts';
import { allow, ask, denied, deny, everywhere, granted, policy, state } from '../support/fixtures.ts';

describe('the decision about a user', () => {
  test.each([
    ['alice orders:read x', granted],
    ['alice orders:read ', granted],
    ['alice orders:write x', denied],
    ['alice orders:read:x x', denied],
    ['alice  x', denied],
    ['bob orders:read a', granted],
    ['bob orders:read b:c', granted],
    ['bob orders:read c', denied],
    ['bob orders:read secret', denied],
    ['carol orders:read x', denied],
    ['dave orders:read x', denied],
    ['erin orders:read x', denied],
    ['stranger orders:read x', denied],
    [' orders:read x', denied],
  ])('is the expected one for %s', (text, decision) => {
    expect(ask(text)).toEqual(decision);
    expect(ask(text, 'sidecar')).toEqual(decision);
  });

  test('"*" does not match an empty action', () => {
    const all: PolicyState = {
      policies: { p: everywhere },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everywhere }],
    };
    expect(ask('u a ', 'documented', all)).toEqual(granted);
    expect(ask('u  x', 'documented', all)).toEqual(denied);
    expect(createEvaluator(all).evaluate({ roles: ['r'], action: '', resource: '' })).toEqual(denied);
  });

  test('a binding of the empty user applies to no user', () => {
    const nobody: PolicyState = { ...state, bindings: [{ user: '', role: 'viewer', scope: everywhere }] };
    expect(ask(' orders:read x', 'sidecar', nobody)).toEqual(denied);
  });
});

describe('the roles of a request', () => {
  const evaluator = createEvaluator(state);
  const read = { action: 'orders:read', resource: 'x' };
  test.each([
    [{ user: 'stranger', roles: ['viewer'], ...read }, granted],
    [{ user: 'stranger', roles: ['missing', 'viewer'], ...read }, granted],
    [{ user: 'stranger', roles: [], ...read }, denied],
    [{ user: 'stranger', roles: undefined, ...read }, denied],
    [{ user: 'alice', roles: ['blocked'], ...read }, granted],
    [{ user: 'stranger', roles: ['blocked'], ...read }, denied],
    [{ user: 'stranger', roles: ['careful'], action: 'orders:read', resource: 'secret' }, denied],
    [{ user: 'stranger', roles: ['careful', 'viewer'], action: 'orders:read', resource: 'secret' }, granted],
    [{ user: 'stranger', roles: ['scoped'], ...read }, denied],
    [{ user: 'stranger', roles: ['scoped'], action: 'orders:read', resource: 'public:x' }, granted],
    [{ user: 'stranger', roles: ['scoped'], action: 'orders:read', resource: 'public:secret' }, denied],
    [{ roles: ['viewer'], ...read }, granted],
    [{ roles: [], ...read }, denied],
    [{ user: '', roles: ['viewer'], ...read }, denied],
    [{ roles: ['viewer'], action: '', resource: 'x' }, denied],
  ] as [EvaluatorQuestion, object][])('count as expected: %j', (request, decision) => {
    expect(evaluator.evaluate(request)).toEqual(decision);
    expect(evaluator.evaluate(request)).toEqual(decision);
  });

  test('count in documented fidelity only', () => {
    const sidecar = createEvaluator(state, { fidelity: 'sidecar' });
    expect(sidecar.evaluate({ user: 'stranger', roles: ['viewer'], ...read })).toEqual(denied);
    expect(sidecar.evaluate({ roles: ['viewer'], ...read })).toEqual(denied);
  });

  test("a role's own scope does not count for bindings", () => {
    const bound = { ...state, bindings: [{ user: 'u', role: 'blocked', scope: everywhere }] };
    expect(ask('u orders:read x', 'documented', bound)).toEqual(granted);
    expect(ask('u orders:read x', 'sidecar', bound)).toEqual(granted);
  });
});

describe('the superuser', () => {
  const all = { effect: 'Allow', message: 'Superuser Allowed', allowed: true };
  // The casts below: values that JavaScript callers may pass.
  const evaluate = (request: object) => createEvaluator(state).evaluate(request as EvaluatorQuestion);

  test('denies values that are not text, even if everything is allowed', () => {
    const all = createEvaluator({
      policies: { p: everywhere },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everywhere }],
    });
    for (const odd of [undefined, null, 5, ['a:b'], {}]) {
      for (const subject of [{ user: 'u' }, { roles: ['r'] }]) {
        expect(all.evaluate({ ...subject, action: odd, resource: 'x' } as never)).toEqual(denied);
        expect(all.evaluate({ ...subject, action: 'a:b', resource: odd } as never)).toEqual(denied);
      }
    }
  });

  test('must be requested by name, and is then allowed everything', () => {
    expect(evaluate({ superuser: true, action: 'a:b', resource: 'c' })).toEqual(all);
    expect(evaluate({ superuser: true, action: '', resource: '' })).toEqual(all);
  });

  test.each([
    [{}],
    [{ user: undefined }],
    [{ user: null }],
    [{ superuser: false }],
    [{ superuser: 'true' }],
    [{ superuser: 1 }],
    [{ superuser: true, user: 'stranger' }],
    [{ superuser: true, user: '' }],
    [{ superuser: true, roles: [] }],
    [{ user: 5 }],
    [{ user: 'alice', action: undefined }],
    [{ user: 'alice', action: ['orders:read'] }],
    [{ user: 'alice', resource: undefined }],
    [{ user: 'alice', resource: 5 }],
    [{ user: 'stranger', roles: 'viewer' }],
    [{ user: 'stranger', roles: [null] }],
    [{ user: 'stranger', roles: {} }],
  ])('denies %j', (request) => {
    expect(evaluate({ action: 'orders:read', resource: 'x', ...request })).toEqual(denied);
  });
});

test('items other than strings grant nothing, however many roles there are', () => {
  const roles = new Map(Array.from({ length: 2_000 }, (_, i) => [`role${i}`, { policies: ['p'] }]));
  const evaluator = createEvaluator({ policies: { p: everywhere }, roles });
  // The cast: what JavaScript callers may pass.
  const evaluate = (items: unknown[]) =>
    evaluator.evaluate({ roles: items, action: 'a:b', resource: 'x' } as EvaluatorQuestion).allowed;
  expect([[null], [undefined], [7], [{}], [['role1']], [undefined, 'role1']].map(evaluate)).toEqual([
    ...Array.from({ length: 5 }, () => false),
    true,
  ]);
});

test('every one of many patterns counts, short or long', () => {
  const names = [...Array.from({ length: 9_000 }, (_, i) => `r${i}`), 'x'.repeat(300), 'y'.repeat(70_000)];
  const policies = new Map(names.map((name) => [name, policy(allow(`${name}:*`))]));
  const roles = new Map(names.map((name) => [name, { policies: [name] }]));
  const evaluator = createEvaluator({ policies, roles });
  for (const [i, name] of [...names, ...names].entries()) {
    const other = names[(i + 1) % names.length];
    const allowed = [name, other].map((one) => {
      return evaluator.evaluate({ roles: [name], action: 'a:b', resource: `${one}:1` }).allowed;
    });
    if (allowed[0] !== true || allowed[1] !== false) expect([name, ...allowed]).toEqual([name, true, false]);
  }
});

describe('decisions', () => {
  test('are shared and frozen', () => {
    const first = ask('alice orders:read x');
    expect(ask('bob orders:read a')).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(ask('stranger a b'))).toBe(true);
    expect(Object.isFrozen(createEvaluator().evaluate({ superuser: true, action: 'a', resource: 'b' }))).toBe(true);
  });

  test('an empty state denies everyone', () => {
    expect(createEvaluator().evaluate({ user: 'alice', action: 'a:b', resource: 'c' })).toEqual(denied);
    expect(createEvaluator().fidelity).toBe('documented');
  });

  test('neither keeps nor changes the caller’s objects', () => {
    const statement = { effect: 'Allow' as const, actions: ['a:b'], resources: ['x'] };
    const role = { policies: ['p'] };
    const scope = { statements: [{ ...everywhere.statements[0], actions: ['*'], resources: ['*'] }] } as Policy;
    const binding = { user: 'u', role: 'r', scope };
    const source = { policies: { p: { statements: [statement] } }, roles: { r: role }, bindings: [binding] };
    const evaluator = createEvaluator(source);
    const copy = JSON.stringify(source);
    expect(evaluator.evaluate({ user: 'u', action: 'a:b', resource: 'x' })).toEqual(granted);
    expect(JSON.stringify(source)).toBe(copy);
    statement.resources[0] = 'y';
    role.policies.length = 0;
    source.bindings.length = 0;
    evaluator.setPolicy('other', policy());
    expect(evaluator.evaluate({ user: 'u', action: 'a:b', resource: 'x' })).toEqual(granted);
    expect(evaluator.evaluate({ user: 'u', action: 'a:b', resource: 'y' })).toEqual(denied);
    const kept = evaluator.policy('p');
    expect([kept, kept?.statements, kept?.statements[0], kept?.statements[0]?.resources].every(Object.isFrozen)).toBe(
      true,
    );
  });

  test('each of many exact resources in many statements counts', () => {
    const statements = Array.from({ length: 100 }, (_, i) =>
      i % 10 === 9 ? deny(`r${i}`, 'x:*') : allow(`r${i}`, `s${i}`),
    );
    const many: PolicyState = {
      policies: { p: policy(...statements) },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everywhere }],
    };
    const evaluator = createEvaluator(many);
    for (let i = 0; i < 100; i++) {
      const { allowed } = evaluator.evaluate({ user: 'u', action: 'a:b', resource: `r${i}` });
      expect(allowed).toBe(i % 10 !== 9);
      expect(evaluator.evaluate({ user: 'u', action: 'a:b', resource: `t${i}` }).allowed).toBe(false);
    }
  });

  test('more actions than are cached decide as before', () => {
    const statements = Array.from(
      { length: 1100 },
      (_, i): Statement => ({ effect: 'Allow', actions: [`a:${i}`], resources: [`${i}`] }),
    );
    const evaluator = createEvaluator({
      policies: { p: policy(...statements) },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everywhere }],
    });
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 1100; i++) {
        for (const subject of [{ user: 'u' }, { roles: ['r'] }]) {
          const at = (resource: string) => evaluator.evaluate({ ...subject, action: `a:${i}`, resource }).allowed;
          expect([i, at(`${i}`), at(`${i + 1}`)]).toEqual([i, true, false]);
        }
      }
    }
  });
});
