import { type Reader, refuse } from './readers.js';

const unitMs: ReadonlyMap<string, number> = /* @__PURE__ */ new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]);
/** The form of a duration text, of at most 64 characters. */
export const durationPattern = /^(?=.{1,64}$)(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/;
const part = /(\d+(?:\.\d+)?)(ms|h|m|s)/g;

/** Milliseconds of a duration text (`1h`, `90m`, `3600s`, `1h30m`, `1.5s`, `250ms`), or undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(part)) ms += Number(amount) * (unitMs.get(unit ?? '') ?? Number.NaN);
  return Number.isFinite(ms) ? ms : undefined;
}

/** Reads a duration text as milliseconds. A bare number is refused, because nobody knows its unit. */
export const readDuration: Reader<number> = (value, reading) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms ?? refuse(reading, 'a duration like "1h", "90m", "3600s" or "1h30m"', value);
};

/** Milliseconds as the services write durations: seconds with 0, 3, 6 or 9 decimals and an `s`. */
export function formatSeconds(ms: number): string {
  const [seconds = '0', decimals = ''] = (ms / 1000).toFixed(9).split('.');
  const kept = decimals.replace(/(?:000)+$/, '');
  return kept === '' ? `${seconds}s` : `${seconds}.${kept}s`;
}
