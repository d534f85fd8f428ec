import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Binding, createEvaluator, type Evaluator, type Policy, PolicyError } from '../../../src/policy/index.ts';
import { scopeArb } from '../support/arbitrary.ts';

// A scope equal to a loaded one is not validated again. Invalid scopes are rejected all the same.

const scope: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['t:*'] }] };
const statement = { effect: 'Allow', actions: ['*'], resources: ['t:*'] };
const withStatement = (more: object) => ({ statements: [{ ...statement, ...more }] });
const holes = (array: unknown[]) => {
  delete array[0];
  return array;
};
const pick = (evaluator: Evaluator) => ({ faults: evaluator.faults('v'), bindings: evaluator.bindings('v') });
const notSound: readonly (readonly [string, unknown])[] = [
  ['a boxed resource', withStatement({ resources: [new String('t:*')] })],
  ['a boxed action', withStatement({ actions: [new String('*')] })],
  ['a boxed effect', withStatement({ effect: new String('Allow') })],
  ['a function as description', { ...scope, description: () => 'x' }],
  ['a symbol as description of a statement', withStatement({ description: Symbol('x') })],
  ['an own toJSON', { toJSON: () => scope }],
  ['an own toJSON of a statement', { statements: [{ toJSON: () => statement }] }],
  ['a text as resources', withStatement({ resources: 't:*' })],
  ['statements by number', { statements: { 0: statement, length: 1 } }],
  ['a hole among statements', { statements: holes([statement]) }],
  ['a hole among resources', withStatement({ resources: holes(['t:*']) })],
  ['inherited fields', Object.create(scope)],
  ['an inherited effect', { statements: [Object.create(statement)] }],
  ['one more resource that is not one', withStatement({ resources: ['t:*', 5] })],
  ['a number', 5],
];

describe('a scope that only looks like a known one', () => {
  test.each(notSound)('is rejected: %s', (_, odd) => {
    const bindings = [
      { user: 'u', role: 'r', scope },
      { user: 'v', role: 'r', scope: odd },
    ] as Binding[];
    const refuse = (list: readonly Binding[]) => {
      try {
        createEvaluator({ bindings: list });
      } catch (error) {
        if (error instanceof PolicyError) return error.issues.map(({ path, message }) => [path.slice(2), message]);
      }
      return undefined;
    };
    const alone = refuse(bindings.slice(1));
    expect(alone?.length).toBeGreaterThan(0);
    expect(refuse(bindings)).toEqual(alone);
    const evaluator = createEvaluator({ bindings: bindings.slice(0, 1) });
    expect(() => evaluator.setBinding(bindings[1] as Binding)).toThrow(PolicyError);
    // In sidecar fidelity it is loaded as it would be alone: with its faults, or as a Deny.
    const [after, first] = [bindings, bindings.slice(1)].map((list) => {
      const { faults, bindings } = pick(createEvaluator({ bindings: list }, { fidelity: 'sidecar' }));
      return { faults: faults.map(({ path, message }) => [path.slice(2), message]), bindings };
    });
    expect(after).toEqual(first);
    expect(after?.bindings).not.toEqual([{ user: 'v', role: 'r', scope }]);
  });

  test.each([
    ['Array', () => Array.prototype, 0, 't:*'],
    ['Object', () => Object.prototype, 0, 't:*'],
    ['Object', () => Object.prototype, 'effect', 'Allow'],
    ['Object', () => Object.prototype, 'statements', scope.statements],
    ['Object', () => Object.prototype, 'role', 'r'],
  ] as const)('is rejected, too, with a polluted %s.prototype: %s', (_, prototype, key, value) => {
    const polluted = prototype() as unknown as Record<PropertyKey, unknown>;
    const { effect: _effect, ...noEffect } = statement;
    const lacking: Readonly<Record<string, unknown>> = {
      0: { user: 'v', role: 'r', scope: withStatement({ resources: new Array(1) }) },
      effect: { user: 'v', role: 'r', scope: { statements: [noEffect] } },
      statements: { user: 'v', role: 'r', scope: {} },
      role: { user: 'v', scope },
    };
    const evaluator = createEvaluator({ bindings: [{ user: 'u', role: 'r', scope }] });
    polluted[key] = value;
    let thrown: unknown;
    try {
      evaluator.setBinding(lacking[key] as Binding);
    } catch (error) {
      thrown = error;
    } finally {
      delete polluted[key];
    }
    expect(thrown).toBeInstanceOf(PolicyError);
  });
});

test('equal scopes are stored once, however they were built; others are kept apart', () => {
  fc.assert(
    fc.property(fc.array(scopeArb, { minLength: 1, maxLength: 20 }), fc.boolean(), (scopes, sidecar) => {
      const described = scopes.flatMap((one) => [one, { ...one, description: 'x' }]);
      const twice = [...described, ...described.map((one) => Object.assign(Object.create(null), structuredClone(one)))];
      const evaluator = createEvaluator(
        { bindings: twice.map((one, i) => ({ user: `u${i}`, role: 'r', scope: one })) },
        { fidelity: sidecar ? 'sidecar' : 'documented' },
      );
      const stored = twice.map((_, i) => evaluator.bindings(`u${i}`)[0]?.scope);
      expect(stored).toEqual(twice.map((one) => ({ ...one })));
      expect(new Set(stored).size).toBe(new Set(described.map((one) => JSON.stringify(one))).size);
    }),
  );
});

test('texts with commas do not make two scopes equal', () => {
  const make = (...resources: string[]) => ({ statements: [{ effect: 'Allow' as const, actions: ['*'], resources }] });
  const scopes = [make('a', 'b'), make('a,b'), make('a', 'b'), make('a,b')];
  const evaluator = createEvaluator({ bindings: scopes.map((one, i) => ({ user: `u${i}`, role: 'r', scope: one })) });
  expect(scopes.map((_, i) => evaluator.bindings(`u${i}`)[0]?.scope)).toEqual(scopes);
});

test('unknown fields of a scope are ignored, and null is a missing description', () => {
  const odd = {
    ...scope,
    other: () => 1,
    statements: [{ ...statement, other: 5, description: null }],
    description: null,
  };
  const bindings = [
    { user: 'u', role: 'r', scope },
    { user: 'v', role: 'r', scope: odd as unknown as Policy },
  ];
  const evaluator = createEvaluator({ bindings });
  expect(evaluator.bindings('v')[0]?.scope).toBe(evaluator.bindings('u')[0]?.scope);
});
