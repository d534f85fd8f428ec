import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lifeArb, live } from './support/lives.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// test/deep/replica-lives.test.ts has the large numbers.
test('a live replica follows its service through cuts, restores and takeovers', async () => {
  let [allowed, looks] = [0, 0];
  const property = fc.asyncProperty(lifeArb, async (life) => {
    const lived = await live(life, 60_000, (ms) => vi.setSystemTime(Date.now() + ms));
    allowed += lived.allowed;
    looks += lived.live;
  });
  await fc.assert(property, { numRuns: 20, seed: 20_261_122 });
  expect(allowed).toBeGreaterThan(200);
  expect(looks).toBeGreaterThan(2_000);
}, 120_000);
