import { test } from 'vitest';
import { compareWithNaive } from '../support/differential.ts';

test.each(['documented', 'sidecar'] as const)('random cases decide as the naive evaluator does: %s', (fidelity) => {
  compareWithNaive(10_000, fidelity);
});
