import fc from 'fast-check';
import { expect } from 'vitest';
import type { AccessRegion } from '../../../../src/policy/analysis/analysis-types.ts';
import {
  compare,
  excessAccess,
  grants,
  missingAccess,
  regionContains,
  resourceFilter,
  whoCan,
} from '../../../../src/policy/analysis/index.ts';
import { createEvaluator, type Evaluator, type Fidelity } from '../../../../src/policy/index.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { faultyStateArb, requestFor, type State, stateArb } from '../../support/arbitrary.ts';
import { dice, rewrite } from './rewrite.ts';

/** The questions of each state. */
const perState = 50;

const anyState = (fidelity: Fidelity) => (fidelity === 'sidecar' ? faultyStateArb : stateArb);
const seedArb = fc.nat({ max: 0x7fffffff });

/** Questions that follow from a state. */
function questions(state: State, seed: number, count = perState) {
  const below = dice(seed);
  return Array.from({ length: count }, () => requestFor(state, below(0x7fffffff)));
}

/** Fails with the question: a call of `expect` for each would cost more than the analysis. */
function agree(question: object, found: boolean, expected: boolean): void {
  if (found !== expected) expect({ question, found }).toEqual({ question, found: expected });
}

/** `grants` holds a question exactly if the evaluator allows it, and so does `resourceFilter`. */
export function checkGrants(fidelity: Fidelity, numRuns: number): void {
  fc.assert(
    fc.property(anyState(fidelity), seedArb, (state, seed) => {
      const evaluator = createEvaluator(state, { fidelity });
      const known = new Map<string, ReturnType<typeof grants>>();
      for (const [i, { user, roles, action, resource }] of questions(state, seed).entries()) {
        const subject = roles ? { user, roles } : { user };
        const question = { ...subject, action, resource };
        const allowed = evaluator.isAllowed(question);
        const key = JSON.stringify(subject);
        const regions = known.get(key) ?? grants(evaluator, subject);
        known.set(key, regions);
        agree(
          question,
          regions.some((region) => regionContains(region, question)),
          allowed,
        );
        if (i % 5 === 0) agree(question, resourceFilter(evaluator, { ...subject, action }).matches(resource), allowed);
      }
    }),
    runsOf(numRuns),
  );
}

/** `whoCan` lists exactly the users and roles whom the evaluator allows. */
export function checkWhoCan(fidelity: Fidelity, numRuns: number): void {
  fc.assert(
    fc.property(anyState(fidelity), seedArb, (state, seed) => {
      const evaluator = createEvaluator(state, { fidelity });
      const [users, roles] = [evaluator.users(), evaluator.roles()];
      for (const { action, resource } of questions(state, seed, 8)) {
        const found = whoCan(evaluator, { action, resource });
        const may = (subject: { user: string } | { roles: string[] }) =>
          evaluator.isAllowed({ ...subject, action, resource });
        const expected = [
          ...users.filter((user) => may({ user })),
          ...roles.filter((role) => may({ roles: [role] })).map((role) => `role ${role}`),
        ];
        const names = found.map(({ user, role }) => user ?? `role ${role}`);
        if (names.join() !== expected.join())
          expect({ action, resource, names }).toEqual({ action, resource, names: expected });
      }
    }),
    runsOf(numRuns),
  );
}

/** Every witness of these regions is a question of theirs that one evaluator allows and the other denies. */
function checkWitnesses(regions: readonly AccessRegion[], allows: Evaluator, denies: Evaluator): number {
  for (const region of regions) {
    const { users, roles, witness } = region;
    const { action, resource } = witness;
    expect(regionContains(region, witness)).toBe(true);
    const subjects = [...users.map((user) => ({ user })), ...roles.map((role) => ({ roles: [role] }))];
    for (const subject of subjects) {
      const question = { ...subject, action, resource };
      agree(question, allows.isAllowed(question), true);
      agree(question, denies.isAllowed(question), false);
    }
    agree(witness, subjects.length > 0 && allows.isAllowed(witness), true);
  }
  return regions.length;
}

