import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { oldestNode } from '../../scripts/lib/scratch.ts';
import { startCluster, takeDownInTurn, type Writes } from '../support/cluster.ts';
import { endOf, startProgram } from './programs.ts';

/** Reads and writes from twelve loops until the end of its input. */
const callUnderLoad = `
import { createClient } from './src/index.ts';
import { failover } from './src/failover/index.ts';
import { nodeTransport } from './src/node/index.ts';

const { urls, way } = JSON.parse(process.argv[2]);
const own = way === 'fetch' ? {} : { transport: nodeTransport() };
const client = createClient({ url: urls[0], transport: failover(urls, { returnAfterMs: 100, ...own }) });
const route = client.absoluteRoute('svc');
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
const outcome = { reads: 0, lostReads: [], writes: 0, failedWrites: 0, origins: [] };
const origins = new Set();
const loop = async (name) => {
  for (let i = 0; !isOver; i++) {
    outcome.reads++;
    await route.get().then(({ url }) => origins.add(new URL(url).origin), (error) => outcome.lostReads.push(error.message));
    outcome.writes++;
    await route.post(name + '-' + i, {}).catch((error) => {
      outcome.failedWrites++;
      if (!urls.includes(error.origin)) outcome.lostReads.push('names ' + error.origin);
    });
  }
};
console.log('begun');
await Promise.all(Array.from({ length: 12 }, (_, name) => loop(name)));
outcome.origins = [...origins].sort();
await client.close();
console.log(JSON.stringify(outcome));
`;

const ways = ['Node', `Node ${oldestNode}`, 'Bun', 'Deno'].flatMap((runtime) =>
  ['fetch', 'nodeTransport'].map((way) => ({ runtime, way })),
);

test.each(ways)(
  'in $runtime no read over $way is lost and no write doubled while servers are killed and started',
  async ({ runtime, way }) => {
    const writes: Writes = new Map();
    const servers = await startCluster(writes);
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
    const urls = servers.map(({ url }) => url);
    const child = await startProgram(runtime, callUnderLoad, { urls, way });
    let begin = (): void => undefined;
    const begun = new Promise<void>((done) => {
      begin = done;
    });
    const ended = endOf(child, begin);
    await begun;
    await takeDownInTurn(servers);
    child.stdin?.end();
    const { status, errors, output } = await ended;
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    // A message of a server may still be on its way.
    await sleep(100);
    const { reads, lostReads, failedWrites, origins } = JSON.parse(output.split('\n')[1] ?? '');
    console.log(`${runtime} over ${way}: ${reads} reads, ${failedWrites} writes with an unknown outcome`);
    expect(lostReads).toEqual([]);
    expect([...writes.values()].filter((count) => count > 1)).toEqual([]);
    expect(reads).toBeGreaterThan(100);
    expect(origins.length).toBeGreaterThan(1);
    expect(urls).toEqual(expect.arrayContaining(origins));
  },
);
