import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { oldestNode } from '../../scripts/lib/scratch.ts';
import { startCluster, takeDownInTurn, type Writes } from '../support/cluster.ts';
import { endOf, startProgram } from './programs.ts';

/** Reads and writes from twelve loops until the end of its input. */
const callUnderLoad = `
import { createClient } from './src/index.ts';
import { failover } from './src/client/failover/index.ts';
import { nodeTransport } from './src/client/node/index.ts';

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

/** Posts to a server that executes the request over a kept connection, and is gone before it answers. */
const postToDying = `
import { createServer } from 'node:http';
import { createClient } from './src/index.ts';
import { failover } from './src/client/failover/index.ts';
import { nodeTransport } from './src/client/node/index.ts';

const { way } = JSON.parse(process.argv[2]);
const sockets = new Set();
let executed = 0;
const start = async (onRequest) => {
  const server = createServer(onRequest);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, url: 'http://127.0.0.1:' + server.address().port };
};
const dying = await start((request, response) => {
  if (request.method === 'GET') return response.end('{}');
  const die = () => {
    executed++;
    dying.server.close();
    for (const socket of sockets) socket.destroy();
  };
  if (request.url === '/half') request.once('data', die);
  else request.resume().on('end', die);
});
dying.server.on('connection', (socket) => sockets.add(socket));
const other = await start((request, response) => {
  if (request.method === 'POST') executed++;
  request.resume();
  response.end('{}');
});
const urls = [dying.url, other.url];
const own = way.transport === 'fetch' ? {} : { transport: nodeTransport() };
const client = createClient({ url: urls[0], retry: 0, transport: failover(urls, own) });
const route = client.absoluteRoute(way.body);
await route.get();
const error = await route.post('', 'x'.repeat(way.body === 'half' ? 3_000_000 : 10)).catch((thrown) => thrown);
const next = await route.post('', {});
console.log(JSON.stringify({ executed, code: error.code, isNamed: error.origin === dying.url, next: next.url.startsWith(other.url) }));
process.exit();
`;

const dyingWays = ways.flatMap(({ runtime, way }) => ['whole', 'half'].map((body) => ({ runtime, way, body })));

test.each(dyingWays)(
  'in $runtime a write over $way whose $body body arrived does not move when its server dies',
  async ({ runtime, way, body }) => {
    const child = await startProgram(runtime, postToDying, { way: { transport: way, body } });
    const { errors, output } = await endOf(child);
    expect(errors).toBe('');
    // Once at the server that died, and once by the next request.
    expect(JSON.parse(output)).toEqual({ executed: 2, code: 'NETWORK', isNamed: true, next: true });
  },
);
