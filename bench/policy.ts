import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createEvaluator } from '../dist/policy/index.js';
import { spread } from './harness.ts';
import { runChanges } from './policy/changes.ts';
import { type Contender, others } from './policy/contenders.ts';
import { type Data, makeData, type Request } from './policy/data.ts';

const ours: Contender = {
  name: 'arango-services',
  async prepare(data) {
    const evaluator = createEvaluator(data);
    return (request) => evaluator.evaluate(request).allowed;
  },
};

type Decide = (request: Request) => boolean;

/** As in a service: parsed from JSON, with separate strings. */
const asReceived = (requests: readonly Request[]): Request[] => JSON.parse(JSON.stringify(requests));

/**
 * Decisions per second, for at least `ms` milliseconds or until each request was asked `passes` times. It checks the
 * clock and yields to the event loop between batches of doubling size, so that slow ones stop in time.
 */
async function rate(
  decide: Decide,
  requests: readonly Request[],
  ms: number,
  passes = Number.POSITIVE_INFINITY,
): Promise<number> {
  let [done, next, busy] = [0, 0, 0];
  for (let batch = 1; busy < ms && done < requests.length * passes; batch *= 2) {
    const end = Math.min(next + batch, requests.length);
    const started = performance.now();
    for (let i = next; i < end; i++) decide(requests[i] as Request);
    busy += performance.now() - started;
    done += end - next;
    next = end === requests.length ? 0 : end;
    await setImmediate();
  }
  return (done * 1000) / busy;
}

const format = (rates: readonly number[]) => {
  const { median, p10, p90 } = spread(rates);
  const digits = (value: number) =>
    value < 1000 ? value.toFixed(0) : `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${digits(median).padStart(8)}/s (${digits(p10)} to ${digits(p90)})`.padEnd(32);
};

/** Checks that all decide alike before measuring. */
function agree(names: readonly string[], all: readonly Decide[], requests: readonly Request[]): string {
  let allowed = 0;
  for (const request of requests) {
    const [expected, ...rest] = all.map((decide) => decide(request));
    if (expected) allowed++;
    const other = rest.findIndex((one) => one !== expected);
    if (other >= 0) throw new Error(`${names[other + 1]} decides ${JSON.stringify(request)} otherwise`);
  }
  return `${requests.length} requests decided alike, ${Math.round((100 * allowed) / requests.length)}% Allow`;
}

async function compareAll(data: Data, contenders: readonly Contender[], title: string): Promise<void> {
  const names = contenders.map(({ name }) => name);
  const prepared: Decide[] = [];
  for (const one of contenders) prepared.push(await one.prepare(data));
  const pool = asReceived(Array.from({ length: 1000 }, (_, i) => data.request(i)));
  const fresh = asReceived(Array.from({ length: 200_000 }, (_, i) => data.request(i + 1000)));
  console.log(`\n${title}: ${agree(names, prepared, pool.slice(0, 20))}`);
  const hot = names.map((): number[] => []);
  const cold = names.map((): number[] => []);
  for (let round = -1; round < 5; round++) {
    for (const [i, decide] of prepared.entries()) {
      const hotRate = await rate(decide, pool, 250);
      // Prepared again, so that no request was seen before; deferred work then counts as well.
      const lazy = contenders[i]?.name !== 'casbin' && contenders[i]?.name !== 'cedar-wasm';
      const decideCold = lazy ? await (contenders[i] as Contender).prepare(data) : decide;
      await setImmediate();
      const coldRate = await rate(decideCold, fresh, lazy ? 2_000 : 150, 1);
      if (round < 0) continue;
      hot[i]?.push(hotRate);
      cold[i]?.push(coldRate);
    }
  }
  for (const [i, name] of names.entries()) {
    console.log(`  ${name.padEnd(16)} hot ${format(hot[i] ?? [])} cold ${format(cold[i] ?? [])}`.trimEnd());
  }
}

/**
 * Decisions a second: 1 000 roles, 20 000 statements; hot is one of 1 000 requests asked again, cold one that was never
 * asked.
 */
export async function run(): Promise<void> {
  for (const bindings of [1_000, 10_000, 100_000]) {
    await compareAll(makeData(bindings), [ours, ...others], `${bindings} bindings, one a user`);
  }
  await compareAll(
    makeData(100_000, 10),
    [ours],
    '100000 bindings, ten a user (only here: in the others a Deny crosses roles)',
  );
  runChanges();
  const scripts = [
    new URL('./policy/load.ts', import.meta.url),
    new URL('./policy/slices.ts', import.meta.url),
    new URL('./policy/memory.ts', import.meta.url),
  ];
  for (const { pathname } of scripts) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', pathname]);
    console.log(`\n${stdout.trim()}`);
  }
}
