import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PermissionsState, type Plan, type PlanOrder, plan } from '../../../src/permissions/index.ts';
import { write } from '../../../src/permissions/plan/effects.ts';
import type { AccessRegion } from '../../../src/policy/analysis/analysis-types.ts';
import { regionContains } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type Evaluator, type Fidelity } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { answers, manageAll, questions, stateArb } from '../support/states.ts';

/** Makes the calls of a plan, those of a stage in an order that the seed chooses, and looks at each state. */
function walk(start: Evaluator, made: Plan, seed: number, look: (state: Evaluator) => void): Evaluator {
  const state = start.clone();
  let dice = seed;
  for (const stage of made.stages) {
    const steps = [...stage];
    while (steps.length > 0) {
      dice = (dice * 1_103_515_245 + 12_345) % 0x8000_0000;
      const [step] = steps.splice(dice % steps.length, 1);
      if (step === undefined) break;
      const change = made.changes[step.change];
      if (change === undefined) throw new Error('a step without a change');
      write(state, change, step.content);
      look(state);
    }
  }
  return state;
}

/** True if one of the regions has the question. */
const isIn = (regions: readonly AccessRegion[], question: (typeof questions)[number]): boolean =>
  regions.some(
    (region) =>
      regionContains(region, question) &&
      ('user' in question
        ? region.users.includes(question.user)
        : region.roles.some((one) => question.roles[0] === one)),
  );

const seedArb = fc.nat({ max: 0x7fff_ffff });
const runs = runsOf(250);

describe.each<readonly [PlanOrder, Fidelity]>([
  ['revoke-first', 'documented'],
  ['grant-first', 'documented'],
  ['revoke-first', 'sidecar'],
  ['grant-first', 'sidecar'],
])('a plan, %s, in %s fidelity', (order, fidelity) => {
  const evaluatorOf = (state: PermissionsState) => createEvaluator(state, { fidelity });
  const answersOf = (state: PermissionsState) => answers(evaluatorOf(state));

  test('ends at the desired state, whose own plan is empty', () => {
    fc.assert(
      fc.property(stateArb, stateArb, seedArb, (from, to, seed) => {
        const made = plan(from, to, { prune: true, manage: manageAll, order, fidelity });
        const end = walk(evaluatorOf(from), made, seed, () => {});
        expect(answers(end)).toEqual(answersOf(to));
        const now = {
          policies: new Map(end.policies().map((name) => [name, end.policy(name) ?? { statements: [] }])),
          roles: new Map(end.roles().map((name) => [name, end.role(name) ?? { policies: [] }])),
          bindings: end.bindings(),
          users: 'all' as const,
        };
        expect(plan(now, to, { prune: true, manage: manageAll, fidelity })).toMatchObject({ changes: [], stages: [] });
      }),
      runs,
    );
  });

  test('reports all access that differs from both sides on the way, in any order inside a stage', () => {
    fc.assert(
      fc.property(stateArb, stateArb, seedArb, (from, to, seed) => {
        const made = plan(from, to, { prune: true, manage: manageAll, order, fidelity });
        const [before, after] = [answersOf(from), answersOf(to)];
        const { gained, lost } = made.meanwhile;
        if (order === 'revoke-first') expect(gained).toEqual([]);
        walk(evaluatorOf(from), made, seed, (state) => {
          for (const [i, now] of answers(state).entries()) {
            const question = questions[i];
            if (question === undefined) continue;
            const isTooMuch = now && !before[i] && !after[i];
            const isTooLittle = !now && before[i] && after[i];
            if (isTooMuch && !isIn(gained, question)) expect({ question, isTooMuch }).toBe('listed');
            if (isTooLittle && !isIn(lost, question)) expect({ question, isTooLittle }).toBe('listed');
          }
        });
      }),
      runs,
    );
  });
});

test.each<Fidelity>(['documented', 'sidecar'])(
  'the access of a plan is the comparison of its two sides: %s',
  (fidelity) => {
    fc.assert(
      fc.property(stateArb, stateArb, (from, to) => {
        const { access } = plan(from, to, { prune: true, manage: manageAll, fidelity });
        const [before, after] = [from, to].map((state) => answers(createEvaluator(state, { fidelity }))) as [
          boolean[],
          boolean[],
        ];
        for (const [i, question] of questions.entries()) {
          expect(isIn(access.gained, question)).toBe(!before[i] && after[i]);
          expect(isIn(access.lost, question)).toBe(before[i] && !after[i]);
        }
      }),
      runsOf(100),
    );
  },
);
