/** Time, for the pace of questions and for waits; tests pass their own. */
export interface VerifyClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this long; an aborted signal ends it early. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Keeps questions apart: at most `rate` a second. */
export class Pace {
  readonly #gapMs: number;
  readonly #clock: VerifyClock;
  #next = Number.NEGATIVE_INFINITY;
  /** The number of questions so far. */
  asked = 0;

  constructor(rate: number, clock: VerifyClock) {
    this.#gapMs = 1_000 / rate;
    this.#clock = clock;
  }

  /** Waits until the next question may be sent. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gapMs;
    if (at > now) await this.#clock.sleep(at - now, signal);
    signal?.throwIfAborted();
    this.asked += 1;
  }
}
