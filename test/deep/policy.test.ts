import { test } from 'vitest';
import { compareWithNaive } from '../policy/support/differential.ts';

// Finds rare mixes of patterns for which the engine's indexes and caches differ from a naive evaluation.
// Half of the million in each fidelity, in slices, so that each starts from another state of fast-check.
test.each([
  ['documented', 500_000],
  ['sidecar', 500_000],
] as const)('random cases decide as the naive evaluator does: %s, %d', { timeout: 1_200_000 }, (fidelity, cases) => {
  compareWithNaive(cases, fidelity);
});
