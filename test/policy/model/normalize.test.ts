import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator, normalizePolicy, type Policy, samePolicy } from '../../../src/policy/index.ts';
import { requestFor, stateArb } from '../support/arbitrary.ts';
import { allow, deny, policy } from '../support/fixtures.ts';

const statement = { effect: 'Allow', actions: ['b:c', 'a:b', 'b:c'], resources: ['\ue000', '😀', 'a', 'a'] } as const;

describe('normalizePolicy', () => {
  test('fills in descriptions, sorts by code point and drops duplicates, and keeps the order of statements', () => {
    const source = { statements: [statement, { ...deny('x'), description: 'why' }] };
    const before = structuredClone(source);
    expect(normalizePolicy(source)).toStrictEqual({
      statements: [
        { effect: 'Allow', resources: ['a', '\ue000', '😀'], actions: ['a:b', 'b:c'], description: '' },
        { effect: 'Deny', resources: ['x'], actions: ['*'], description: 'why' },
      ],
      description: '',
    });
    expect(normalizePolicy({ ...policy(), description: 'all' })).toStrictEqual({ statements: [], description: 'all' });
    expect(source).toEqual(before);
  });

  test('treats an effect other than Allow as Deny', () => {
    const odd = normalizePolicy(policy({ ...allow('x'), effect: 'allow' as never }));
    expect(odd.statements[0]?.effect).toBe('Deny');
  });

  test('keeps decisions', () => {
    fc.assert(
      fc.property(stateArb, fc.array(fc.nat(), { minLength: 10, maxLength: 10 }), (state, numbers) => {
        const normal = new Map([...state.policies].map(([name, one]) => [name, normalizePolicy(one)]));
        const [before, after] = [createEvaluator(state), createEvaluator({ ...state, policies: normal })];
        for (const number of numbers) {
          const request = requestFor(state, number);
          expect(after.evaluate(request)).toBe(before.evaluate(request));
        }
        for (const [name, one] of normal) expect(samePolicy(one, state.policies.get(name))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('samePolicy', () => {
  const one = policy(allow('a', 'b'), deny('c'));
  test.each<[string, Policy | null | undefined, Policy | null | undefined, boolean]>([
    ['itself', one, structuredClone(one), true],
    ['statements in another order', one, policy(deny('c'), allow('a', 'b')), true],
    ['a statement twice', one, policy(deny('c'), allow('b', 'a'), deny('c')), true],
    ['lists in another order', policy(statement), policy({ ...statement, actions: ['a:b', 'b:c'] }), true],
    ['an empty description', one, { ...one, description: '' }, true],
    ['a description', one, { ...one, description: 'x' }, false],
    ['an empty description of a statement', policy(allow('a')), policy({ ...allow('a'), description: '' }), true],
    ['a description of a statement', policy(allow('a')), policy({ ...allow('a'), description: 'x' }), false],
    ['an additional statement', one, policy(...one.statements, allow('d')), false],
    ['a missing statement', one, policy(allow('a', 'b')), false],
    ['another effect', policy(allow('a')), policy(deny('a')), false],
    ['another action', policy(allow('a')), policy({ ...allow('a'), actions: ['a:*'] }), false],
    ['another resource', policy(allow('a')), policy(allow('b')), false],
    ['resources in two statements', policy(allow('a', 'b')), policy(allow('a'), allow('b')), false],
    ['a resource with the separator', policy(allow('a","b')), policy(allow('a', 'b')), false],
    ['both missing', undefined, null, true],
    ['both missing, the other way', null, undefined, true],
    ['missing and empty', undefined, policy(), false],
    ['empty and missing', policy(), null, false],
  ])('is true or false, in both directions: %s', (_, a, b, same) => {
    expect(samePolicy(a, b)).toBe(same);
    expect(samePolicy(b, a)).toBe(same);
  });
});
