import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { listenGrpc } from '../../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../../src/index.ts';
import { createMock, type Mock } from '../../../../src/mock/index.ts';
import type { Policy } from '../../../../src/policy/index.ts';
import { startSlowProxy } from './slow-proxy.ts';

// Writes in this process, then checks in another one that follows over gRPC: what it answers must reflect the write.

/** The number of runs, and how often something happens in between: about once in this many runs. */
export interface Course {
  readonly runs: number;
  readonly seed: number;
  /** True for the clock of the system; otherwise the mock's stands still, and advances as the test says. */
  readonly inRealTime?: boolean;
  /** The longest delay of what the service sends, in milliseconds. */
  readonly delayMs: number;
  readonly cutEvery: number;
  readonly takeoverEvery: number;
  readonly restoreEvery: number;
}

/** The outcomes of a course. */
export interface Outcomes {
  allowed: number;
  denied: number;
  /** Answers that do not reflect the write, with what happened before. */
  readonly stale: string[];
  /** Failures by their code. */
  readonly failures: Record<string, number>;
  /** Failures of checks of a write that is in the history. */
  readonly unexpected: string[];
  /** Checks of a write that a restore removed. */
  lost: number;
  cuts: number;
  takeovers: number;
  restores: number;
}

type Answer = { readonly allowed: boolean } | { readonly failure: string };

/** A generator of numbers from 0 to 1, by mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const allow = (resource: string): Policy => ({
  statements: [{ effect: 'Allow', actions: ['orders:read'], resources: [resource] }],
});
const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** Writes with a different content each time, so that every run has another answer than those before. */
function writerOf(authorization: Awaited<ReturnType<typeof adminOf>>, random: () => number) {
  const { policies, roles, bindings } = authorization;
  return async (run: number): Promise<string> => {
    const which = random();
    const resource = `order:${run}`;
    if (which < 0.6) return (await policies.upsert('p', allow(resource))).revision;
    if (which < 0.8) {
      const description = `run ${run}`;
      return (await roles.upsert('r', { policies: random() < 0.8 ? ['p'] : [], description })).revision;
    }
    const scope = { ...(random() < 0.8 ? everywhere : allow('order:none')), description: `run ${run}` };
    const { revision } = await bindings.upsert({ user: 'alice', role: 'r', scope });
    if (revision === undefined) throw new Error('the binding was not written');
    return revision;
  };
}

async function adminOf(mock: Mock) {
  const token = await mock.tokens.issue({ user: null, lifetime: '10000h' });
  return createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization;
}

/** Starts the other process; resolves when its replica is ready. */
async function startProcess(address: string, token: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('checking-process.mjs', import.meta.url)), [address, token], {
    execArgv: [],
  });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'ready') throw new Error(`the other process ended with ${message}`);
  return child;
}

/** Asks the other process; fails if it does not answer within a minute. */
async function ask(child: ChildProcess, question: object): Promise<Answer> {
  const signal = AbortSignal.timeout(60_000);
  child.send(question);
  const [answer] = await once(child, 'message', { signal });
  // The cast: checking-process.mjs sends it.
  return answer as Answer;
}

/** Writes, and checks in another process, again and again. */
export async function writeThenCheck(course: Course): Promise<Outcomes> {
  const random = randomFrom(course.seed);
  await using mock = await createMock({
    ...(course.inRealTime ? {} : { now: '2026-11-20T12:00:00Z' }),
    policies: { p: allow('order:0') },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'alice', role: 'r', scope: everywhere }],
    limits: { log: 0 },
  });
  const ports = [(await listenGrpc(mock)).port, (await listenGrpc(mock)).port] as const;
  await using proxy = await startSlowProxy(ports[0]);
  const child = await startProcess(proxy.address, await mock.tokens.issue({ user: null, lifetime: '10000h' }));
  // The empty messages of a clock that stands still are sent when it advances.
  const ticks = course.inRealTime ? undefined : setInterval(() => mock.clock.advance('2s'), 50);
  const outcomes: Outcomes = {
    allowed: 0,
    denied: 0,
    stale: [],
    failures: {},
    unexpected: [],
    lost: 0,
    cuts: 0,
    takeovers: 0,
    restores: 0,
  };
  try {
    // Numbers of its own: how many messages come depends on the time, and what happens in a run must not.
    const delays = randomFrom(course.seed + 1);
    proxy.delay = () => (delays() < 0.5 ? 0 : delays() * course.delayMs);
    await run({ course, random, mock, ports, proxy, child, outcomes });
  } finally {
    clearInterval(ticks);
    child.kill();
  }
  return outcomes;
}

interface Running {
  readonly course: Course;
  readonly random: () => number;
  readonly mock: Mock;
  readonly ports: readonly [number, number];
  readonly proxy: Awaited<ReturnType<typeof startSlowProxy>>;
  readonly child: ChildProcess;
  readonly outcomes: Outcomes;
}

async function run({ course, random, mock, ports, proxy, child, outcomes }: Running): Promise<void> {
  const write = writerOf(await adminOf(mock), random);
  const happens = (every: number): boolean => random() * every < 1;
  let saved = mock.snapshot();
  for (let n = 1; n <= course.runs; n++) {
    const told: string[] = [];
    const disturb = (): void => {
      if (happens(course.cutEvery)) {
        outcomes.cuts++;
        told.push('cut');
        proxy.cut();
      }
      if (happens(course.takeoverEvery)) {
        outcomes.takeovers++;
        told.push('takeover');
        proxy.upstream = proxy.upstream === ports[0] ? ports[1] : ports[0];
        proxy.cut();
      }
    };
    if (happens(course.restoreEvery)) {
      // Back to an earlier state: the indexes that were used since are given again.
      outcomes.restores++;
      told.push('restore');
      mock.restore(saved);
    }
    if (n % 50 === 0) saved = mock.snapshot();
    if (random() < 0.5) disturb();
    const revision = await write(n);
    disturb();
    const isLost = happens(course.restoreEvery * 2);
    if (isLost) {
      outcomes.lost++;
      mock.restore(saved);
    }
    const way = ['reached', 'atLeast', 'header'][Math.floor(random() * 3)];
    const item = { action: 'orders:read', resource: `order:${random() < 0.9 ? n : n - 1}` };
    const where = `run ${n} of seed ${course.seed}, ${way} ${revision} after ${told.join(', ') || 'nothing'}`;
    // A write that is lost fails at the timeout only, unless its index was given again.
    const timeout = isLost ? 1_000 : 30_000;
    const answer = await ask(child, { way, user: 'alice', item, revision, timeout });
    if ('failure' in answer) {
      outcomes.failures[answer.failure] = (outcomes.failures[answer.failure] ?? 0) + 1;
      if (!isLost) outcomes.unexpected.push(`${where}: ${answer.failure}`);
      continue;
    }
    outcomes[answer.allowed ? 'allowed' : 'denied']++;
    const expected = mock.explain({ user: 'alice', ...item }).decision.allowed;
    // The copy may hold a write that a restore removes at this moment: its answer is that of the write.
    if (!isLost && answer.allowed !== expected) outcomes.stale.push(`${where}: ${answer.allowed}`);
  }
}
