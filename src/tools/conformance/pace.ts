/** Time, for the pace of questions and for waits; tests pass their own. */
export interface ConformanceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this long; an aborted signal ends it early. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Keeps questions, which are asked one after the other, apart: at most `rate` a second. */
export class Pace {
  readonly #gapMs: number;
  readonly #clock: ConformanceClock;
  #next = Number.NEGATIVE_INFINITY;
  /** The number of questions so far. */
  asked = 0;

  constructor(rate: number, clock: ConformanceClock) {
    this.#gapMs = 1_000 / rate;
    this.#clock = clock;
  }

  /** Waits until the next question may be sent. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const now = this.#clock.now();
    // The clock may have been set back.
    const waitMs = Math.min(Math.max(0, this.#next - now), this.#gapMs);
    this.#next = now + waitMs + this.#gapMs;
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    signal?.throwIfAborted();
    this.asked += 1;
  }
}
