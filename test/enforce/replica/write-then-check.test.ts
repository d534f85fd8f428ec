import { expect, test } from 'vitest';
import { writeThenCheck } from './support/write-then-check.ts';

// test/deep/write-then-check.test.ts has the large numbers.
test('a check in another process reflects the write: cuts, takeovers, delays and restores', async () => {
  const outcomes = await writeThenCheck({
    runs: 100,
    seed: 20_261_125,
    delayMs: 5,
    cutEvery: 30,
    takeoverEvery: 60,
    restoreEvery: 60,
  });
  expect([outcomes.stale, outcomes.unexpected]).toEqual([[], []]);
  expect(Math.min(outcomes.allowed, outcomes.denied)).toBeGreaterThan(10);
  expect(Math.min(outcomes.cuts, outcomes.takeovers, outcomes.restores)).toBeGreaterThan(0);
}, 300_000);
