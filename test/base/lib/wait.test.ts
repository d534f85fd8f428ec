import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backoff, readRetryAfter } from '../../../src/base/lib/backoff.ts';
import { childController, race, scopedController, sleep, waitOnce } from '../../../src/base/lib/wait.ts';
import { countedSignal } from '../../support/counted-signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** True once a promise has settled. */
function watch(promise: Promise<unknown>): { readonly settled: boolean } {
  const seen = { settled: false };
  const settle = (): void => {
    seen.settled = true;
  };
  promise.then(settle, settle);
  return seen;
}

describe('sleep', () => {
  test('waits its time', async () => {
    const one = watch(sleep(1_000));
    await pass(999);
    expect(one.settled).toBe(false);
    await pass(1);
    expect(one.settled).toBe(true);
  });

  test('waits longer than a timer can', async () => {
    const one = watch(sleep(2 ** 31 + 5));
    await pass(2 ** 31);
    expect(one.settled).toBe(false);
    await pass(5);
    expect(one.settled).toBe(true);
  });

  test('follows its clock: a timer that fires early is set again', async () => {
    let now = 7_000;
    const one = watch(sleep(1_000, { clock: { now: () => now } }));
    now = 7_400;
    await pass(1_000);
    expect(one.settled).toBe(false);
    now = 8_000;
    await pass(600);
    expect(one.settled).toBe(true);
  });

  test('resolves early without an error, and leaves no listener and no timer', async () => {
    const controller = new AbortController();
    const signal = countedSignal(controller);
    const waits = [sleep(1_000, { signal }), sleep(Number.POSITIVE_INFINITY, { signal })];
    expect(signal.listeners.size).toBe(2);
    controller.abort();
    await Promise.all(waits);
    await sleep(1_000, { signal });
    expect([signal.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('race', () => {
  test('settles like its work', async () => {
    const signal = countedSignal();
    await expect(race(Promise.resolve(5), { signal, ms: 10 })).resolves.toBe(5);
    await expect(race(Promise.reject(new Error('own')), { signal, ms: 10 })).rejects.toThrow('own');
    expect([signal.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('rejects when the time is up, or with the reason of the signal', async () => {
    const never = new Promise<never>(() => {});
    const controller = new AbortController();
    const signal = countedSignal(controller);
    const late = race(never, { signal, ms: 10, overdue: () => new Error('late') }).catch((error) => error.message);
    const plain = race(never, { ms: 20 }).catch((error) => error.message);
    const aborted = race(never, { signal }).catch((error) => error);
    await pass(20);
    expect([await late, await plain]).toEqual(['late', 'not done within 20 ms']);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await expect(race(never, { signal })).rejects.toBe('enough');
    expect(signal.listeners.size).toBe(0);
  });
});

describe('childController', () => {
  test('aborts with the first of its parents, and with its reason', () => {
    const parents = [new AbortController(), new AbortController()] as const;
    const child = childController(parents[0].signal, parents[1].signal);
    parents[1].abort('second');
    parents[0].abort('first');
    expect(child.signal.reason).toBe('second');
    expect(childController(parents[0].signal).signal.reason).toBe('first');
  });

  test('removes its listeners once it was aborted or disposed of', () => {
    const signal = countedSignal();
    const child = childController(signal);
    {
      using other = scopedController(signal);
      expect([signal.listeners.size, other.signal.aborted]).toEqual([2, false]);
    }
    child.abort('own');
    expect([signal.listeners.size, child.signal.reason]).toEqual([0, 'own']);
  });
});

test('Backoff doubles up to its cap, less a random share, and starts over', () => {
  const backoff = new Backoff({ firstMs: 100, longestMs: 500 });
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
  const jittered = new Backoff({ firstMs: 100, longestMs: 500, jitter: 0.5, random: () => 0.5 });
  expect([jittered.next(), jittered.next()]).toEqual([75, 150]);
  const own = new Backoff({ firstMs: 100, longestMs: 100, jitter: 0.5 });
  for (let i = 0; i < 100; i++) expect(own.next()).toBeGreaterThan(49);
});

test('waitOnce: a time that no timer can take ends by a signal alone', async () => {
  const controller = new AbortController();
  const one = watch(waitOnce(2 ** 31, [controller.signal]));
  await pass(10_000);
  expect(one.settled).toBe(false);
  controller.abort();
  await pass(0);
  expect(one.settled).toBe(true);
});

test('childController listens to no parent after one has aborted', () => {
  const [first, second] = [new AbortController(), countedSignal()];
  const child = childController(first.signal, second);
  expect(second.listeners.size).toBe(1);
  first.abort();
  expect([child.signal.aborted, second.listeners.size]).toEqual([true, 0]);
});

test.each([
  ['120', 120_000],
  ['Wed, 01 Jan 2031 00:00:10 GMT', 10_000],
  ['2031-01-01T00:00:10Z', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['', undefined],
  [null, undefined],
])('readRetryAfter: %j is %j ms', (header, ms) => {
  vi.setSystemTime(Date.UTC(2031, 0, 1));
  expect(readRetryAfter(header)).toBe(ms);
});
