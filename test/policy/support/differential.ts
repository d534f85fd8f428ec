import fc from 'fast-check';
import { expect } from 'vitest';
import { createEvaluator, type Fidelity } from '../../../src/policy/index.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { faultyStateArb, requestFor, stateArb } from './arbitrary.ts';
import { naiveEvaluate } from './naive.ts';

// Few, because the outcomes of one state are alike; the shares below need many states.
const perState = 4;

/**
 * Compares the evaluator with the naive one on random cases, prints the outcomes, and fails if one outcome is rare.
 */
export function compareWithNaive(cases: number, fidelity: Fidelity): void {
  const seen = { cases: 0, allow: 0, explicit: 0, silent: 0 };
  const seeds = fc.array(fc.nat(), { minLength: perState, maxLength: perState });
  fc.assert(
    fc.property(fidelity === 'sidecar' ? faultyStateArb : stateArb, seeds, (state, numbers) => {
      const evaluator = createEvaluator(state, { fidelity });
      for (const number of numbers) {
        const request = requestFor(state, number);
        const expected = naiveEvaluate(state, fidelity, request);
        const decision = evaluator.evaluate(request);
        const { effect, message, allowed } = decision;
        const words = expected.effect === 'Allow' ? 'Access Granted' : 'Permission denied';
        // `expect` costs more than the decision, so it is called only for differences.
        if (effect !== expected.effect || message !== words || allowed !== (effect === 'Allow')) {
          expect({ request, effect, message, allowed }).toEqual({ request, effect: expected.effect, message: words });
        }
        // A question that comes again is cached.
        for (let time = 2; time < 5; time++) {
          const again = evaluator.evaluate(request);
          if (again !== decision) expect({ request, time, ...again }).toEqual({ request, time, ...decision });
        }
        seen.cases++;
        seen[allowed ? 'allow' : expected.explicit ? 'explicit' : 'silent']++;
      }
    }),
    runsOf(cases / perState),
  );
  const share = (count: number) => `${((100 * count) / seen.cases).toFixed(1)}%`;
  console.log(
    `${fidelity}: ${seen.cases} cases against the naive evaluator: ${share(seen.allow)} Allow, ` +
      `${share(seen.explicit)} explicit deny, ${share(seen.silent)} nothing matched`,
  );
  expect(seen.cases).toBeGreaterThanOrEqual(partOf(cases));
  expect(seen.allow / seen.cases).toBeGreaterThan(0.25);
  expect(seen.explicit / seen.cases).toBeGreaterThan(0.25);
}
