import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { walk, walkArb } from '../replica/support/walks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// A change that is taken in twice or not at all, or in another order than the service's, is right most of the time.
test('after each of 1 000 walks the replica and the mock decide 1 000 questions alike', async () => {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(walkArb(50), async (one) => {
      allowed += await walk(one, 1_000);
    }),
    { numRuns: 1_000 },
  );
  expect(allowed).toBeGreaterThan(50_000);
});
