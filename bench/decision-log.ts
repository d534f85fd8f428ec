// The cost of a decision log on the caller's path (goal: at most 2 µs), and with its formatting and writing.
import { decisionLog } from '../dist/decisions/index.js';
import { compare, type Measured, report } from './harness.ts';

const decision = {
  subject: { user: 'alice', groups: ['g1'] },
  action: 'orders:read',
  resource: 'orders:eu:7',
  effect: 'Allow',
  reason: 'allowed',
  source: 'replica',
  durationUs: 0.7,
} as const;
const operations = 5_000;
const goalUs = 2;

/** The time of `record` alone, in microseconds: the lines are written between the rounds. */
async function callersPath(): Promise<number> {
  const log = decisionLog({ write: () => undefined, service: 'orders' });
  const rounds: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const start = performance.now();
    for (let index = 0; index < operations; index += 1) log.record(decision);
    rounds.push(((performance.now() - start) * 1_000) / operations);
    await log.flush();
  }
  if (log.dropped > 0) throw new Error('the log dropped decisions, which is fast for the wrong reason');
  return rounds.sort((a, b) => a - b)[100] ?? Number.NaN;
}

/** A log with these options, from recording to the written line. */
function whole(name: string, options: object) {
  let bytes = 0;
  const log = decisionLog({
    write: (lines) => {
      bytes += lines.length;
    },
    ...options,
  });
  const run = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) log.record(decision);
    await log.flush();
    if (bytes === 0 || log.dropped > 0) throw new Error('nothing was written');
  };
  return { name, run };
}

export async function run(): Promise<void> {
  const us = await callersPath();
  console.log(`record, the caller's path: ${us.toFixed(2)} µs (goal: at most ${goalUs} µs)`);
  const all = [whole('record and write', {}), whole('the same, users hashed', { hashUsers: { key: 'k'.repeat(32) } })];
  const measured: readonly Measured[] = await compare(all, { operations, rounds: 51 });
  report('recorded and written', measured);
  if (us > goalUs) throw new Error(`record takes ${us.toFixed(2)} µs, more than ${goalUs} µs`);
}
