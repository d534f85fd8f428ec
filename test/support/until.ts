import { vi } from 'vitest';

/** `vi.waitFor` in real time, with the patience of `expect.poll` here: its own is one second, too short for a busy machine. */
export const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 15_000, interval: 5 });
