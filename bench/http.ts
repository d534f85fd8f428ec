// The cost of a call relative to raw fetch, over a real port: CPU time of this process, in alternating pairs
// (bench/http/pairs.ts).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { repeat } from './harness.ts';
import { type Client, createContenders, rawFetch } from './http/clients.ts';
import { type Comparison, comparePairs, type Estimate } from './http/pairs.ts';
import { payload } from './http/payload.ts';

const methods = ['get', 'post'] as const;
/** The number of concurrent calls, and of calls in a slot. */
const cells = [
  [1, 100],
  [16, 192],
] as const;
/** The maximum distance of an interval's ends from its median; smaller for contenders of nearly equal cost. */
const tolerance = { toFetch: 0.05, near: 0.02 };
/** Raw fetch runs in every pair: a client that the engine has not optimized yet would be compared with a hot one. */
const warmupCalls = 6_000;

/** Fails for a client that returns anything but the server's response, which would be fast for the wrong reason. */
async function prepare({ name, get, post }: Client): Promise<void> {
  const expected = JSON.stringify(payload);
  for (const call of [get, post]) {
    if (JSON.stringify(await call()) !== expected) throw new Error(`${name} does not give the server's answer`);
    for (const [atOnce] of cells) await repeat(warmupCalls / cells.length, atOnce, call);
  }
}

const format = ({ median, low, high }: Estimate) => `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

function print(name: string, { cpu, wall, cpuMicros, pairs, settled }: Comparison, within: number): void {
  const note = settled ? '' : `, too noisy: the interval is wider than ±${within * 100}%`;
  const columns = [name.padEnd(39), format(cpu).padEnd(22), format(wall).padEnd(22)].join(' ');
  console.log(`  ${columns} ${cpuMicros.toFixed(0)}, ${pairs}${note}`);
}

export async function run(): Promise<void> {
  const server = fork(new URL('./http/server.ts', import.meta.url));
  try {
    // The cast: bench/http/server.ts sends its address as its first message.
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const origin = `http://127.0.0.1:${port}`;
    const baseline = rawFetch(origin);
    const { clients, close } = createContenders(origin);
    const { ky, arangojs, emptyKy, route, routeWithoutKy, routeTimed, undici, node, nodeTimed } = clients;
    for (const client of [baseline, ...Object.values(clients)]) await prepare(client);
    for (const method of methods) {
      for (const [atOnce, operations] of cells) {
        const work = (client: Client) => (count: number) => repeat(count, atOnce, client[method]);
        const compare = async (name: string, one: Client, other: Client, within = tolerance.toFetch) => {
          const compared = await comparePairs(work(one), work(other), operations, within);
          print(name, compared, within);
          return compared;
        };
        console.log(`\n${method.toUpperCase()} of 1 kB JSON, ${atOnce} at once`);
        console.log(`  ${''.padEnd(39)} ${'CPU time'.padEnd(22)} ${'wall time'.padEnd(22)} CPU µs a call, pairs`);
        const ratios = new Map<Client, number>();
        for (const client of [ky, arangojs, emptyKy, route, routeWithoutKy, undici, node]) {
          const { cpu } = await compare(`${client.name} / raw fetch`, client, baseline);
          ratios.set(client, cpu.median);
        }
        for (const peer of [ky, arangojs]) await compare(`Route / ${peer.name}`, route, peer, tolerance.near);
        await compare('Route, nodeTransport / undici.request', node, undici);
        for (const [timed, plain] of [
          [routeTimed, route],
          [nodeTimed, node],
        ] as const) {
          // The ratio that it is a part of counts as its median.
          const { cpu } = await compare(`${timed.name} / without`, timed, plain, tolerance.near);
          const [added, least, most] = [cpu.median, cpu.low, cpu.high].map((ratio) =>
            ((ratios.get(plain) ?? Number.NaN) * (ratio - 1)).toFixed(2),
          );
          console.log(`    it adds ${added} (${least} to ${most}) of raw fetch`);
        }
      }
    }
    await close();
  } finally {
    server.disconnect();
  }
}
