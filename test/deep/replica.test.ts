import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { walkManyNames } from '../enforce/replica/support/name-walks.ts';
import { walkMany } from '../enforce/replica/support/walks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// A change that is applied twice, never, or in the wrong order mostly gives the right decisions.
test('after each of 1 000 walks the replica and the mock decide 1 000 questions alike', async () => {
  const allowed = await walkMany({ numRuns: 1_000 });
  expect(allowed).toBeGreaterThan(50_000);
});

// Finds a binding that stays in the copy after it was replaced or deleted under another spelling of its name.
test('after every step of 1 000 histories of names with colons the replica and the mock decide alike', async () => {
  const seen = await walkManyNames({ numRuns: 1_000 });
  expect(seen.allowed).toBeGreaterThan(20_000);
  expect(seen.shared).toBeGreaterThan(1_000);
});
