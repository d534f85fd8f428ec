import { type Reader, refuse, transform } from './readers.js';

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
/** The syntax of a duration, at most 64 characters. */
export const durationPattern = /^(?=.{1,64}$)(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/;
const part = /(\d+(?:\.\d+)?)(ms|h|m|s)/g;

/** Parses a duration (`1h`, `90m`, `3600s`, `1h30m`, `1.5s`, `250ms`) to milliseconds; undefined if it is not valid. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(part)) ms += Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN);
  return Number.isFinite(ms) ? ms : undefined;
}

/** Reads a duration as milliseconds. A bare number is refused, because its unit would be a guess. */
export const readDuration: Reader<number> = (value, reading) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms ?? refuse(reading, 'a duration like "1h", "90m" or "3600s"', value);
};

/** Reads a duration longer than 0 as milliseconds. */
export const readPeriod = transform(readDuration, (ms, reading) => ms || reading.report<number>('must not be 0'));

/** Formats milliseconds as the services write durations: seconds with 0, 3, 6 or 9 decimals and an `s`. */
export function formatSeconds(ms: number): string {
  const [seconds = '0', decimals = ''] = (ms / 1000).toFixed(9).split('.');
  const digits = decimals.replace(/(?:000)+$/, '');
  return digits === '' ? `${seconds}s` : `${seconds}.${digits}s`;
}
