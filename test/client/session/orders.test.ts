import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { runsOf } from '../../support/thorough.ts';
import { turns } from '../../support/turns.ts';
import { closeWorld, openWorld, type WorldTab } from './world.ts';

// Why a session of `localStorage` ended, in whatever order its mark, the empty store and the news reach other tabs.

const hour = 3_600_000;
const ends: Readonly<Record<string, (tab: WorldTab) => Promise<unknown>>> = {
  'signed-out': (tab) => tab.run((session) => session.signOut()),
  expired(tab) {
    tab.clock.aheadMs = hour;
    return tab.run((session) => Promise.resolve(session.authorize(undefined as never)).catch(() => undefined));
  },
};

const cases = Object.keys(ends).flatMap((reason) => [
  [reason, 'Web Locks', true, 2] as const,
  [reason, 'leases', false, 3] as const,
]);

test.each(cases)('a session that is %s with %s ends so in each tab', async (reason, _name, hasLocks, count) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const later = (label: string, step: () => void) => scheduler.schedule(Promise.resolve(label), label).then(step);
      const world = openWorld(count, later, hasLocks);
      const told = world.tabs.map(() => [] as string[]);
      for (const [index, { session }] of world.tabs.entries()) {
        session.on('end', (event) => told[index]?.push(event.reason));
      }
      /** Runs an act, and then what is left, in an order of the scheduler's choice. */
      const act = async (work: Promise<unknown> | undefined) => {
        let isDone = false;
        void work?.then(() => {
          isDone = true;
        });
        for (let quiet = 0; quiet < 20; ) {
          await turns(4);
          quiet = scheduler.count() > 0 ? 0 : quiet + 1;
          if (quiet === 0) await scheduler.waitOne();
          vi.advanceTimersByTime(quiet === 0 ? 1 : 200);
        }
        expect(isDone).toBe(true);
      };
      try {
        // The cast: there are tabs.
        const first = world.tabs[0] as WorldTab;
        await act(first.run((session) => session.signIn({ username: 'alice', password: 'p' })));
        expect(world.tabs.map(({ session }) => session.user)).toEqual(Array(count).fill('alice'));
        await act(ends[reason]?.(first));
        expect(told).toEqual(Array(count).fill([reason]));
      } finally {
        closeWorld(world);
      }
    }),
    { ...runsOf(Number(process.env.RUNS ?? 50)), endOnFailure: true },
  );
});
