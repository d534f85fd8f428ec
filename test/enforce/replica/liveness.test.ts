import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { instant, Liveness, since } from '../../../src/enforce/replica/liveness.ts';

const startedAt = 1_700_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: startedAt });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);
/** Sets the wall clock forward, which the monotonic clock does not notice. */
const setWall = (ms: number) => vi.setSystemTime(Date.now() + ms);

function shownAll(liveness = new Liveness()): Liveness {
  for (const kind of ['policies', 'roles', 'bindings', 'groupBindings'] as const) liveness.shown(kind);
  return liveness;
}

test('the longer elapsed time of both clocks counts', () => {
  const at = instant();
  pass(1_000);
  expect(since(at)).toBe(1_000);
  expect(since({ ...at, wall: at.wall - 500 })).toBe(1_500);
  expect(since({ ...at, mono: at.mono - 700 })).toBe(1_700);
});

test('a replica is live for a minute once its items of every kind were confirmed', () => {
  const liveness = new Liveness();
  expect([liveness.within(0), liveness.leftMs(), liveness.until]).toEqual([false, 0, undefined]);
  liveness.shown('policies');
  liveness.shown('roles');
  liveness.shown('groupBindings');
  expect([liveness.within(0), liveness.until]).toEqual([false, undefined]);
  liveness.shown('bindings');
  expect([liveness.within(0), liveness.leftMs()]).toEqual([true, 60_000]);
  pass(59_999);
  expect([liveness.within(0), liveness.leftMs()]).toEqual([true, 1]);
  pass(1);
  expect([liveness.within(0), liveness.leftMs() + 0]).toEqual([false, 0]);
  expect([liveness.within(1), liveness.within(0)]).toEqual([true, false]);
});

test('liveness ends a minute after the oldest of the confirmations of each kind', () => {
  const liveness = new Liveness();
  liveness.shown('bindings');
  liveness.shown('groupBindings');
  pass(10_000);
  liveness.shown('policies');
  pass(10_000);
  liveness.shown('roles');
  expect(liveness.leftMs()).toBe(40_000);
  liveness.shown('bindings');
  liveness.shown('groupBindings');
  expect(liveness.leftMs()).toBe(50_000);
});

test('a jump ahead of the wall clock or the monotonic one ends liveness', () => {
  const jumped = shownAll();
  setWall(60_000);
  expect(jumped.within(0)).toBe(false);
  setWall(-60_000);
  const slow = shownAll(new Liveness());
  pass(60_000);
  setWall(-30_000);
  expect(slow.within(0)).toBe(false);
});

test('an older confirmation does not replace a newer one', () => {
  const liveness = shownAll();
  const before = instant();
  pass(5_000);
  shownAll(liveness);
  liveness.shown('policies', before);
  expect(liveness.leftMs()).toBe(60_000);
  liveness.shown('policies', instant());
  expect(liveness.leftMs()).toBe(60_000);
});

test('of two confirmations at one monotonic time, the wall clock of the second counts', () => {
  const liveness = shownAll();
  const at = instant();
  for (const kind of ['policies', 'roles', 'bindings', 'groupBindings'] as const) {
    liveness.shown(kind, { mono: at.mono, wall: at.wall + 1_000 });
  }
  expect(liveness.until).toEqual({ mono: at.mono + 60_000, wall: at.wall + 61_000 });
});

test('a replaced copy takes its confirmation back to the time of the read, never forward', () => {
  const at = instant();
  const liveness = new Liveness();
  liveness.replaced('policies', at);
  pass(5_000);
  liveness.shown('roles');
  liveness.shown('bindings');
  liveness.shown('groupBindings');
  // Replacing is not evidence.
  expect(liveness.until).toBeUndefined();
  liveness.shown('policies');
  expect(liveness.leftMs()).toBe(60_000);
  liveness.replaced('policies', at);
  expect(liveness.leftMs()).toBe(55_000);
  pass(1_000);
  liveness.replaced('policies', instant());
  expect(liveness.leftMs()).toBe(54_000);
});

test('a replaced copy that was read at the time of the confirmation changes nothing', () => {
  const liveness = shownAll();
  const { mono, wall } = instant();
  liveness.replaced('policies', { mono, wall: wall - 1_000 });
  expect(liveness.until).toEqual({ mono: mono + 60_000, wall: wall + 60_000 });
});

test('dropping all confirmations ends liveness at once, and never prolongs it', () => {
  const never = new Liveness();
  never.forget();
  expect(never.until).toBeUndefined();
  const liveness = shownAll();
  pass(1_000);
  liveness.forget();
  expect([liveness.within(0), liveness.leftMs() + 0, liveness.until]).toEqual([false, 0, instant()]);
  // Each kind has to be shown again.
  liveness.shown('policies');
  liveness.shown('roles');
  liveness.shown('groupBindings');
  expect(liveness.within(0)).toBe(false);
  liveness.shown('bindings');
  expect(liveness.within(0)).toBe(true);
  const ended = shownAll(new Liveness());
  pass(70_000);
  ended.forget();
  expect(ended.leftMs()).toBe(-10_000);
});
