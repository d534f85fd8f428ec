import { describe, test } from 'vitest';
import {
  checkCompare,
  checkGrants,
  checkRequirements,
  checkRewritten,
  checkWhoCan,
} from '../policy/analysis/support/properties.ts';
import { checkSharing } from '../policy/analysis/support/sharing.ts';

// A million questions over 10 000 states, half of them in each fidelity: 50 questions to a state for grants and
// compare, 8 to a state, each for all users and roles, for whoCan.
describe.each(['documented', 'sidecar'] as const)('%s fidelity', (fidelity) => {
  const timeout = 1_200_000;
  test('grants and resourceFilter agree with the evaluator', { timeout }, () => checkGrants(fidelity, 5_000));
  test('whoCan agrees with the evaluator', { timeout }, () => checkWhoCan(fidelity, 5_000));
  test('compare agrees with both evaluators, and every witness flips', { timeout }, () =>
    checkCompare(fidelity, 5_000),
  );
  test('compare shares what users have in common, exactly', { timeout }, () => checkSharing(fidelity, 5_000));
  test('states written otherwise compare equal', { timeout }, () => checkRewritten(fidelity, 5_000));
  test('missing and excess agree with the evaluator', { timeout }, () => checkRequirements(fidelity, 5_000));
});
