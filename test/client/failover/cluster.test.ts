import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { createClient } from '../../../src/index.ts';
import { type ClusterServer, startCluster, takeDownInTurn, type Writes } from '../../support/cluster.ts';

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
async function underLoad(servers: readonly ClusterServer[], writes: Writes, caller: Caller): Promise<Outcome> {
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
  await takeDownInTurn(servers);
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
  const servers = await startCluster(writes);
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
  const outcomes = {
    fetch: await underLoad(servers, writes, callerOver(failover(urls, { returnAfterMs: 100 }))),
    nodeTransport: await underLoad(
      servers,
      writes,
      callerOver(failover(urls, { returnAfterMs: 100, transport: nodeTransport() })),
    ),
  };
  await Promise.all(servers.map((server) => server.kill()));
  console.table(outcomes);
  for (const { reads, lostReads, doubledWrites } of Object.values(outcomes)) {
    expect(reads).toBeGreaterThan(100);
    expect([lostReads, doubledWrites]).toEqual([0, 0]);
  }
}, 60_000);
