/** The syntax of an ISO 8601 time with its zone. */
export const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** True if the day exists: engines read February 31 as March 3. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/** Milliseconds since the epoch of a Date, an ISO 8601 text or a number; undefined if it is not valid. */
export function readMoment(time: unknown): number | undefined {
  const ms =
    time instanceof Date
      ? time.getTime()
      : typeof time === 'string' && momentPattern.test(time) && isDay(time.slice(0, 10))
        ? Date.parse(time)
        : typeof time === 'number'
          ? time
          : Number.NaN;
  return Math.abs(ms) <= 8.64e15 ? ms : undefined;
}
