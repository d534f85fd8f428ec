import { expected, type Reader, transform, withMethods } from './readers.js';

/** Time in milliseconds since some fixed point. The default is monotonic: it never jumps with the wall clock. */
export interface Clock {
  /** The time, in milliseconds. */
  now(): number;
}

/** Returns a clock that throws InvalidArgumentError, at once and from `now()`, unless its time is finite. */
export function checkedClock(clock: Clock): Clock {
  const now = (): number => {
    const ms = clock.now();
    if (Number.isFinite(ms)) return ms;
    throw expected('clock.now()', 'a finite number', ms);
  };
  now();
  return { now };
}

/** Reads a clock, whose results are checked from then on. */
export const readClock: Reader<Clock> = /* @__PURE__ */ transform(
  withMethods<Clock>('an object with now()', 'now'),
  checkedClock,
);
