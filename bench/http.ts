// What a call costs against raw fetch, over a real port: CPU time of this process, in alternating pairs (bench/http/pairs.ts).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { repeat } from './harness.ts';
import { type Client, createContenders, rawFetch } from './http/clients.ts';
import { type Comparison, comparePairs, type Estimate } from './http/pairs.ts';
import { payload } from './http/payload.ts';

/** A client that gives anything but the server's answer would be fast for the wrong reason. */
async function assertAnswers(all: readonly Client[]): Promise<void> {
  const expected = JSON.stringify(payload);
  for (const { name, get, post } of all) {
    for (const call of [get, post]) {
      if (JSON.stringify(await call()) !== expected) throw new Error(`${name} does not give the server's answer`);
    }
  }
}

const format = ({ median, low, high }: Estimate) => `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

function print(title: string, rows: readonly (readonly [name: string, Comparison])[]): void {
  console.log(`\n${title}, raw fetch is 1`);
  console.log(`  ${'client'.padEnd(22)} ${'CPU time'.padEnd(22)} ${'wall time'.padEnd(22)} CPU µs a call, pairs`);
  for (const [name, { cpu, wall, cpuMicros, pairs, settled }] of rows) {
    const note = settled ? '' : ', too noisy: the interval is wider than ±5%';
    const columns = [name.padEnd(22), format(cpu).padEnd(22), format(wall).padEnd(22)].join(' ');
    console.log(`  ${columns} ${cpuMicros.toFixed(0)}, ${pairs}${note}`);
  }
}

export async function run(): Promise<void> {
  const server = fork(new URL('./http/server.ts', import.meta.url));
  try {
    // The cast: bench/http/server.ts sends its address as its first message.
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const origin = `http://127.0.0.1:${port}`;
    const baseline = rawFetch(origin);
    const { clients, close } = createContenders(origin);
    await assertAnswers([baseline, ...clients]);
    for (const method of ['get', 'post'] as const) {
      for (const [atOnce, operations] of [
        [1, 100],
        [16, 192],
      ] as const) {
        const rows: [string, Comparison][] = [];
        for (const client of clients) {
          const work = (call: () => Promise<unknown>) => (count: number) => repeat(count, atOnce, call);
          rows.push([client.name, await comparePairs(work(client[method]), work(baseline[method]), operations)]);
        }
        print(`${method.toUpperCase()} of 1 kB JSON, ${atOnce} at once`, rows);
      }
    }
    await close();
  } finally {
    server.disconnect();
  }
}
