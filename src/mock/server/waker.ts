import { waitOnce } from '../../base/lib/wait.js';
import type { Waker } from '../services/admit-to-pool.js';

/**
 * Creates the waker of one stream. Silences pass in real time (or by fake timers), and when the mock's clock is moved
 * forward. `check` throws if the stream must end.
 */
export function createWaker(check: () => void): Waker & { skip(ms: number): void } {
  let endsAt = Number.POSITIVE_INFINITY;
  let woken = false;
  let resume: (() => void) | undefined;
  const wake = (): void => {
    woken = true;
    resume?.();
  };
  return {
    get due() {
      return performance.now() >= endsAt;
    },
    silence(ms) {
      endsAt = performance.now() + ms;
    },
    skip(ms) {
      endsAt -= ms;
      wake();
    },
    async wait() {
      check();
      if (!woken) {
        const early = new AbortController();
        resume = () => early.abort();
        await waitOnce(Math.max(0, Math.ceil(endsAt - performance.now())), [early.signal]);
        resume = undefined;
      }
      woken = false;
      check();
    },
    wake,
  };
}
