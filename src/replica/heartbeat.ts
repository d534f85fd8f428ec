import { instant, since } from './liveness.js';

const beatMs = 5_000;
/** A longer gap between two beats means that the process was suspended or blocked. */
const stillMs = 15_000;

/**
 * Detects that this process was suspended or blocked: messages that arrive then may have been sent long before, so they
 * prove nothing about the present.
 */
export class Heartbeat {
  #last = instant();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onGap: () => void;

  /** @param onBeat called every few seconds. */
  constructor(onBeat: () => void, onGap: () => void) {
    this.#onGap = onGap;
    this.#timer = setInterval(() => {
      this.check();
      onBeat();
    }, beatMs);
  }

  /** Calls `onGap` if the process did not run since the last beat. */
  check(): void {
    const gapMs = since(this.#last);
    if (gapMs < beatMs) return;
    this.#last = instant();
    if (gapMs > stillMs) this.#onGap();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
