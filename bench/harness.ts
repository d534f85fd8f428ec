import { setImmediate } from 'node:timers/promises';

/** A contestant of a benchmark. */
export interface Contestant {
  readonly name: string;
  /** Does the work `operations` times. May return milliseconds in which it only waited, which do not count. */
  readonly run: (operations: number) => Promise<void> | Promise<number> | void;
}

/** The median of the rounds and the range of the middle 80%. */
export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

export interface Measured {
  readonly name: string;
  /** Operations a second. */
  readonly rate: Spread;
  /** Time relative to the first contestant in the same round: 1.2 takes 20% longer. */
  readonly ratio: Spread;
  /** CPU time of this process relative to the first contestant; steadier than `ratio` while other programs run. */
  readonly cpu: Spread;
}

/**
 * Measures contestants side by side: each round runs every one of them once, in rotating order, so that changes of the
 * machine's speed affect all. Ratios are taken within a round: many short rounds are less sensitive to other load than
 * a few long ones.
 */
export async function compare(
  contestants: readonly Contestant[],
  { operations, rounds = 15, warmup = 3 }: { operations: number; rounds?: number; warmup?: number },
): Promise<Measured[]> {
  const seconds = contestants.map((): number[] => []);
  const busy = contestants.map((): number[] => []);
  for (let round = -warmup; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (turn + round + warmup) % contestants.length;
      // Work without I/O would hold the event loop, and queued work would land in another contestant's turn.
      await setImmediate();
      const cpu = process.cpuUsage();
      const started = performance.now();
      const idleMs = (await contestants[index]?.run(operations)) ?? 0;
      const taken = (performance.now() - started - idleMs) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      if (round < 0) continue;
      seconds[index]?.push(taken);
      busy[index]?.push(user + system);
    }
  }
  return contestants.map(({ name }, index) => ({
    name,
    rate: spread((seconds[index] ?? []).map((time) => operations / time)),
    ratio: againstFirst(seconds, index),
    cpu: againstFirst(busy, index),
  }));
}

/** A contestant's time relative to the first one, round by round. */
function againstFirst(rounds: readonly (readonly number[])[], index: number): Spread {
  const [first = []] = rounds;
  return spread((rounds[index] ?? []).map((value, round) => value / (first[round] ?? Number.NaN)));
}

/** Median, 10th and 90th percentile. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) };
}

/** Calls `call` `operations` times, with `atOnce` calls in flight. */
export async function repeat(operations: number, atOnce: number, call: () => Promise<unknown>): Promise<void> {
  let left = operations;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const count = (value: number) => Math.round(value).toLocaleString('en');

/**
 * Prints a table: the rate, then time and CPU time relative to the first contestant, each with its 10th and 90th
 * percentile.
 */
export function report(title: string, results: readonly Measured[]): void {
  const width = Math.max(...results.map(({ name }) => name.length));
  const times = ({ median, p10, p90 }: Spread) =>
    `${median.toFixed(2).padStart(6)}× (${p10.toFixed(2)} to ${p90.toFixed(2)})`.padEnd(24);
  console.log(`\n${title}`);
  for (const { name, rate, ratio, cpu } of results) {
    console.log(
      `  ${name.padEnd(width)} ${count(rate.median).padStart(11)}/s  time ${times(ratio)} CPU ${times(cpu)}`.trimEnd(),
    );
  }
}
