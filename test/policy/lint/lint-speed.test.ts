import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lint, type Policy } from '../../../src/policy/index.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { everywhere } from '../support/fixtures.ts';
import { lintPairs } from '../support/quadratic-lint.ts';

const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', 'ab*', '*ab', 'c');
const action = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  { weight: 6, arbitrary: fc.tuple(segment, segment).map((parts) => parts.join(':')) },
);
const resource = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(':'));
const statement = fc.record({
  effect: fc.constantFrom('Allow' as const, 'Deny' as const),
  actions: fc.array(action, { maxLength: 3 }),
  resources: fc.array(resource, { maxLength: 3 }),
});
const policy = fc.record({ statements: fc.array(statement, { maxLength: 8 }) });
const names = (list: readonly string[]) => fc.constantFrom(...list);
const state = fc.record({
  policies: fc.dictionary(names(['p', 'q', 'r', 's']), policy),
  roles: fc.dictionary(names(['x', 'y', 'z']), fc.record({ policies: fc.array(names(['p', 'q', 'r', 's', 'none'])) })),
  bindings: fc.array(
    fc.record({ user: names(['u', 'v']), role: names(['x', 'y', 'z', 'none']), scope: fc.constant(everywhere) }),
    { maxLength: 6 },
  ),
});

test('the findings about overlapping statements equal those of comparing each pair', () => {
  let found = 0;
  fc.assert(
    fc.property(state, (one) => {
      const ours = lint(one).filter(({ rule }) => rule === 'shadowed-allow' || rule === 'deny-stays-inside');
      expect(ours).toEqual(lintPairs(one));
      found += ours.length;
    }),
    runsOf(1_000),
  );
  expect(found).toBeGreaterThan(partOf(500));
});

/** Statements of which no two overlap; every other one is a Deny. */
const apart = (count: number, resourceOf: (i: number) => string, actionOf: (i: number) => string): Policy => ({
  statements: Array.from({ length: count }, (_, i) => ({
    effect: i % 2 === 0 ? 'Allow' : 'Deny',
    actions: [actionOf(i)],
    resources: [resourceOf(i)],
  })),
});

// Each needs another part of the index: the last segment, one before it, and the actions.
const manyApart: readonly (readonly [string, Policy])[] = [
  [
    'by the last segment of the resource',
    apart(
      8_000,
      (i) => `orders:tenant:${i}`,
      () => 'orders:read',
    ),
  ],
  [
    'by the middle of the resource',
    apart(
      8_000,
      (i) => `orders:t${i}:*`,
      () => 'orders:*',
    ),
  ],
  [
    'by the action',
    apart(
      8_000,
      () => '*',
      (i) => `service${i}:read`,
    ),
  ],
];

test.each(manyApart)('8 000 statements that differ %s are linted without comparing each pair', (_, many) => {
  const half = (effect: string): Policy => ({ statements: many.statements.filter((one) => one.effect === effect) });
  const sample = {
    policies: { all: many, allows: half('Allow'), denies: half('Deny') },
    roles: { one: { policies: ['all'] }, allower: { policies: ['allows'] }, denier: { policies: ['denies'] } },
    bindings: ['one', 'allower', 'denier'].map((role) => ({ user: 'u', role, scope: everywhere })),
  };
  const started = process.threadCpuUsage();
  // The role of the denials alone has no Allow.
  expect(new Set(lint(sample).map(({ rule }) => rule))).toEqual(new Set(['needless-deny']));
  const { user, system } = process.threadCpuUsage(started);
  // Comparing each pair takes 5 s and more.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});

test('a state with a million findings is linted up to the thousandth', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `r${i}`);
  const narrow = { effect: 'Deny', actions: ['*'], resources: ['x'] } as const;
  const sample = {
    policies: { p: { statements: [...everywhere.statements, narrow] } },
    roles: Object.fromEntries(names.map((name) => [name, { policies: ['p'] }])),
    bindings: names.map((role) => ({ user: 'u', role, scope: everywhere })),
  };
  const started = process.threadCpuUsage();
  const findings = lint(sample);
  const { user, system } = process.threadCpuUsage(started);
  expect([findings.length, new Set(findings.map(({ rule }) => rule))]).toEqual([1_000, new Set(['deny-stays-inside'])]);
  // Checking all of them takes several seconds.
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

test('pairs of roles without a Deny cost no time', () => {
  const names = Array.from({ length: 3_000 }, (_, i) => `r${i}`);
  const sample = {
    policies: { p: everywhere },
    roles: Object.fromEntries(names.map((name) => [name, { policies: ['p'] }])),
    bindings: names.map((role) => ({ user: 'u', role, scope: everywhere })),
  };
  const started = process.threadCpuUsage();
  expect(lint(sample)).toEqual([]);
  const { user, system } = process.threadCpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(1_500);
});
