import { describe, test } from 'vitest';
import { checkCompare, checkGrants, checkRequirements, checkRewritten, checkWhoCan } from './support/properties.ts';

describe.each(['documented', 'sidecar'] as const)('random states in %s fidelity', (fidelity) => {
  test('grants and resourceFilter hold exactly what the evaluator allows', () => checkGrants(fidelity, 60));
  test('whoCan lists exactly the users and roles that are allowed', () => checkWhoCan(fidelity, 100));
  test('compare has all that changes and nothing else, and every witness flips', () => checkCompare(fidelity, 60));
  test('a state written otherwise compares equal', () => checkRewritten(fidelity, 100));
  test('missing and excess find what is denied, and what is too much', () => checkRequirements(fidelity, 60));
});
