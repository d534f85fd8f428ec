// A replica in a process of its own, so that its memory is its own. Sends how long it took until it was ready, what it
// holds, and what a change costs. Arguments: address, token, bindings, changes.
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as later } from 'node:timers/promises';
import { credentials } from '../../dist/index.js';
import { createReplica } from '../../dist/replica/index.js';

/** What one run found. */
export interface Found {
  readonly readyMs: number;
  /** CPU time of this process until then. */
  readonly cpuMs: number;
  readonly bytesPerBinding: number;
  /** The longest time in which nothing else of this process could run, in milliseconds: CPU time of the thread. */
  readonly longestMs: number;
  /** The same by the clock, which counts what other processes took meanwhile, too. */
  readonly longestWallMs: number;
  /** The longest of them by the clock without what was collected in it: the work that the replica did in one go. */
  readonly longestWorkMs: number;
  /** CPU time of this process for a change, in microseconds. */
  readonly changeUs: number;
}

const [address = '', token = '', bindings = '0', changes = '0'] = process.argv.slice(2);
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
// Node compiles what it reads when it is first needed, in one go: that is the modules' block and not the state's.
await Promise.all([import('@connectrpc/connect-node'), import('node:http2'), later(50)]);
const before = memory();
const delay = monitorEventLoopDelay({ resolution: 1 });
const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
interface Span {
  readonly start: number;
  readonly end: number;
}
const collections: Span[] = [];
const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ start: startTime, end: startTime + duration });
  }
});
observer.observe({ entryTypes: ['gc'] });
const collectedIn = ({ start, end }: Span): number =>
  collections.reduce((sum, one) => sum + Math.max(0, Math.min(end, one.end) - Math.max(start, one.start)), 0);

/** The times between two turns of a timer: the longest in CPU time, and each by the clock. */
function watchTurns(): () => { readonly longestMs: number; readonly turns: readonly Span[] } {
  let longestMs = 0;
  let last = cpuTime();
  const turns: Span[] = [];
  let start = performance.now();
  const timer = setInterval(() => {
    const [now, end] = [cpuTime(), performance.now()];
    longestMs = Math.max(longestMs, now - last);
    if (end - start > 5) turns.push({ start, end });
    [last, start] = [now, end];
  }, 1);
  return () => {
    clearInterval(timer);
    return { longestMs, turns };
  };
}
const started = performance.now();
const loading = process.cpuUsage();
const replica = createReplica({ address, credentials: credentials.bearer(token) });
await later(20);
delay.enable();
const longestTurn = watchTurns();
await replica.ready();
const { longestMs, turns } = longestTurn();
const loaded = process.cpuUsage(loading);
const readyMs = performance.now() - started;
delay.disable();
const bytesPerBinding = (memory() - before) / Number(bindings);
await later(200);
observer.disconnect();
const longestWorkMs = Math.max(0, ...turns.map((turn) => turn.end - turn.start - collectedIn(turn)));

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
  longestMs,
  longestWallMs: delay.max / 1e6,
  longestWorkMs,
  changeUs: (user + system) / Number(changes),
} satisfies Found);
await replica.close();
process.disconnect?.();
