import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from 'arangojs';
import { expect, test } from 'vitest';
import { failover } from '../../src/failover/index.ts';
import { createClient } from '../../src/index.ts';
import { nodeTransport } from '../../src/node/index.ts';

const program = new URL('server.mjs', import.meta.url).pathname;
/** The ids of the writes that arrived, with how often. */
type Writes = Map<string, number>;

/** A server of the cluster, which can be killed and started again on its port. */
class Server {
  url = '';
  #port = 0;
  #process: ChildProcess | undefined;
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  start(): Promise<void> {
    const child = fork(program, [String(this.#port)]);
    this.#process = child;
    return new Promise((done) => {
      child.on('message', ({ port, write }: { port?: number; write?: string }) => {
        if (write !== undefined) this.#writes.set(write, (this.#writes.get(write) ?? 0) + 1);
        if (port === undefined) return;
        this.#port = port;
        this.url = `http://127.0.0.1:${port}`;
        done();
      });
    });
  }

  kill(): Promise<unknown> {
    const gone = new Promise((done) => this.#process?.once('exit', done));
    this.#process?.kill('SIGKILL');
    return gone;
  }
}

/** The outcome of calls while servers were killed and started. */
interface Outcome {
  reads: number;
  lostReads: number;
  writes: number;
  failedWrites: number;
  doubledWrites: number;
}

/** A way to call the cluster. */
interface Caller {
  get(): Promise<unknown>;
  post(id: string): Promise<unknown>;
  close(): unknown;
}

/** Calls from twelve loops while one of three servers is down at any time. */
async function underLoad(servers: readonly Server[], writes: Writes, caller: Caller): Promise<Outcome> {
  const outcome: Outcome = { reads: 0, lostReads: 0, writes: 0, failedWrites: 0, doubledWrites: 0 };
  writes.clear();
  let isOver = false;
  const loop = async (name: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      outcome.reads++;
      await caller.get().catch(() => outcome.lostReads++);
      outcome.writes++;
      await caller.post(`${name}-${i}`).catch(() => outcome.failedWrites++);
    }
  };
  const loops = Array.from({ length: 12 }, (_, name) => loop(name));
  for (let round = 0; round < 6; round++) {
    const server = servers[round % servers.length];
    await server?.kill();
    await sleep(150);
    await server?.start();
    await sleep(50);
  }
  isOver = true;
  await Promise.all(loops);
  // A message of a server may still be on its way.
  await sleep(100);
  outcome.doubledWrites = [...writes.values()].filter((count) => count > 1).length;
  await caller.close();
  return outcome;
}

test('no read is lost and no write doubled while servers are killed and started', async () => {
  const writes: Writes = new Map();
  const servers = [new Server(writes), new Server(writes), new Server(writes)];
  await Promise.all(servers.map((server) => server.start()));
  const urls = servers.map(({ url }) => url);

  const callerOver = (transport: ReturnType<typeof failover>): Caller => {
    const client = createClient({ url: urls[0] ?? '', transport });
    const route = client.absoluteRoute('svc');
    return {
      get: () => route.get(),
      post: (id) => route.post(id, { id }),
      close: () => client.close(),
    };
  };
  const arangojs = new Database({ url: urls, loadBalancingStrategy: 'ROUND_ROBIN' });
  const route = arangojs.route('svc');
  const outcomes = {
    fetch: await underLoad(servers, writes, callerOver(failover(urls, { returnAfterMs: 100 }))),
    nodeTransport: await underLoad(
      servers,
      writes,
      callerOver(failover(urls, { returnAfterMs: 100, transport: nodeTransport() })),
    ),
    arangojs: await underLoad(servers, writes, {
      get: () => route.get(),
      post: (id) => route.post(id, { id }),
      close: () => arangojs.close(),
    }),
  };
  await Promise.all(servers.map((server) => server.kill()));
  console.table(outcomes);
  for (const { reads, lostReads, doubledWrites } of [outcomes.fetch, outcomes.nodeTransport]) {
    expect(reads).toBeGreaterThan(100);
    expect([lostReads, doubledWrites]).toEqual([0, 0]);
  }
}, 60_000);
