import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lifeArb, live } from '../enforce/replica/support/lives.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a live replica stays within its bound through 1 000 service lives with cuts, restores and takeovers', async () => {
  let [allowed, looks] = [0, 0];
  const property = fc.asyncProperty(lifeArb, async (life) => {
    const lived = await live(life, 60_000, (ms) => vi.setSystemTime(Date.now() + ms));
    allowed += lived.allowed;
    looks += lived.live;
  });
  await fc.assert(property, { numRuns: 1_000 });
  expect(allowed).toBeGreaterThan(10_000);
  expect(looks).toBeGreaterThan(100_000);
});
