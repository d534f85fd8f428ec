// A replica in a process of its own, so that its memory is its own. Prints one line of JSON: how long it took until it was ready, what it holds,
// and what a change costs. Arguments: address, token, bindings, changes.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as later } from 'node:timers/promises';
import { credentials } from '../../dist/index.js';
import { createReplica } from '../../dist/replica/index.js';

/** What one run found. */
export interface Found {
  readonly readyMs: number;
  /** CPU time of this process until then. */
  readonly cpuMs: number;
  readonly bytesPerBinding: number;
  /** The longest time in which nothing else could run, in milliseconds. */
  readonly longestMs: number;
  /** CPU time of this process for a change, in microseconds. */
  readonly changeUs: number;
}

const [address = '', token = '', bindings = '0', changes = '0'] = process.argv.slice(2);
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const before = memory();
const delay = monitorEventLoopDelay({ resolution: 1 });
const started = performance.now();
const replica = createReplica({ address, credentials: credentials.bearer(token) });
// What is loaded once is not the state's.
await later(0);
delay.enable();
const loading = process.cpuUsage();
await replica.ready();
const loaded = process.cpuUsage(loading);
const readyMs = performance.now() - started;
delay.disable();
const bytesPerBinding = (memory() - before) / Number(bindings);
await later(200);

const target = replica.status.indexes.bindings + replica.status.indexes.policies + Number(changes);
const cpu = process.cpuUsage();
process.send?.('ready');
for (;;) {
  const { policies, bindings: known } = replica.status.indexes;
  if (policies + known >= target) break;
  await later(5);
}
const { user, system } = process.cpuUsage(cpu);
process.send?.({
  readyMs,
  cpuMs: (loaded.user + loaded.system) / 1_000,
  bytesPerBinding,
  longestMs: delay.max / 1e6,
  changeUs: (user + system) / Number(changes),
} satisfies Found);
await replica.close();
process.disconnect?.();
