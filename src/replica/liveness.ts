import { type PoolKind, poolKinds } from '../pool/items.js';

/**
 * A moment by both clocks. The monotonic clock may stop while the machine is suspended, and the wall clock can be set:
 * the longer elapsed time counts.
 */
export interface Instant {
  readonly wall: number;
  readonly mono: number;
}

/** The current moment. */
export const instant = (): Instant => ({ wall: Date.now(), mono: performance.now() });

/** Milliseconds since a moment. */
export const since = ({ wall, mono }: Instant): number => Math.max(Date.now() - wall, performance.now() - mono);

/** The validity of evidence. */
const staleAfterMs = 60_000;

/**
 * Determines if a replica is live: for each kind, from the last moment at which the service confirmed the copy. Nothing
 * else makes it live.
 */
export class Liveness {
  readonly #shown: Record<PoolKind, Instant | undefined> = {
    policies: undefined,
    roles: undefined,
    bindings: undefined,
  };
  /** The moment at which it ceases or ceased to be live; undefined before it ever was. */
  #until: Instant | undefined;
  /** The last reading of the clocks. */
  #wall = 0;
  #mono = 0;

  /** Notes that at this moment the service had the copy's state of a kind. */
  shown(kind: PoolKind, at: Instant = instant()): void {
    const known = this.#shown[kind];
    if (known === undefined || at.mono >= known.mono) this.#show(kind, at);
  }

  /**
   * Notes that the copy of a kind was replaced with the service's state of this moment; later evidence was about
   * another copy.
   */
  replaced(kind: PoolKind, at: Instant): void {
    const known = this.#shown[kind];
    if (known !== undefined && at.mono < known.mono) this.#show(kind, at);
  }

  #show(kind: PoolKind, at: Instant): void {
    this.#shown[kind] = at;
    let wall = Number.POSITIVE_INFINITY;
    let mono = Number.POSITIVE_INFINITY;
    for (const one of poolKinds) {
      const shown = this.#shown[one];
      if (shown === undefined) return;
      wall = Math.min(wall, shown.wall);
      mono = Math.min(mono, shown.mono);
    }
    this.#until = { wall: wall + staleAfterMs, mono: mono + staleAfterMs };
  }

  /** Drops all evidence: the service has refuted it, or refuses to provide any. */
  forget(): void {
    for (const kind of poolKinds) this.#shown[kind] = undefined;
    if (this.#until === undefined) return;
    const { wall, mono } = instant();
    this.#until = { wall: Math.min(wall, this.#until.wall), mono: Math.min(mono, this.#until.mono) };
  }

  /** Returns when it ceases or ceased to be live; undefined before it ever was. */
  get until(): Instant | undefined {
    return this.#until;
  }

  /** True while live, and for `ms` more. Reads the wall clock, and the monotonic one once per millisecond. */
  within(ms: number): boolean {
    const until = this.#until;
    if (until === undefined) return false;
    const wall = Date.now();
    if (wall !== this.#wall) {
      this.#wall = wall;
      this.#mono = performance.now();
    }
    return wall < until.wall + ms && this.#mono < until.mono + ms;
  }

  /** The remaining time of being live without more evidence, in milliseconds; 0 or less if it is not live. */
  leftMs(): number {
    return this.#until === undefined ? 0 : -since(this.#until);
  }
}
