import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import { SingleFlight } from '../../../src/base/lib/single-flight.ts';

const timeoutMs = 1_000;

/** Attempts that a test settles by hand, in the order in which they were started. */
function attempts() {
  const started: PromiseWithResolvers<string>[] = [];
  const start = () => {
    const attempt = Promise.withResolvers<string>();
    started.push(attempt);
    return attempt.promise;
  };
  return { started, start };
}

const named = (name: string) => Object.assign(new Error(name), { name });
const settled = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('work in flight', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is joined, and started again once it has ended', async () => {
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs);
    const both = [flight.run(start), flight.run(start)];
    expect([started.length, flight.underWay]).toEqual([1, true]);
    started[0]?.resolve('a');
    expect(await Promise.all(both)).toEqual(['a', 'a']);
    expect(flight.underWay).toBe(false);
    const again = flight.run(start);
    started[1]?.resolve('b');
    expect(await again).toBe('b');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a failure rejects every caller', async () => {
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs);
    const all = [1, 2, 3].map(() => settled(flight.run(start)));
    started[0]?.reject(new NetworkError({}, 'down'));
    expect((await Promise.all(all)).map((error) => (error as Error).name)).toEqual(Array(3).fill('NetworkError'));
    expect([started.length, flight.underWay]).toEqual([1, false]);
  });

  // A Worker throws the last one when a request awaits a promise of another request.
  test.each(['AbortError', 'TimeoutError', 'Error'])(
    'the %s of the caller that started it does not affect those that joined',
    async (name) => {
      const { started, start } = attempts();
      const flight = new SingleFlight<string>(timeoutMs);
      const first = settled(flight.run(start));
      await vi.advanceTimersByTimeAsync(10);
      const joined = [1, 2, 3].map(() => flight.run(start));
      started[0]?.reject(named(name));
      expect(await first).toMatchObject({ name });
      // One of them restarts it, the others join.
      expect(started.length).toBe(2);
      started[1]?.resolve('b');
      expect(await Promise.all(joined)).toEqual(['b', 'b', 'b']);
    },
  );

  test('a caller that has waited the full timeout fails, too', async () => {
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs);
    const all = [1, 2, 3].map(() => settled(flight.run(start)));
    await vi.advanceTimersByTimeAsync(600);
    started[0]?.reject(named('TimeoutError'));
    await vi.advanceTimersByTimeAsync(500);
    const late = flight.run(start);
    started[1]?.reject(named('TimeoutError'));
    expect((await Promise.all(all)).map((error) => (error as Error).name)).toEqual(Array(3).fill('TimeoutError'));
    expect(started.length).toBe(3);
    started[2]?.resolve('c');
    expect(await late).toBe('c');
  });

  test('work that never settles is replaced after its timeout, by waiting callers and by new ones', async () => {
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs);
    void flight.run(start);
    await vi.advanceTimersByTimeAsync(400);
    const joined = flight.run(start);
    await vi.advanceTimersByTimeAsync(599);
    expect([started.length, flight.underWay]).toEqual([1, true]);
    await vi.advanceTimersByTimeAsync(1);
    expect(started.length).toBe(2);
    started[1]?.resolve('b');
    expect(await joined).toBe('b');
    void flight.run(start);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(flight.underWay).toBe(false);
    const late = flight.run(start);
    expect(started.length).toBe(4);
    started[3]?.resolve('d');
    expect(await late).toBe('d');
  });

  test('replaced work ends without touching its replacement', async () => {
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs);
    const dead = flight.run(start);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    const second = flight.run(start);
    started[0]?.resolve('a');
    expect(await dead).toBe('a');
    const third = flight.run(start);
    expect([started.length, flight.underWay]).toEqual([2, true]);
    started[1]?.resolve('b');
    expect(await Promise.all([second, third])).toEqual(['b', 'b']);
  });

  test('uses the given clock', async () => {
    let now = 0;
    const { started, start } = attempts();
    const flight = new SingleFlight<string>(timeoutMs, () => now);
    void flight.run(start);
    now = timeoutMs - 1;
    expect(flight.underWay).toBe(true);
    now = timeoutMs;
    expect(flight.underWay).toBe(false);
    void flight.run(start);
    expect(started.length).toBe(2);
  });
});
