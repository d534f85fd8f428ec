import { describe, test } from 'vitest';
import { checkCompare, checkGrants, checkRequirements, checkRewritten, checkWhoCan } from './support/properties.ts';

describe.each(['documented', 'sidecar'] as const)('random states in %s fidelity', (fidelity) => {
  test('grants and resourceFilter contain exactly the questions that the evaluator allows', () =>
    checkGrants(fidelity, 60));
  test('whoCan lists exactly the users and roles that are allowed', () => checkWhoCan(fidelity, 100));
  test('compare has exactly the changed access, and every witness has another decision', () =>
    checkCompare(fidelity, 300));
  test('an equivalent state compares equal', () => checkRewritten(fidelity, 100));
  test('missing finds the denied requirements, and excess the access beyond the allowances', () =>
    checkRequirements(fidelity, 60));
});
