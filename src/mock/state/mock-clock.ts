import { InvalidArgumentError } from '../../base/errors.js';
import { readDuration } from '../../base/lib/duration.js';
import { readMoment } from '../../base/lib/moment.js';
import { expected, readArgument } from '../../base/lib/readers.js';

/** The mock's clock, for issuing and validating tokens. */
export interface MockClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Stops the clock at this time: a Date, milliseconds since 1970, or ISO 8601 text with a time zone. */
  set(time: Date | number | string): void;
  /** Moves the clock forward by a duration like `'2h'`. A running clock keeps running. */
  advance(duration: string): void;
}

/** The state of a clock: stopped at a time, or this far ahead of real time. */
type ClockState = { readonly stoppedAt?: number | undefined; readonly aheadMs: number };

/** A clock that can be saved and watched. */
export interface SavedClock extends MockClock {
  /**
   * Calls `listener` with the milliseconds by which `set` or `advance` moved the clock.
   * @returns a function that removes the listener.
   */
  watch(listener: (ms: number) => void): () => void;
  save(): ClockState;
  load(state: ClockState): void;
}

/** Creates a clock that stands at `start` or, without one, follows real time. */
export function createClock(start?: number): SavedClock {
  let state: ClockState = { stoppedAt: start, aheadMs: 0 };
  const listeners = new Set<(ms: number) => void>();
  const now = (): number => state.stoppedAt ?? Date.now() + state.aheadMs;
  const move = (next: ClockState): void => {
    const before = now();
    state = next;
    for (const listener of listeners) listener(now() - before);
  };
  return {
    now,
    set(time) {
      const ms = readMoment(time);
      if (ms === undefined) {
        const accepted = 'a valid Date, milliseconds since 1970 or an ISO 8601 text like "2026-11-20T12:00Z"';
        throw expected('time', accepted, time);
      }
      move({ stoppedAt: ms, aheadMs: 0 });
    },
    advance(duration) {
      const ms = readArgument(duration, 'duration', readDuration);
      const { stoppedAt, aheadMs } = state;
      if (readMoment((stoppedAt ?? Date.now() + aheadMs) + ms) === undefined) {
        throw new InvalidArgumentError('duration', 'exceeds the last time that a Date can hold');
      }
      move(stoppedAt === undefined ? { aheadMs: aheadMs + ms } : { stoppedAt: stoppedAt + ms, aheadMs });
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    save: () => state,
    load(saved) {
      state = saved;
    },
  };
}
