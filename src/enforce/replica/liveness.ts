import { type PoolKind, poolKinds } from '../../policy/pool/pool-items.js';

/**
 * A point in time on both clocks. The monotonic clock may stop while the machine is suspended, and the wall clock can
 * be set, so the longer elapsed time counts.
 */
export type Instant = { readonly wall: number; readonly mono: number };

/** The current moment. */
export const instant = (): Instant => ({ wall: Date.now(), mono: performance.now() });

/** Milliseconds since a moment. */
export const since = ({ wall, mono }: Instant): number => Math.max(Date.now() - wall, performance.now() - mono);

/** How long a confirmation of the service counts. */
const staleAfterMs = 60_000;

/** Tells if a replica is live: only if the service has confirmed the copy of each kind recently. */
export class Liveness {
  readonly #shown: Record<PoolKind, Instant | undefined> = {
    policies: undefined,
    roles: undefined,
    bindings: undefined,
    groupBindings: undefined,
  };
  /** The time at which the replica ceases, or ceased, to be live; undefined before it was first live. */
  #until: Instant | undefined;
  /** The last reading of the clocks. */
  #wall = 0;
  #mono = 0;

  /** Records that the service had the copy's state of a kind at this time. */
  shown(kind: PoolKind, at: Instant = instant()): void {
    const confirmation = this.#shown[kind];
    if (confirmation === undefined || at.mono >= confirmation.mono) this.#show(kind, at);
  }

  /** Records that a state read at this time replaced the copy: later confirmations were of the former copy. */
  replaced(kind: PoolKind, at: Instant): void {
    const confirmation = this.#shown[kind];
    if (confirmation !== undefined && at.mono < confirmation.mono) this.#show(kind, at);
  }

  #show(kind: PoolKind, at: Instant): void {
    this.#shown[kind] = at;
    let wall = Number.POSITIVE_INFINITY;
    let mono = Number.POSITIVE_INFINITY;
    for (const kind of poolKinds) {
      const confirmation = this.#shown[kind];
      if (confirmation === undefined) return;
      wall = Math.min(wall, confirmation.wall);
      mono = Math.min(mono, confirmation.mono);
    }
    this.#until = { wall: wall + staleAfterMs, mono: mono + staleAfterMs };
  }

  /** Drops all confirmations: the service has contradicted the copy, or refuses to confirm it. */
  forget(): void {
    for (const kind of poolKinds) this.#shown[kind] = undefined;
    if (this.#until === undefined) return;
    const { wall, mono } = instant();
    this.#until = { wall: Math.min(wall, this.#until.wall), mono: Math.min(mono, this.#until.mono) };
  }

  /** The time at which the replica ceases, or ceased, to be live; undefined before it was first live. */
  get until(): Instant | undefined {
    return this.#until;
  }

  /** True while live, and for `ms` afterwards. Reads the monotonic clock at most once per millisecond. */
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

  /** Milliseconds for which the replica stays live without a further confirmation; 0 or less if it is not live. */
  leftMs(): number {
    return this.#until === undefined ? 0 : -since(this.#until);
  }
}
