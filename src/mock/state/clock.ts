import { InvalidArgumentError } from '../../errors.js';
import { readDuration } from '../../lib/duration.js';
import { readMoment } from '../../lib/moment.js';
import { expected, readArgument } from '../../lib/readers.js';

/** The mock's only clock, for issuing and for validating. */
export interface MockClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Stops the clock at this moment. A Date, milliseconds since 1970, or an ISO 8601 text with its zone. */
  set(time: Date | number | string): void;
  /** Moves the clock forward by a duration like `'2h'`. A clock that runs goes on running. */
  advance(duration: string): void;
}

/** The clock as snapshots keep it: stopped at a moment, or so many milliseconds ahead of the real time. */
interface ClockState {
  readonly stoppedAt?: number;
  readonly aheadMs: number;
}

/** A clock whose state can be kept. */
export interface SavedClock extends MockClock {
  /**
   * Calls `listener` with the milliseconds by which `set` or `advance` moved the clock.
   * @returns what ends it.
   */
  watch(listener: (ms: number) => void): () => void;
  save(): ClockState;
  load(state: ClockState): void;
}

/** A clock that stands at `start`, or runs with the real time when there is none. */
export function createClock(start?: number): SavedClock {
  let state: ClockState = start === undefined ? { aheadMs: 0 } : { stoppedAt: start, aheadMs: 0 };
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
        const accepted = 'a valid Date, milliseconds since 1970 or an ISO 8601 text like "2026-11-20T12:00:00Z"';
        throw expected('time', accepted, time);
      }
      move({ stoppedAt: ms, aheadMs: 0 });
    },
    advance(duration) {
      const ms = readArgument(duration, 'duration', readDuration);
      const { stoppedAt, aheadMs } = state;
      if (readMoment((stoppedAt ?? Date.now() + aheadMs) + ms) === undefined) {
        throw new InvalidArgumentError('duration', 'leads beyond the year 275760, the last that a Date can hold');
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
