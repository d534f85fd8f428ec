import { afterEach, beforeEach, vi } from 'vitest';

/**
 * The waits between the tries of a call pass at once in the tests that are declared beside this; every other timer
 * keeps its time. Returns the milliseconds that the test's calls wanted to wait.
 */
export function quickWaits(): readonly number[] {
  const delays: number[] = [];
  beforeEach(() => {
    delays.length = 0;
    const real = globalThis.setTimeout;
    const quick = (callback: () => void, ms = 0, ...rest: unknown[]) => {
      if (!new Error().stack?.includes('/src/connection/exchange')) return real(callback, ms, ...rest);
      delays.push(ms);
      return real(callback, 0);
    };
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(quick as typeof setTimeout);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return delays;
}
