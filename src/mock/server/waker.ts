import type { Waker } from '../services/pool.js';

/**
 * Makes what wakes one stream. Its silences pass in real time (fake timers count, too), and as the mock's clock is
 * moved forward. `check` throws where the stream has to end.
 */
export function createWaker(check: () => void): Waker & { skip(ms: number): void } {
  let endsAt = Number.POSITIVE_INFINITY;
  let rung = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    rung = true;
    wake?.();
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
      ring();
    },
    async wait() {
      check();
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, Math.ceil(endsAt - performance.now())));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      rung = false;
      check();
    },
    ring,
  };
}
