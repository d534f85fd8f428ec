import type { Bucket } from '../reader-messages.js';

const second = 1;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** The lengths of intervals in seconds, which divide a UTC day or are whole days. */
const widths = [
  ...[1, 2, 5, 10, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 56, 112].map((count) => count * day),
];
const mostBuckets = 60;

/** The shortest interval of which at most 60 cover a span. */
export function widthFor(firstSeconds: number, lastSeconds: number): number {
  const fits = (width: number) => Math.floor(lastSeconds / width) - Math.floor(firstSeconds / width) < mostBuckets;
  return widths.find(fits) ?? Math.ceil((lastSeconds - firstSeconds + 1) / (mostBuckets - 1) / day) * day;
}

/** The decisions of a log by time, without those that a filter leaves out. */
export interface Moments {
  /** Seconds since 1970, in the order of the log. */
  readonly seconds: Uint32Array;
  /** For each time twice the index of its question, and 1 more for a denial. */
  readonly marks: Uint32Array;
  /** 1 for each question that passes. */
  readonly passes: Uint8Array;
}

/** Counts decisions in intervals that cover the whole log, empty ones included. */
export function toBuckets(moments: Moments, first: number, last: number): { width: number; buckets: Bucket[] } {
  const { seconds, marks, passes } = moments;
  if (seconds.length === 0) return { width: second, buckets: [] };
  const width = widthFor(first, last);
  const start = Math.floor(first / width);
  const length = Math.floor(last / width) - start + 1;
  const counts = new Uint32Array(2 * length);
  for (let i = 0; i < seconds.length; i += 1) {
    const mark = marks[i] as number;
    if (passes[mark >>> 1] !== 1) continue;
    const at = 2 * (Math.floor((seconds[i] as number) / width) - start) + (mark & 1);
    counts[at] = (counts[at] as number) + 1;
  }
  const buckets = Array.from({ length }, (_, i) => ({
    from: (start + i) * width * 1_000,
    allowed: counts[2 * i] as number,
    denied: counts[2 * i + 1] as number,
  }));
  return { width, buckets };
}
