// The cost of a client for one caller (`client.with`), which a server makes for each request: CPU time and
// memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Client, createClient, credentials } from '../dist/index.js';
import { spread } from './harness.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const client = createClient({ url: 'http://localhost:8529', headers: { 'x-service': 'shop' }, timeout: 5_000 });
const bearer = credentials.bearer('a.token.of-somebody');
const { signal } = new AbortController();

const kinds: readonly (readonly [name: string, make: (id: number) => Client])[] = [
  ['with({ credentials })', () => client.with({ credentials: bearer })],
  ['with({ credentials: bearer(token) })', (id) => client.with({ credentials: credentials.bearer(`token-${id}`) })],
  [
    'with({ credentials, headers })',
    (id) => client.with({ credentials: bearer, headers: { 'x-request-id': `${id}` } }),
  ],
  ['with({ credentials, signal, timeout })', () => client.with({ credentials: bearer, signal, timeout: 100 })],
  ['with({ database })', () => client.with({ database: 'archive' })],
];

const many = 20_000;
const rounds = 15;

/** CPU time of making one that is dropped at once, in µs. */
function timeOf(make: (id: number) => Client): number {
  const before = process.cpuUsage();
  for (let id = 0; id < many; id++) make(id);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / many;
}

/** Bytes that one takes in memory, measured over many that are kept at once. */
function sizeOf(make: (id: number) => Client): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const held = Array.from({ length: many }, (_, id) => make(id));
  collect();
  return (process.memoryUsage().heapUsed - before) / held.length;
}

export async function run(): Promise<void> {
  console.log(`\nCPU µs and bytes of one, median of ${rounds} rounds of ${many}`);
  for (const [name, make] of kinds) {
    timeOf(make);
    const medianOf = (measure: typeof timeOf) => spread(Array.from({ length: rounds }, () => measure(make))).median;
    const [us, bytes] = [medianOf(timeOf), medianOf(sizeOf)];
    console.log(`  ${name.padEnd(40)} ${us.toFixed(2).padStart(6)} µs ${bytes.toFixed(0).padStart(6)} bytes`);
  }
}
