import { describe, expect, test } from 'vitest';
import { compare, formatComparison, regionContains } from '../../../src/policy/analysis/index.ts';
import { allow, everywhere, policy } from '../support/fixtures.ts';

const comparison = compare(
  {},
  {
    policies: { p: policy(allow('*')) },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'u', role: 'r', scope: everywhere }],
  },
);

describe('formatComparison', () => {
  test('names a statement once if both a binding and a request grant it', () => {
    const [region] = comparison.gained;
    expect(region?.because.map(({ via }) => via)).toEqual(['binding', 'request']);
    expect(formatComparison(comparison, 'details').split('\n').slice(2)).toEqual([
      '    by role "r", policy "p" statement 1',
    ]);
  });

  test('writes JSON that parses to the comparison', () => {
    const parsed = JSON.parse(formatComparison(comparison, 'json'));
    expect(parsed).toEqual(comparison);
    expect(formatComparison(parsed)).toBe(formatComparison(comparison));
    expect(formatComparison(parsed)).toBe(
      '+ user "u" of role "r" and requests that name role "r" gain * on * – policy "p" statement 1',
    );
  });
});

test('a question without an action or a resource lies in no region', () => {
  const region = { action: '*', resource: '*', except: [] };
  expect(regionContains(region, { action: 'a:b', resource: 'x' })).toBe(true);
  expect(regionContains(region, { action: 'a:b' } as never)).toBe(false);
  expect(regionContains(region, { resource: 'x' } as never)).toBe(false);
  expect(regionContains(region, { action: 'a:b', resource: 7 as never })).toBe(false);
});
