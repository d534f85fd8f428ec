import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { listen, listenGrpc } from '../../src/console/mock/node.ts';
import { createMock, type Mock } from '../../src/mock/index.ts';
import { es256 } from '../support/calls.ts';
import { endOf, startProgram } from './programs.ts';
import { Billing } from './soak/billing.ts';
import type { Refusal, SoakPlace, SoakSample } from './soak/types.ts';

// A service under load for ten minutes, with SIGTERM every minute. SOAK_MINUTES=1 is one life of it.
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const lifeMs = 60_000;
/** A leak of 1 kB in each of the 10 000 and more requests between two samples shows as 10 MB. */
const mostGrowth = 4_000_000;
const password = 'canary-7b1e-password';

const program = readFileSync(`${root}test/deep/soak/service.ts`, 'utf8')
  .replaceAll('../../../src/', './src/')
  .replaceAll("'./types.ts'", "'./test/deep/soak/types.ts'");

/** The reasons that docs/guides/errors.md names: codes of errors, and of failed connections. */
const documented = readFileSync(`${root}docs/guides/errors.md`, 'utf8');
const isDocumented = ({ code, cause }: Refusal): boolean =>
  [code, ...(code === 'NETWORK' && cause !== undefined ? [cause] : [])].every((one) =>
    documented.includes(`\`${one}\``),
  );

/** What a caller meets. */
interface Load {
  /** The number of answers by status and reason: `200`, `502 NETWORK ECONNREFUSED`. */
  readonly answers: Map<string, number>;
  readonly undocumented: string[];
}

/** Calls the service until it is told to stop: with good tokens, tokens that expire, without a permission, uploads. */
async function callUntil(
  url: string,
  mock: Mock,
  stop: AbortSignal,
  load: Load,
  isEnding: () => boolean,
): Promise<void> {
  const good = (user: string) => mock.tokens.issue({ user, lifetime: '1h' });
  const token = await good('alice');
  const short = async () => mock.tokens.issue({ user: 'alice', lifetime: '2s' });
  let expiring = await short();
  const other = await good('mallory');
  for (let round = 0; !stop.aborted; round += 1) {
    if (round % 200 === 199) expiring = await short();
    const kind = round % 10;
    const bearer = kind === 7 ? expiring : kind === 8 ? other : token;
    const body = kind === 9 ? { method: 'POST', body: new Uint8Array(200_000) } : {};
    try {
      const answer = await fetch(`${url}/orders`, { ...body, headers: { authorization: `Bearer ${bearer}` } });
      const text = await answer.text();
      const reason: Refusal | undefined = answer.ok ? undefined : JSON.parse(text);
      const name = reason ? [answer.status, reason.code, reason.cause].filter(Boolean).join(' ') : `${answer.status}`;
      load.answers.set(name, (load.answers.get(name) ?? 0) + 1);
      if (reason && !reason.code.startsWith('guard ') && !isDocumented(reason)) load.undocumented.push(text);
    } catch (error) {
      // After SIGTERM the service takes no connections.
      if (isEnding()) return;
      load.undocumented.push(`${error} ${(error as Error).cause}`);
    }
  }
}

/** Breaks what the service depends on, until it is told to stop. */
async function disturb(billing: Billing, mock: Mock, stop: AbortSignal): Promise<void> {
  for (let tick = 1; !stop.aborted; tick += 1) {
    await sleep(100);
    billing.tell();
    if (tick % 30 === 0) billing.cut();
    if (tick % 70 === 0) {
      await billing.stop();
      await sleep(500);
      await billing.start();
    }
    if (tick % 90 === 0) mock.fail({ stream: 'PoolPolicyChanges', grpcCode: 14 });
  }
}

/** Asks for a sample once nothing is in flight, and connections that are idle were closed. */
async function sampleOf(url: string, failed: Promise<never>): Promise<SoakSample> {
  await Promise.race([sleep(4_000), failed]);
  const answer = await fetch(`${url}/sample`, { headers: { connection: 'close' } });
  return (await answer.json()) as SoakSample;
}

