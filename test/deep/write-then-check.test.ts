import { expect, test } from 'vitest';
import { writeThenCheck } from '../enforce/replica/support/write-then-check.ts';

// Each course has a process of its own: a replica that is restored again and again reads its state with a backoff.
test.each(Array.from({ length: 10 }, (_, seed) => seed))(
  'a thousand checks in another process reflect their writes, with delays, cuts, takeovers and restores: course %i',
  async (seed) => {
    const outcomes = await writeThenCheck({
      runs: 1_000,
      seed,
      delayMs: 5,
      cutEvery: 100,
      takeoverEvery: 200,
      restoreEvery: 400,
    });
    console.log(JSON.stringify(outcomes));
    expect([outcomes.stale, outcomes.unexpected]).toEqual([[], []]);
    expect(Math.min(outcomes.allowed, outcomes.denied)).toBeGreaterThan(100);
  },
);

test('three hundred checks in another process reflect their writes, in real time and with delays up to a second', async () => {
  const outcomes = await writeThenCheck({
    runs: 300,
    seed: 300,
    inRealTime: true,
    delayMs: 1_000,
    cutEvery: 50,
    takeoverEvery: 100,
    restoreEvery: 75,
  });
  console.log(JSON.stringify(outcomes));
  expect([outcomes.stale, outcomes.unexpected]).toEqual([[], []]);
  expect(outcomes.restores).toBeGreaterThan(0);
});
