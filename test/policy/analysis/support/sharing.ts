import fc from 'fast-check';
import { expect } from 'vitest';
import type { AccessPair, AccessRegion, RegionPattern } from '../../../../src/policy/analysis/analysis-types.ts';
import { compare, regionContains } from '../../../../src/policy/analysis/index.ts';
import { Model } from '../../../../src/policy/analysis/read-evaluator.ts';
import { type Area, meetPairs, merge, type Pair, subtract, toRegion } from '../../../../src/policy/analysis/region.ts';
import { Space } from '../../../../src/policy/analysis/space.ts';
import { Work } from '../../../../src/policy/analysis/work.ts';
import {
  createEvaluator,
  type Evaluator,
  type Fidelity,
  type Policy,
  type Statement,
} from '../../../../src/policy/index.ts';

// Users with scopes of many names. Policies name some of these names, parts of them, and segments below them.

const users = ['ann', 'bob', 'cy', 'dee'];
const nameArb = fc
  .tuple(fc.constantFrom('a', 'ab', 'b'), fc.nat({ max: 12 }), fc.constantFrom('', '', '', '', '', '', ':x', ':y'))
  .map(([letter, i, more]) => `${letter}${i}${more}`);
/** Names that hardly a pattern tells apart. */
const plainNameArb = fc.nat({ max: 30 }).map((i) => `c${i}`);
const belowArb = fc.constantFrom(':*', ':*', ':*', ':*', ':docs:*', ':*:secret', '');
const wideArb = fc.constantFrom(
  '*',
  '*',
  '*',
  'a*:*',
  '*1:*',
  '*:docs:*',
  '*:x:*',
  'a1:*',
  'a1:docs:*',
  'a*:*:secret',
  '*:x',
  'b2',
);
const actionArb = fc.constantFrom('d:read', 'd:write', 'd:*', '*');

const statement = (resources: fc.Arbitrary<string[]>): fc.Arbitrary<Statement> =>
  fc.record({
    effect: fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'),
    actions: fc.uniqueArray(actionArb, { minLength: 1, maxLength: 2 }),
    resources,
  });

const policyArb: fc.Arbitrary<Policy> = fc.record({
  statements: fc.array(statement(fc.array(wideArb, { minLength: 1, maxLength: 2 })), { minLength: 1, maxLength: 3 }),
});

/** Names with the same content below each of them, and some other statements. */
const ownScopeArb: fc.Arbitrary<Policy> = fc
  .tuple(
    fc.oneof(
      fc.uniqueArray(nameArb, { minLength: 6, maxLength: 16 }),
      fc.uniqueArray(plainNameArb, { minLength: 6, maxLength: 16 }),
    ),
    fc.array(belowArb, { minLength: 1, maxLength: 2 }),
    fc.array(statement(fc.array(fc.oneof(wideArb, nameArb), { minLength: 1, maxLength: 2 })), {
      maxLength: 1,
      size: 'xsmall',
    }),
    fc.nat({ max: 3 }),
  )
  .map(([names, below, others, denies]) => ({
    statements: [
      {
        effect: 'Allow' as const,
        actions: ['*'],
        resources: names.flatMap((name) => below.map((rest) => name + rest)),
      },
      ...(denies === 0 ? [{ effect: 'Deny' as const, actions: ['d:write'], resources: [`${names[0]}:docs:*`] }] : []),
      ...others,
    ],
  }));

const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const bindingArb = fc.record({
  user: fc.constantFrom(...users, 'ann:x'),
  role: fc.constantFrom('r', 's'),
  scope: fc.oneof({ arbitrary: ownScopeArb, weight: 3 }, fc.constant(everything)),
});

const stateArb = fc.record({
  policies: fc.record({ p: policyArb, q: policyArb }),
  roles: fc.constant({ r: { policies: ['p'] }, s: { policies: ['p', 'q'] }, t: { policies: ['q'] } }),
  /** True if all users lose a role that is bound everywhere. */
  leaves: fc.constantFrom(true, true, true, false),
  bindings: fc.uniqueArray(bindingArb, { minLength: 3, maxLength: 8, selector: ({ user, role }) => `${user} ${role}` }),
});

type State = typeof stateArb extends fc.Arbitrary<infer T> ? T : never;

const stateOf = ({ leaves, bindings, ...state }: State) => ({
  ...state,
  bindings: [...bindings, ...(leaves ? users.map((user) => ({ user, role: 't', scope: everything })) : [])],
});

