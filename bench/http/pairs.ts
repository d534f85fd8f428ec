import { setImmediate } from 'node:timers/promises';

/** A median and its 95% confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The cost of a contender relative to the baseline: 0.5 is half of it. */
export interface Comparison {
  /** CPU time of this process. */
  readonly cpu: Estimate;
  /** Wall time, which includes other load of the machine. */
  readonly wall: Estimate;
  /** CPU time of one operation of the contender, in microseconds. */
  readonly cpuMicros: number;
  readonly pairs: number;
  /** True if the interval of `cpu` is narrow enough to be trusted. */
  readonly settled: boolean;
}

/** Does the work this many times. */
export type Work = (operations: number) => Promise<void>;

const warmup = 5;
const fewestPairs = 21;
const mostPairs = 641;

/** The median of values with its 95% interval: the order statistics that a binomial distribution names. */
function estimate(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  const at = (index: number) => sorted[Math.min(length - 1, Math.max(0, index))] ?? Number.NaN;
  const half = 0.98 * Math.sqrt(length);
  return {
    median: (at(Math.floor((length - 1) / 2)) + at(Math.ceil((length - 1) / 2))) / 2,
    low: at(Math.floor(length / 2 - half)),
    high: at(Math.ceil(length / 2 + half) - 1),
  };
}

const isNarrow = ({ median, low, high }: Estimate, tolerance: number) =>
  median - low <= median * tolerance && high - median <= median * tolerance;

async function measure(work: Work, operations: number): Promise<{ readonly cpu: number; readonly wall: number }> {
  // Work queued in the event loop must not land in this slot.
  await setImmediate();
  const before = process.cpuUsage();
  const started = performance.now();
  await work(operations);
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, wall };
}

/**
 * Measures a contender and the baseline in alternating slots, each pair in the other order, until the interval of the
 * median CPU ratio is narrow enough or there are as many pairs as one cares to wait for. Ratios are taken within a
 * pair: what the machine does beside reaches both halves alike.
 *
 * @param tolerance how far the interval may reach from the median, as a part of it.
 */
export async function comparePairs(
  contender: Work,
  baseline: Work,
  operations: number,
  tolerance: number,
): Promise<Comparison> {
  const cpu: number[] = [];
  const wall: number[] = [];
  const micros: number[] = [];
  for (let pair = -warmup; pair < mostPairs; pair++) {
    const first = pair % 2 === 0 ? contender : baseline;
    const one = await measure(first, operations);
    const two = await measure(first === contender ? baseline : contender, operations);
    const [own, base] = first === contender ? [one, two] : [two, one];
    if (pair < 0) continue;
    cpu.push(own.cpu / base.cpu);
    wall.push(own.wall / base.wall);
    micros.push(own.cpu / operations);
    if (cpu.length >= fewestPairs && isNarrow(estimate(cpu), tolerance)) break;
  }
  const ratio = estimate(cpu);
  return {
    cpu: ratio,
    wall: estimate(wall),
    cpuMicros: estimate(micros).median,
    pairs: cpu.length,
    settled: isNarrow(ratio, tolerance),
  };
}
