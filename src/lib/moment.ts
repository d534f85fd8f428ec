/** The form of an ISO 8601 moment with its zone. */
export const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Whether there is such a day: engines take a 31st of February for the 3rd of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/** Milliseconds since 1970 of a moment in any of its forms, or undefined. */
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
