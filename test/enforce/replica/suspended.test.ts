import { expect, test } from 'vitest';
import { stopped } from './support/suspended.ts';

// A real process, of the built package, that is stopped with SIGSTOP. `test/deep` stops one for a whole minute.

test.each(['wall', 'monotonic'] as const)(
  'a process suspended for two minutes by the %s clock detects it at the first question',
  async (clock) => {
    const [before, after, later] = await stopped({ ms: 2_000, clock, times: 60 });
    expect(before).toEqual({ live: true, refuse: true, shortly: true, longer: true, serve: true });
    expect(after).toEqual({ live: false, refuse: 'STALE', shortly: 'STALE', longer: true, serve: true });
    // Revoked meanwhile.
    expect(later).toEqual({ live: true, refuse: false, shortly: false, longer: false, serve: false });
  },
);

test('a process suspended for some seconds continues as live', async () => {
  const [, after, later] = await stopped({ ms: 2_000, clock: 'wall', times: 1 });
  expect(after).toEqual({ live: true, refuse: true, shortly: true, longer: true, serve: true });
  expect(later).toMatchObject({ live: true });
});
