import { afterEach, beforeEach, vi } from 'vitest';

/**
 * Makes the backoff of retries pass at once in tests of the same scope; other timers are real. Returns the requested
 * delays in milliseconds.
 */
export function quickWaits(): readonly number[] {
  const delays: number[] = [];
  beforeEach(() => {
    delays.length = 0;
    const real = globalThis.setTimeout;
    const quick = (callback: () => void, ms = 0, ...rest: unknown[]) => {
      if (!new Error().stack?.includes('/src/client/connection/exchange')) return real(callback, ms, ...rest);
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
