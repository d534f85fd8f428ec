// The cost that a guard adds: over the mock's port against the bare evaluate call (goal: at most 1.1 times), and a check that
// stays in the process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { decisionLog } from '../dist/decisions/index.js';
import { createGuard, createVerifier, type Guard, verifyToken } from '../dist/guard/index.js';
import { createClient, type Decider } from '../dist/index.js';
import { createEvaluator } from '../dist/policy/index.js';
import type { Place } from './guard/server.ts';
import { question, secret, state } from './guard/state.ts';
import { compare, type Measured, repeat, report } from './harness.ts';

/** Fails for a guard that denies, which would be fast for the wrong reason. */
async function assertAllows(check: () => Promise<{ readonly allowed: boolean }>): Promise<void> {
  if (!(await check()).allowed) throw new Error('a contestant does not allow');
}

/** Over a port: the call that the guard makes, then the guard. */
async function overPort({ url, token }: Place): Promise<void> {
  const client = createClient({ url });
  const { authorization } = client;
  const guard = createGuard(client);
  let asked = 0;
  // Concurrent equal questions would be one request of the guard.
  const next = () => ({ ...question, resource: `order:open:${asked++}` });
  const contestants = [
    { name: 'authorization.evaluate', check: () => authorization.evaluate({ token, ...next() }) },
    { name: 'guard.check', check: () => guard.check(requestWith(token), next()) },
  ];
  for (const { check } of contestants) await assertAllows(check);
  for (const [atOnce, operations] of [
    [1, 25],
    [16, 160],
  ] as const) {
    const all = contestants.map(({ name, check }) => ({ name, run: (n: number) => repeat(n, atOnce, check) }));
    report(`over a port, ${atOnce} at once`, await compare(all, { operations, rounds: 101 }));
  }
}

/** A request in Node's form. */
const requestWith = (token: string) => ({
  method: 'GET',
  url: '/orders/7',
  headers: { host: 'localhost:3000', accept: '*/*', authorization: `Bearer ${token}` },
});

/** In process: verification of a token and evaluation of a policy. */
async function inProcess({ token }: Place): Promise<void> {
  const evaluator = createEvaluator(state);
  const authenticate = createVerifier({ secret });
  const owner = { valid: true, user: 'alice', groups: [] } as const;
  const guards: readonly (readonly [string, Guard])[] = [
    ['evaluator, the owner given', createGuard(evaluator, { authenticate: async () => owner })],
    ['evaluator, verifyToken', createGuard(evaluator, { authenticate: (given) => verifyToken(given, { secret }) })],
    ['evaluator, createVerifier', createGuard(evaluator, { authenticate })],
    ['evaluator, createVerifier, cache', createGuard(evaluator, { authenticate, cache: { ttl: '1h' } })],
  ];
  const contestants = guards.map(([name, guard]) => ({ name, check: () => guard.check(requestWith(token), question) }));
  for (const { check } of contestants) await assertAllows(check);
  const all = contestants.map(({ name, check }) => ({ name, run: (n: number) => repeat(n, 1, check) }));
  const measured = await compare(all, { operations: 200, rounds: 61 });
  report('in the process, one at a time', measured);
  for (const { name, rate } of measured) console.log(`  ${name}: ${microseconds(rate)} µs a check`);
}

/** Waits for work, and returns the milliseconds in which this thread had nothing to do. */
async function idleDuring(work: () => Promise<unknown>): Promise<number> {
  const before = performance.eventLoopUtilization();
  await work();
  return performance.eventLoopUtilization(before).idle;
}

/**
 * What a decision log and a shadow add to a check with `createVerifier` (goal: at most 5%). All of it counts: the lines
 * are formatted and written, and the shadow has answered, before a turn ends. Only the timers that gather lines and
 * questions are left out of the time: a service answers other requests meanwhile.
 */
async function withLogAndShadow({ token }: Place): Promise<void> {
  const evaluator = createEvaluator(state);
  const authenticate = createVerifier({ secret });
  const contestant = (name: string, isLogged: boolean, shadow?: Decider) => {
    let bytes = 0;
    const write = (lines: string) => {
      bytes += lines.length;
    };
    const log = decisionLog({ write, buffer: 100_000 });
    const onDecision = isLogged ? log.record : undefined;
    const guard = createGuard(evaluator, { authenticate, onDecision, shadow, shadowLimit: 10_000 });
    const run = async (count: number): Promise<number> => {
      await repeat(count, 1, () => guard.check(requestWith(token), question));
      const idle = await idleDuring(async () => {
        await guard.flush();
        await log.flush();
      });
      if (log.dropped > 0 || (isLogged && bytes === 0)) throw new Error('the log is not written');
      const { same = 0, different = 0, failed, dropped } = guard.shadow ?? {};
      if (failed || dropped || (shadow !== undefined && same + different === 0))
        throw new Error('the shadow is not asked');
      return idle;
    };
    return { name, run };
  };
  const other = createEvaluator();
  const measured = await compare(
    [
      contestant('createVerifier', false),
      contestant('createVerifier, log', true),
      contestant('createVerifier, shadow', false, createEvaluator(state)),
      contestant('createVerifier, log and shadow', true, createEvaluator(state)),
      contestant('createVerifier, log and shadow that always differs', true, other),
    ],
    { operations: 250, rounds: 501 },
  );
  report('in the process, with a decision log and a shadow (goal: at most 1.05)', measured);
}

const microseconds = ({ median }: Measured['rate']) => (1e6 / median).toFixed(1);

export async function run(): Promise<void> {
  const server = fork(new URL('./guard/server.ts', import.meta.url));
  try {
    // The cast: bench/guard/server.ts sends this as its first message.
    const [place] = (await once(server, 'message')) as [Place];
    await overPort(place);
    await inProcess(place);
    await withLogAndShadow(place);
  } finally {
    server.disconnect();
  }
}
