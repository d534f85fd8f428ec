// The cost that this package itself adds to a call: nothing is sent, `fetch` or the transport answers from memory.
import ky from 'ky';
import { createClient, type Transport, type TransportResponse } from '../dist/index.js';
import { repeat } from './harness.ts';
import { payload } from './http/payload.ts';

const text = JSON.stringify(payload);
const headers = new Map([['content-type', 'application/json']]);
const url = 'http://localhost:8529';
const answer: TransportResponse = {
  status: 200,
  statusText: 'OK',
  headers,
  url,
  redirected: false,
  type: 'basic',
  body: null,
  text: async () => text,
  bytes: async () => new TextEncoder().encode(text),
  blob: async () => new Blob([text]),
};
const transport: Transport = { send: async () => answer };
const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });

const overTransport = createClient({ url, transport }).route('orders');
const timed = overTransport.with({ timeout: 30_000 });
const overKy = createClient({ url, fetch }).route('orders');
const plainKy = ky.create({ fetch });

const calls: readonly (readonly [name: string, call: () => Promise<unknown>])[] = [
  ['fetch, answered in memory', async () => (await fetch()).json()],
  ['ky, GET', () => plainKy.get(`${url}/x`).json()],
  ['ky, POST', () => plainKy.post(`${url}/x`, { json: payload }).json()],
  ['Route over ky, GET', () => overKy.get('open')],
  ['Route over ky, POST', () => overKy.post('open', payload)],
  ['a transport, answered in memory', async () => JSON.parse(await (await transport.send(url, {} as never)).text())],
  ['Route over a transport, GET', () => overTransport.get('open')],
  ['Route over a transport, GET, timeout', () => timed.get('open')],
  ['Route over a transport, POST', () => overTransport.post('open', payload)],
];

export async function run(): Promise<void> {
  console.log('\nCPU µs a call, median of 31 rounds');
  const rounds = calls.map((): number[] => []);
  for (let round = -5; round < 31; round++) {
    for (const [index, [, call]] of calls.entries()) {
      const before = process.cpuUsage();
      await repeat(1_000, 1, call);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) rounds[index]?.push((user + system) / 1_000);
    }
  }
  for (const [index, [name]] of calls.entries()) {
    const sorted = (rounds[index] ?? []).sort((a, b) => a - b);
    console.log(`  ${name.padEnd(38)} ${(sorted[15] ?? Number.NaN).toFixed(1).padStart(6)}`);
  }
}
