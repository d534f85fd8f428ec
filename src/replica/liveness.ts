import { type PoolKind, poolKinds } from '../pool/items.js';

/**
 * A moment by both clocks. The monotonic clock stands still while the machine is suspended, and the wall clock can be
 * set: whichever has passed more counts.
 */
export interface Instant {
  readonly wall: number;
  readonly mono: number;
}

/** The current moment. */
export const instant = (): Instant => ({ wall: Date.now(), mono: performance.now() });

/** Milliseconds since a moment. */
export const since = ({ wall, mono }: Instant): number => Math.max(Date.now() - wall, performance.now() - mono);

/** How long evidence counts. */
const staleAfterMs = 60_000;

/**
 * Decides whether a replica is live from what the service has shown: for each kind, the last moment at which it
 * confirmed what the copy holds. Nothing else makes it live.
 */
export class Liveness {
  readonly #shown: Record<PoolKind, Instant | undefined> = {
    policies: undefined,
    roles: undefined,
    bindings: undefined,
  };
  /** The moment at which it stops, or stopped, to be live; undefined before it ever was. */
  #until: Instant | undefined;
  /** The last reading of the clocks. */
  #wall = 0;
  #mono = 0;

  /** Takes in that the service had, at this moment, what the copy holds of a kind. */
  shown(kind: PoolKind, at: Instant = instant()): void {
    const known = this.#shown[kind];
    if (known === undefined || at.mono >= known.mono) this.#show(kind, at);
  }

  /** The copy now holds of a kind what the service had at this moment; what it showed later was of another copy. */
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

  /** Drops all evidence: the service has refuted it, or refuses to give any. */
  forget(): void {
    for (const kind of poolKinds) this.#shown[kind] = undefined;
    if (this.#until === undefined) return;
    const { wall, mono } = instant();
    this.#until = { wall: Math.min(wall, this.#until.wall), mono: Math.min(mono, this.#until.mono) };
  }

  /** When it stops, or stopped, to be live; undefined before it ever was. */
  get until(): Instant | undefined {
    return this.#until;
  }

  /** True while live, and for `ms` more. Reads the wall clock, and the monotonic one once in each millisecond of it. */
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

  /** Milliseconds for which it stays live without more evidence; 0 or less if it is not. */
  leftMs(): number {
    return this.#until === undefined ? 0 : -since(this.#until);
  }
}
