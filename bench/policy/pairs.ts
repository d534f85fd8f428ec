// Two builds of the engine side by side: node bench/policy/pairs.ts <dist> <other dist> [rounds] [workload…].
// Prints the speed of the second build as a share of the first one's. `npm run bench` does not run it.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { spread } from '../harness.ts';
import { cpuTime } from './clock.ts';
import type { Engine, Workload } from './workloads.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** CPU time comes in ticks of 4 ms, so that short work is measured by the clock on the wall. */
const longEnough = 60;

/**
 * The workloads over one build. Each side has modules of its own (the query makes them so): functions that both sides
 * shared would be compiled for two kinds of evaluator.
 */
async function workloadsOf(dist: string, side: string): Promise<ReadonlyMap<string, Workload>> {
  // The casts: modules by a computed name. A build of another commit may have less than the types say.
  const engine = (await import(pathToFileURL(resolve(dist, 'policy/index.js')).href)) as Engine;
  const { makeWorkloads } = (await import(`./workloads.ts?${side}`)) as typeof import('./workloads.ts');
  return makeWorkloads(engine);
}

/** Operations a millisecond. */
function measure(work: () => number): number {
  const [started, cpu] = [performance.now(), cpuTime()];
  const operations = work();
  const [taken, busy] = [performance.now() - started, cpuTime() - cpu];
  return operations / (busy > longEnough ? busy : taken);
}

/** Rates of both sides, step by step, by turns: what else the machine does hits both. */
function compare(sides: readonly [Workload, Workload], rounds: number): [number[], number[]] {
  const rates: [number[], number[]] = [[], []];
  const made = [sides[0].make(), sides[1].make()] as const;
  for (let round = -2; round < rounds; round++) {
    const steps = [made[0](round + 2), made[1](round + 2)] as const;
    collect();
    for (let step = 0; step < steps[0].length; step++) {
      for (const side of step % 2 === round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
        const work = steps[side][step];
        if (work === undefined) throw new Error('the sides have different steps');
        if (sides[side].collects) collect();
        const rate = measure(work);
        if (round >= 0) rates[side].push(rate);
      }
    }
  }
  return rates;
}

const [one, other, rounds = '15', ...wanted] = process.argv.slice(2);
if (one === undefined || other === undefined) {
  console.error('usage: node bench/policy/pairs.ts <dist> <other dist> [rounds] [workload…]');
  process.exit(2);
}
const [left, right] = [await workloadsOf(one, 'one'), await workloadsOf(other, 'other')];
for (const [name, workload] of left) {
  const opposite = right.get(name);
  if (opposite === undefined || (wanted.length > 0 && !wanted.some((start) => name.startsWith(start)))) continue;
  const rates = compare([workload, opposite], Number(rounds));
  const ratios = spread(rates[0].map((rate, i) => (rates[1][i] ?? Number.NaN) / rate));
  const [a, b] = rates.map((list) => (spread(list).median / 1000).toPrecision(3));
  console.log(
    `${name.padEnd(38)} ${a} and ${b} M/s: ${ratios.median.toFixed(3)}`,
    `(${ratios.p10.toFixed(3)} to ${ratios.p90.toFixed(3)}, ${ratios === undefined ? 0 : rates[0].length} pairs)`,
  );
}
