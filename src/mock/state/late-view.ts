import type { Evaluator } from '../../policy/index.js';

/** The state that decisions see while writes reach them late, as those of a sidecar that follows the pools. */
export interface LateView {
  /** The number of times that decisions asked for the newest state. */
  readonly refreshes: number;
  /** Keeps the state before a write. */
  keep(before: Evaluator): void;
  /** The state that decisions see. */
  of(current: Evaluator): Evaluator;
  /** Makes decisions see all writes so far. */
  refresh(): void;
  save(): number;
  load(refreshes: number): void;
}

/** Creates a view that lags behind by this long, by a clock. */
export function createLateView(lagMs: number, now: () => number): LateView {
  /** The states before the writes that decisions do not see yet, oldest first. */
  let unseen: { readonly at: number; readonly before: Evaluator }[] = [];
  let refreshes = 0;
  return {
    get refreshes() {
      return refreshes;
    },
    keep(before) {
      if (lagMs > 0) unseen.push({ at: now(), before: before.clone() });
    },
    of(current) {
      if (unseen.length > 0) unseen = unseen.filter(({ at }) => at + lagMs > now());
      return unseen[0]?.before ?? current;
    },
    refresh() {
      refreshes++;
      unseen = [];
    },
    save: () => refreshes,
    load(saved) {
      refreshes = saved;
      unseen = [];
    },
  };
}
