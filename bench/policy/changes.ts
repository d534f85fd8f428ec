import { createEvaluator, type Evaluator } from '../../dist/policy/index.js';
import { spread } from '../harness.ts';
import { cpuTime } from './clock.ts';
import { type Data, makeData, type Request, tenantScope } from './data.ts';

const count = 4_096;

/** The n-th pool of different questions, with strings of its own, as they arrive in a service. */
const pool = (data: Data, n: number): Request[] =>
  JSON.parse(JSON.stringify(Array.from({ length: count }, (_, i) => data.request(n * count + i))));

/** Decisions per second over a pool. By wall time: CPU time has ticks of up to 4 ms, and a pool takes less. */
function decide(evaluator: Evaluator, requests: readonly Request[]): number {
  const started = performance.now();
  for (const request of requests) evaluator.evaluate(request);
  return (requests.length * 1000) / (performance.now() - started);
}

const millions = (rates: readonly number[]) => {
  const { median, p10, p90 } = spread(rates.map((rate) => rate / 1e6));
  return `${median.toFixed(2)} M/s (${p10.toFixed(2)} to ${p90.toFixed(2)})`;
};

/** Sets a policy, role or binding again. */
function change(evaluator: Evaluator, { policies, bindings }: Data, n: number): void {
  const name = `policy${(n * 7) % 1000}`;
  const binding = bindings[(n * 7919) % bindings.length];
  const policy = policies.get(name);
  if (n % 10 < 6 && policy !== undefined) evaluator.setPolicy(name, policy);
  else if (n % 10 < 8) evaluator.setRole(`role${n % 1000}`, { policies: [`policy${n % 1000}`] });
  else if (binding !== undefined) evaluator.setBinding(binding);
}

/**
 * The next questions after one policy was set again, side by side with a still engine; new ones, and ones asked before.
 */
function afterOneChange(data: Data): void {
  const evaluator = createEvaluator(data);
  let next = 1;
  while (next < 30) decide(evaluator, pool(data, next++));
  const again = pool(data, 0);
  for (let i = 0; i < 20; i++) decide(evaluator, again);
  const rates = { still: [], changed: [], stillAgain: [], changedAgain: [] } as Record<string, number[]>;
  for (let round = 0; round < 25; round++) {
    const policy = `policy${round}`;
    const set = () => evaluator.setPolicy(policy, data.policies.get(policy) ?? { statements: [] });
    const [one, other] = [pool(data, next++), pool(data, next++)];
    rates.still?.push(decide(evaluator, one));
    set();
    rates.changed?.push(decide(evaluator, other));
    decide(evaluator, again);
    rates.stillAgain?.push(decide(evaluator, again));
    set();
    rates.changedAgain?.push(decide(evaluator, again));
  }
  const share = (changed: string, still: string) =>
    `${Math.round((100 * spread(rates[changed] ?? []).median) / spread(rates[still] ?? []).median)}%`;
  console.log(
    `\nafter one of 1 000 policies (20 statements each) was set again, the next ${count} questions (100 000 bindings)`,
  );
  console.log(
    `  never asked:  still ${millions(rates.still ?? [])}, changed ${millions(rates.changed ?? [])}: ${share('changed', 'still')}`,
  );
  console.log(
    `  asked before: still ${millions(rates.stillAgain ?? [])}, changed ${millions(rates.changedAgain ?? [])}: ${share('changedAgain', 'stillAgain')}`,
  );
}

/** Decisions while 100 changes per second stream in, alternating with the same engine without changes. */
function whileChanging(data: Data): void {
  const evaluator = createEvaluator(data);
  const requests = pool(data, 0);
  for (let i = 0; i < 20; i++) decide(evaluator, requests);
  const rates: [still: number[], changing: number[]] = [[], []];
  let changes = 0;
  for (let round = 0; round < 30; round++) {
    const isChanging = round % 2 === 1;
    const started = cpuTime();
    let decided = 0;
    for (let due = 10; cpuTime() - started < 300; ) {
      const at = decided % count;
      for (const request of requests.slice(at, at + 512)) evaluator.evaluate(request);
      decided += 512;
      if (cpuTime() - started < due) continue;
      if (isChanging) change(evaluator, data, changes++);
      due += 10;
    }
    rates[isChanging ? 1 : 0].push((decided * 1000) / (cpuTime() - started));
  }
  const [still, changing] = rates;
  const share = Math.round((100 * spread(changing).median) / spread(still).median);
  console.log(
    `\nwhile 100 changes a second stream in: still ${millions(still)}, changing ${millions(changing)}: ${share}%`,
  );
}

/** The cost of one change, by the size of the state, with full caches. */
function costOfOne(): void {
  console.log('\none change, in µs');
  for (const bindings of [10_000, 100_000, 1_000_000]) {
    const data = makeData(bindings);
    const evaluator = createEvaluator(data);
    for (let n = 0; n < 10; n++) decide(evaluator, pool(data, n));
    const measure = (work: (n: number) => void): string => {
      const times: number[] = [];
      for (let round = 0; round < 9; round++) {
        const started = performance.now();
        for (let n = 0; n < 1000; n++) work(round * 1000 + n);
        times.push(performance.now() - started);
      }
      return spread(times).median.toFixed(1);
    };
    const scope = tenantScope('t1');
    const [policy] = data.policies.values();
    console.log(
      `  ${String(bindings).padStart(7)} bindings:`,
      `setPolicy ${measure((n) => evaluator.setPolicy(`policy${n % 1000}`, policy ?? { statements: [] }))},`,
      `setRole ${measure((n) => evaluator.setRole(`role${n % 1000}`, { policies: [`policy${n % 1000}`] }))},`,
      `setBinding ${measure((n) => evaluator.setBinding({ user: `user${n}`, role: 'role7', scope }))},`,
      `deleteBinding ${measure((n) => evaluator.deleteBinding(`user${n}`, 'role7'))},`,
      `clone and setBinding ${measure((n) => evaluator.clone().setBinding({ user: `user${n}`, role: 'role8', scope }))}`,
    );
  }
}

/** A change invalidates only what it touches, however large the state is. */
export function runChanges(): void {
  const data = makeData(100_000);
  afterOneChange(data);
  whileChanging(data);
  costOfOne();
}
