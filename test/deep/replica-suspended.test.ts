import { expect, test } from 'vitest';
import { stopped } from '../enforce/replica/support/suspended.ts';

test('a process that is stopped for more than a minute detects it at its first question', async () => {
  const [before, after, later] = await stopped({ ms: 62_000, clock: 'wall', times: 1 });
  expect(before).toEqual({ live: true, refuse: true, shortly: true, longer: true, serve: true });
  expect(after).toEqual({ live: false, refuse: 'STALE', shortly: 'STALE', longer: true, serve: true });
  expect(later).toEqual({ live: true, refuse: false, shortly: false, longer: false, serve: false });
});