/** Puts load on the service for this long, with disturbances. */
async function loadFor(ms: number, url: string, mock: Mock, billing: Billing, load: Load): Promise<void> {
  const stop = new AbortController();
  const callers = Array.from({ length: 16 }, () => callUntil(url, mock, stop.signal, load, () => false));
  const disturbing = disturb(billing, mock, stop.signal);
  await sleep(ms);
  stop.abort();
  await Promise.all([...callers, disturbing]);
}

/** One life of the service: warm-up, load between two samples, SIGTERM under load. */
async function live(place: SoakPlace, mock: Mock, billing: Billing, load: Load) {
  const began = performance.now();
  const child: ChildProcess = await startProgram('Node', program, place);
  const ended = endOf(child, undefined, 2 * lifeMs);
  const failed = ended.then((end) => Promise.reject(new Error(JSON.stringify(end))));
  const [port] = await Promise.race([once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data'), failed]);
  failed.catch(() => undefined);
  const url = `http://127.0.0.1:${String(port).trim()}`;
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  await loadFor(10_000, url, mock, billing, load);
  const before = await sampleOf(url, failed);
  await loadFor(Math.max(5_000, lifeMs - (performance.now() - began) - 8_000), url, mock, billing, load);
  const after = await sampleOf(url, failed);
  // SIGTERM while calls are in flight.
  const stop = new AbortController();
  const callers = Array.from({ length: 16 }, () => callUntil(url, mock, stop.signal, load, () => stop.signal.aborted));
  await sleep(1_000);
  stop.abort();
  child.kill('SIGTERM');
  await Promise.all(callers);
  return { before, after, end: await ended };
}

const allow = (actions: readonly string[]) => ({
  statements: [{ effect: 'Allow' as const, actions: [...actions], resources: ['*'] }],
});

const sumOf = (handles: SoakSample['handles']): number => Object.values(handles).reduce((sum, count) => sum + count, 0);

test(`a service under load, for ${minutes} minutes, holds nothing more, and refuses for documented reasons`, async () => {
  const { privatePem } = await es256();
  await using mock = await createMock({
    users: [{ name: 'service', password }],
    authentication: { keys: { active: privatePem }, token: { ttl: { min: '1s', default: '5s' } } },
    policies: { reading: allow(['orders:read']), all: allow(['*']) },
    roles: { reader: { policies: ['reading'] }, operator: { policies: ['all'] } },
    bindings: [
      { user: 'alice', role: 'reader', scope: allow(['*']) },
      { user: 'service', role: 'operator', scope: allow(['*']) },
    ],
    limits: { log: 100 },
  });
  await using http = await listen(mock);
  await using grpc = await listenGrpc(mock);
  const billing = new Billing();
  await billing.start();
  onTestFinished(() => billing.stop());
  const load: Load = { answers: new Map(), undocumented: [] };
  const grown: number[] = [];
  for (let life = 0; life < minutes; life += 1) {
    const way = life % 2 === 0 ? 'nodeTransport' : 'fetch';
    const place: SoakPlace = { platform: http.url, address: grpc.address, billing: billing.url, password, way };
    const { before, after, end } = await live(place, mock, billing, load);
    console.log(`life ${life + 1}, ${way}:`, JSON.stringify({ before, after }), end.output.trim().split('\n').at(-1));
    expect(end).toMatchObject({ status: 0, errors: '' });
    expect(JSON.parse(end.output.trim().split('\n').at(-1) ?? '')).toMatchObject({ code: 'ABORTED' });
    expect(after.warnings).toEqual([]);
    expect(after.state).toBe('live');
    expect(after.events).toBeGreaterThan(before.events);
    expect(after.listeners).toBeLessThanOrEqual(before.listeners);
    // A connection that was just opened or closed is one more.
    expect(sumOf(after.handles)).toBeLessThanOrEqual(sumOf(before.handles) + 2);
    grown.push(after.heap - before.heap);
    expect(JSON.stringify([end, [...load.answers]])).not.toContain(password);
  }
  console.log('answers', Object.fromEntries(load.answers), 'growth of the heap', grown);
  expect(load.undocumented).toEqual([]);
  const names = [...load.answers.keys()];
  expect(names).toEqual(
    expect.arrayContaining(['200', 'guard 401', 'guard 403'].map((one) => expect.stringContaining(one))),
  );
  expect(names).toContainEqual(expect.stringContaining('NETWORK'));
  expect(Math.max(...grown)).toBeLessThan(mostGrowth);
});