/** `compare` has all access that changes and none that does not, in both directions. */
export function checkCompare(fidelity: Fidelity, numRuns: number): void {
  let changes = 0;
  fc.assert(
    fc.property(anyState(fidelity), anyState(fidelity), seedArb, (first, other, seed) => {
      const below = dice(seed);
      // Half of the second state is the first one, or nearly everything would change.
      const mix = <T>(one: ReadonlyMap<string, T>, two: ReadonlyMap<string, T>) =>
        new Map([...one, ...[...two].filter(() => below(4) === 0)].filter(() => below(8) > 0));
      const second: State = {
        policies: mix(first.policies, other.policies),
        roles: mix(first.roles, other.roles),
        bindings: [...first.bindings, ...other.bindings.filter(() => below(4) === 0)].filter(() => below(8) > 0),
      };
      const [before, after] = [first, second].map((state) => createEvaluator(state, { fidelity })) as [
        Evaluator,
        Evaluator,
      ];
      const { gained, lost } = compare(before, after);
      const back = compare(after, before);
      changes += checkWitnesses(gained, after, before) + checkWitnesses(lost, before, after);
      for (const [there, reverse] of [
        [gained, back.lost],
        [lost, back.gained],
      ] as const) {
        expect(there.map(({ because, ...rest }) => rest)).toEqual(reverse.map(({ because, ...rest }) => rest));
      }
      for (const { user, action, resource } of [
        ...questions(first, seed, perState / 2),
        ...questions(second, seed + 1, perState / 2),
      ]) {
        const [was, is] = [before, after].map((one) => one.isAllowed({ user, action, resource }));
        const has = (regions: readonly AccessRegion[]) =>
          regions.some((region) => region.users.includes(user) && regionContains(region, { action, resource }));
        agree({ gained: user, action, resource }, has(gained), !was && !!is);
        agree({ lost: user, action, resource }, has(lost), !!was && !is);
      }
    }),
    // A run takes milliseconds, and now and then half a second: to shrink a failure would take many minutes.
    { ...runsOf(numRuns), endOnFailure: true },
  );
  // Otherwise the property would hold of states that never differ. A run has about one region in sidecar fidelity,
  // and two in documented fidelity.
  expect(changes).toBeGreaterThan(partOf(numRuns) / 2);
}

/** A state compared with itself written otherwise shows nothing. */
export function checkRewritten(fidelity: Fidelity, numRuns: number): void {
  fc.assert(
    fc.property(anyState(fidelity), seedArb, (state, seed) => {
      expect(compare(state, rewrite(state, fidelity, seed), { fidelity })).toEqual({ gained: [], lost: [] });
    }),
    runsOf(numRuns),
  );
}

/** `missingAccess` and `excessAccess` find nothing where a state is held against itself, and prove what they find otherwise. */
export function checkRequirements(fidelity: Fidelity, numRuns: number): void {
  fc.assert(
    fc.property(anyState(fidelity), seedArb, (state, seed) => {
      const evaluator = createEvaluator(state, { fidelity });
      // A wildcard in a question would make a pattern of it, of which the evaluator knows nothing.
      const required = questions(state, seed, 10).filter((one) => !`${one.action}${one.resource}`.includes('*'));
      const denied = missingAccess(evaluator, required);
      expect(denied.map(({ witness, ...item }) => item)).toEqual(required.filter((one) => !evaluator.isAllowed(one)));
      for (const { witness } of denied) expect(evaluator.isAllowed(witness)).toBe(false);
      const [first] = required;
      if (first === undefined) return;
      const { action, resource } = first;
      const can = whoCan(evaluator, { action, resource });
      const users = can.flatMap(({ user }) => user ?? []);
      const roles = can.flatMap(({ role }) => role ?? []);
      const over = excessAccess(evaluator, [], { within: { action, resource } });
      expect([...new Set(over.flatMap((region) => region.users))].sort()).toEqual(users);
      expect([...new Set(over.flatMap((region) => region.roles))].sort()).toEqual(roles);
      for (const { witness } of over) expect(witness).toMatchObject({ action, resource });
      expect(
        excessAccess(evaluator, [{ users, roles, action: '*', resource: '*' }], { within: { action, resource } }),
      ).toEqual([]);
    }),
    runsOf(numRuns),
  );
}
