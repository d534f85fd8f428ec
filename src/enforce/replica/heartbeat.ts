import { instant, since } from './liveness.js';

const beatMs = 5_000;
/** A longer gap between two beats means that the process was suspended or blocked. */
const stillMs = 15_000;

/**
 * Detects that this process was suspended or blocked. Messages that arrive afterwards may have been sent long before,
 * so they prove nothing about the current state.
 */
export class Heartbeat {
  #last = instant();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onGap: () => void;

  constructor(onBeat: () => void, onGap: () => void) {
    this.#onGap = onGap;
    this.#timer = setInterval(() => {
      this.check();
      onBeat();
    }, beatMs);
  }

  /** Calls `onGap` if the process was suspended or blocked since the last beat. */
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
