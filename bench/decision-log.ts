// The cost of a decision log on the caller's path (goal: at most 2 µs), and with its formatting and writing; and what
// `onDecision` of a replica, a client and a mock adds to their decisions.
import { decisionLog } from '../dist/decisions/index.js';
import { createClient } from '../dist/index.js';
import { mockPool } from '../dist/mock/adapters/node/index.js';
import { createMock } from '../dist/mock/index.js';
import { createEvaluator } from '../dist/policy/index.js';
import { createReplica } from '../dist/replica/index.js';
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

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const question = { user: 'alice', action: 'orders:read', resource: 'order:7' };

/** The median time of a call in microseconds, in rounds that alternate with those of another. */
async function medians(calls: readonly (() => unknown)[], count: number): Promise<readonly number[]> {
  const rounds = calls.map((): number[] => []);
  for (let round = 0; round < 101; round += 1) {
    for (const [index, call] of calls.entries()) {
      const start = performance.now();
      for (let done = 0; done < count; done += 1) await call();
      rounds[index]?.push(((performance.now() - start) * 1_000) / count);
    }
  }
  return rounds.map((times) => times.sort((a, b) => a - b)[50] ?? Number.NaN);
}

/** What `onDecision` adds to a decision of each decider, in microseconds. */
async function deciders(): Promise<readonly (readonly [name: string, us: number])[]> {
  // Not a log: its lines would be formatted and written while the calls wait. `record` is measured by itself.
  let told = 0;
  const onDecision = (): void => {
    told += 1;
  };
  const config = {
    policies: { all: everything },
    roles: { admin: { policies: ['all'] } },
    bindings: [{ user: 'alice', role: 'admin', scope: everything }],
  };
  await using mock = await createMock(config);
  await using telling = await createMock(config);
  await telling.onDecision(onDecision);
  const replicas = [undefined, onDecision].map((hook) =>
    createReplica({ transport: mockPool(mock), onDecision: hook }),
  );
  // Through `handle` and with a decider in this process, because a call through `fetch` varies by more than the goal.
  const asked = {
    method: 'POST',
    path: '/_integration/authorization/v1/evaluate',
    query: '',
    headers: new Map<string, string>(),
    body: JSON.stringify(question),
  };
  const local = createEvaluator(config);
  const clients = [undefined, onDecision].map((hook) =>
    createClient({ ...mock.connection, replica: local, onDecision: hook }),
  );
  await Promise.all(replicas.map((replica) => replica.ready()));
  const replicaTimes = await medians(
    replicas.map((replica) => () => replica.evaluate(question)),
    2_000,
  );
  const mockTimes = await medians(
    [mock, telling].map((one) => () => one.handle(asked)),
    500,
  );
  const clientTimes = await medians(
    clients.map((client) => () => client.authorization.evaluate(question)),
    1_000,
  );
  for (const replica of replicas) await replica.close();
  if (told === 0) throw new Error('the hook was told nothing');
  const added = ([without = 0, withHook = 0]: readonly number[]): number => withHook - without;
  return [
    ['a replica', added(replicaTimes)],
    ['a mock', added(mockTimes)],
    ['a client', added(clientTimes)],
  ];
}

export async function run(): Promise<void> {
  const us = await callersPath();
  console.log(`record, the caller's path: ${us.toFixed(2)} µs (goal: at most ${goalUs} µs)`);
  const tooSlow: string[] = [];
  for (const [name, added] of await deciders()) {
    if (added > goalUs) tooSlow.push(name);
    console.log(`onDecision of ${name} adds ${added.toFixed(2)} µs to a decision (goal: at most ${goalUs} µs)`);
  }
  const all = [whole('record and write', {}), whole('the same, users hashed', { hashUsers: { key: 'k'.repeat(32) } })];
  const measured: readonly Measured[] = await compare(all, { operations, rounds: 51 });
  report('recorded and written', measured);
  if (tooSlow.length > 0) throw new Error(`onDecision of ${tooSlow.join(', ')} adds more than ${goalUs} µs`);
  if (us > goalUs) throw new Error(`record takes ${us.toFixed(2)} µs, more than ${goalUs} µs`);
}
