import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AbortError, NetworkError } from '../../src/index.ts';
import { SharedWork } from '../../src/lib/shared-work.ts';

const { promise: never } = Promise.withResolvers<string>();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('shared work', () => {
  test('is done once for all who ask meanwhile, and again afterwards', async () => {
    const work = new SharedWork<number>(1_000);
    let started = 0;
    const start = async () => ++started;
    expect(await Promise.all([work.run(start), work.run(start), work.run(start)])).toEqual([1, 1, 1]);
    expect(await work.run(start)).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a failure of this package is everybody’s', async () => {
    const work = new SharedWork<number>(1_000);
    const failure = new NetworkError({}, 'down');
    const start = vi.fn(() => Promise.reject(failure));
    const all = await Promise.allSettled([work.run(start), work.run(start)]);
    expect(all.map((one) => one.status === 'rejected' && one.reason)).toEqual([failure, failure]);
    expect(start).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['an error of the platform', new Error('Cannot perform I/O on behalf of a different request.')],
    ['an abort', new AbortError({}, 'gone')],
  ])('who is handed the failure of another does the work again: %s', async (_, foreign) => {
    const work = new SharedWork<string>(1_000);
    const first = work.run(() => Promise.reject(foreign));
    const again = vi.fn(async () => 'mine');
    const others = [work.run(again), work.run(again), work.run(again)];
    await expect(first).rejects.toBe(foreign);
    expect(await Promise.all(others)).toEqual(['mine', 'mine', 'mine']);
    expect(again).toHaveBeenCalledTimes(1);
  });

  test('nobody waits longer than the patience for the work of another', async () => {
    const work = new SharedWork<string>(1_000);
    void work.run(() => never);
    await vi.advanceTimersByTimeAsync(400);
    const mine = Promise.withResolvers<string>();
    const start = vi.fn(() => mine.promise);
    const joined = [work.run(start), work.run(start)];
    await vi.advanceTimersByTimeAsync(599);
    expect([work.isUnderWay, start.mock.calls.length]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(1);
    mine.resolve('mine');
    expect(await Promise.all(joined)).toEqual(['mine', 'mine']);
    expect(start).toHaveBeenCalledTimes(1);
  });

  test('work that is older than the patience is replaced', async () => {
    const work = new SharedWork<string>(1_000);
    void work.run(() => never);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(work.isUnderWay).toBe(false);
    expect(await work.run(async () => 'new')).toBe('new');
  });

  test('late work does not clear what replaced it', async () => {
    const work = new SharedWork<string>(1_000);
    const late = Promise.withResolvers<string>();
    const first = work.run(() => late.promise);
    await vi.advanceTimersByTimeAsync(1_000);
    const newer = Promise.withResolvers<string>();
    const second = work.run(() => newer.promise);
    late.resolve('late');
    expect(await first).toBe('late');
    expect(work.isUnderWay).toBe(true);
    newer.resolve('new');
    expect(await second).toBe('new');
    expect(work.isUnderWay).toBe(false);
  });
});
