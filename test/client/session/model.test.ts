import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { runsOf } from '../../support/thorough.ts';
import { turns } from '../../support/turns.ts';
import { beginRenewal, closeWorld, openWorld, type World, type WorldTab } from './world.ts';

// The orders that no browser shows: which process sees a write, gets a message or the lock first.

const act = fc.record({
  tab: fc.nat({ max: 2 }),
  kind: fc.constantFrom('alice', 'bob', 'out', 'renew', 'restore', 'freeze'),
  /** False if the next act begins while this one is under way. */
  isAwaited: fc.boolean(),
});

/** Throws if a tab goes on with a session although news of a later act have arrived there. */
function checkTabs(world: World): void {
  for (const [index, { session, heard }] of world.tabs.entries()) {
    const version = world.versionOf(session.currentToken());
    if (version === undefined) continue;
    if (version < heard.end) throw new Error(`tab ${index} goes on after an end`);
    if (version < Math.floor(heard.change)) throw new Error(`tab ${index} goes on as a former user`);
  }
}

test.each([
  ['Web Locks', true],
  ['leases', false],
])('tabs with %s agree in the end, and none goes on after the news of an end or a change', async (_name, hasLocks) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(act, { minLength: 1, maxLength: 12 }), async (scheduler, acts) => {
      const later = (label: string, step: () => void) => scheduler.schedule(Promise.resolve(label), label).then(step);
      const world = openWorld(3, later, hasLocks);
      try {
        let last = 'out';
        let isLastAlone = true;
        let underWay: Promise<unknown>[] = [];
        const run = async () => {
          for (const { tab, kind, isAwaited } of acts) {
            // The cast: the generator knows the number of tabs.
            const chosen = world.tabs[tab] as WorldTab;
            if (kind === 'restore') {
              void chosen.run((session) => session.restore());
              continue;
            }
            if (kind === 'freeze') {
              chosen.stop();
              void later(`tab ${tab} goes on`, () => chosen.goOn());
              continue;
            }
            if (kind === 'renew') {
              beginRenewal(chosen);
              isLastAlone = false;
              continue;
            }
            isLastAlone = underWay.length === 0;
            last = kind;
            const done = chosen.run<Promise<unknown>>((session) =>
              kind === 'out'
                ? session.signOut()
                : session.signIn({ username: kind, password: 'p' }).catch(() => undefined),
            );
            underWay.push(done);
            if (!isAwaited) continue;
            await Promise.all(underWay);
            underWay = [];
          }
          await Promise.all(underWay);
        };
        let isDone = false;
        void run().then(() => {
          isDone = true;
        });
        for (let quiet = 0; quiet < 40; ) {
          await turns(4);
          checkTabs(world);
          if (scheduler.count() > 0) {
            await scheduler.waitOne();
            vi.advanceTimersByTime(1);
            quiet = 0;
          } else {
            vi.advanceTimersByTime(isDone ? 200 : 20);
            quiet += 1;
          }
        }
        expect(isDone).toBe(true);
        const users = new Set(world.tabs.map(({ session }) => session.user));
        const tokens = new Set(world.tabs.map(({ session }) => session.currentToken()));
        expect([users.size, tokens.size]).toEqual([1, 1]);
        const [user] = users;
        const [header] = tokens;
        expect(world.stored().includes('"token"')).toBe(user !== undefined);
        if (header) expect(world.stored()).toContain(header.slice('Bearer '.length));
        if (isLastAlone) expect(user).toBe(last === 'out' ? undefined : last);
      } finally {
        closeWorld(world);
      }
    }),
    { ...runsOf(Number(process.env.RUNS ?? 100)), endOnFailure: true },
  );
});
