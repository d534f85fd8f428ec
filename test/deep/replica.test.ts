import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nameWalkArb, walkNames } from '../replica/support/name-walks.ts';
import { walk, walkArb } from '../replica/support/walks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// A change that is applied twice, never, or in the wrong order mostly gives the right decisions.
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

// Finds a binding that stays in the copy after it was replaced or deleted under another spelling of its name.
test('after every step of 1 000 histories of names with colons the replica and the mock decide alike', async () => {
  const seen = { allowed: 0, shared: 0 };
  await fc.assert(
    fc.asyncProperty(nameWalkArb(20), async (one) => {
      const { allowed, shared } = await walkNames(one);
      seen.allowed += allowed;
      seen.shared += shared;
    }),
    { numRuns: 1_000 },
  );
  expect(seen.allowed).toBeGreaterThan(20_000);
  expect(seen.shared).toBeGreaterThan(1_000);
});