/** A second state: the first one with some bindings and policies of the other. */
const mix = (one: State, other: State, seed: number): State => ({
  policies: seed & 1 ? { ...one.policies, p: other.policies.p } : one.policies,
  roles: one.roles,
  leaves: false,
  bindings: one.bindings.flatMap((binding, i) => {
    if ((seed >> (i + 2)) & 1) return { ...binding, scope: other.bindings[i]?.scope ?? everything };
    // Access to everything is lost, and that to the names stays.
    return seed & 2 && binding.scope === everything ? [] : binding;
  }),
});

const textsOf = (pattern: RegionPattern) => (typeof pattern === 'string' ? [pattern] : pattern.all);

/** The pair of a region's patterns. */
function pairOf(action: RegionPattern, resource: RegionPattern, space: Space): Pair {
  const pairs = textsOf(action).flatMap((one) => textsOf(resource).map((other) => space.pair(one, other)));
  return pairs.reduce((one, other) => {
    const both = meetPairs(one, other, space.work);
    if (both === undefined) throw new Error('the patterns of a region do not overlap');
    return both;
  });
}

/** The regions of a user as areas, with the names of the user filled in. */
function areasOf(regions: readonly AccessRegion[], user: string, space: Space): Area[] {
  return regions.flatMap(({ users, own, except, ...region }) => {
    const names = own?.[users.indexOf(user)] ?? [];
    const pairs = ({ action, resource }: AccessPair) =>
      typeof resource === 'object' && 'own' in resource
        ? names.map((name) => pairOf(action, { all: resource.own.map((rest) => name + rest) }, space))
        : [pairOf(action, resource, space)];
    const area = (pair: Pair): Area => ({ pair, except: except.flatMap(pairs), because: [] });
    return users.includes(user) ? pairs(region).map(area) : [];
  });
}

/** The areas of a user in one state, and not in the other, from the user's own bindings alone. */
function unshared(one: Model, other: Model, user: string): Area[] {
  const areas = (model: Model) => model.areas(model.bound(model.evaluator.bindings(user)));
  return merge([...subtract(areas(one), areas(other), one.space.work)], one.space.work);
}

/** `compare` shares the differences of users with scopes of many names, and finds exactly those of each user. */
export function checkSharing(fidelity: Fidelity, numRuns: number): void {
  let shared = 0;
  let excepted = 0;
  fc.assert(
    fc.property(stateArb, stateArb, fc.nat({ max: 1_023 }), (first, other, seed) => {
      const [before, after] = [first, mix(first, other, seed)].map((state) =>
        createEvaluator(stateOf(state), { fidelity }),
      ) as [Evaluator, Evaluator];
      const found = compare(before, after);
      shared += [...found.gained, ...found.lost].filter(({ own }) => own).length;
      excepted += found.lost.filter(({ own, resource }) => own && typeof resource === 'string').length;
      const space = new Space(new Work({}));
      const [had, has] = [new Model(before, space), new Model(after, space)];
      for (const user of users) {
        for (const [regions, expected] of [
          [found.gained, unshared(has, had, user)],
          [found.lost, unshared(had, has, user)],
        ] as const) {
          const areas = areasOf(regions, user, space);
          const beyond = [...subtract(areas, expected, space.work)].map(toRegion);
          const missing = [...subtract(expected, areas, space.work)].map(toRegion);
          if (beyond.length + missing.length > 0) expect({ user, beyond, missing }).toBe('equal');
        }
      }
      for (const [regions, allows, denies] of [
        [found.gained, after, before],
        [found.lost, before, after],
      ] as const) {
        for (const region of regions) {
          const { action, resource } = region.witness;
          expect(regionContains(region, region.witness)).toBe(true);
          expect(allows.isAllowed(region.witness)).toBe(true);
          expect(denies.isAllowed(region.witness)).toBe(false);
          for (const user of region.users) {
            if (!regionContains(region, { user, action, resource })) continue;
            expect(allows.isAllowed({ user, action, resource })).toBe(true);
            expect(denies.isAllowed({ user, action, resource })).toBe(false);
          }
        }
      }
    }),
    { numRuns },
  );
  // Otherwise nothing would have been shared.
  expect(shared).toBeGreaterThan(numRuns / 4);
  expect(excepted).toBeGreaterThan(0);
}
