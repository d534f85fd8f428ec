// A replica in a separate process, to measure its memory. Sends its time until ready, its memory and the cost of a
// change. Arguments: address, token, bindings, changes.
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as later } from 'node:timers/promises';
import { credentials } from '../../dist/index.js';
import { createReplica } from '../../dist/replica/index.js';

/** The result of one run. */
export interface Found {
  readonly readyMs: number;
  /** CPU time of this process until then. */
  readonly cpuMs: number;
  readonly bytesPerBinding: number;
  /**
   * The longest time in which nothing else of this process could run, in milliseconds, from the first message on: CPU
   * time of the thread.
   */
  readonly longestMs: number;
  /** The same by the clock, which counts what other processes took meanwhile, too. */
  readonly longestWallMs: number;
  /** The longest of them in CPU time, without garbage collection: the replica's own work in one go. */
  readonly longestWorkMs: number;
  /** The longest before the first message, where modules are loaded and the connection is opened: CPU time, too. */
  readonly startMs: number;
  /** CPU time of this process for a change, in microseconds. */
  readonly changeUs: number;
}

const [address = '', token = '', bindings = '0', changes = '0'] = process.argv.slice(2);
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
// Node compiles modules lazily, in one go: that block is the modules' and not the state's.
await Promise.all([import('@connectrpc/connect-node'), import('node:http2'), later(50)]);
const before = memory();
/** CPU time of this thread. */
const cpuTime = (): number => {
  // Linux brings the time of a running thread up to date every 4 ms; asked for the process's, it does so at once.
  process.cpuUsage();
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

interface Turn extends Span {
  readonly busyMs: number;
  /** True if the first message had come by its end. */
  readonly loading: boolean;
}

/** The times between two turns of a timer, those that are not short. The function that it returns ends it. */
function watchTurns(isLoading: () => boolean): () => readonly Turn[] {
  const turns: Turn[] = [];
  let [last, start] = [cpuTime(), performance.now()];
  const turn = (): void => {
    const [now, end] = [cpuTime(), performance.now()];
    if (end - start > 2) turns.push({ start, end, busyMs: now - last, loading: isLoading() });
    [last, start] = [now, end];
  };
  const timer = setInterval(turn, 1);
  return () => {
    clearInterval(timer);
    turn();
    return turns;
  };
}
const started = performance.now();
const loading = process.cpuUsage();
const endTurns = watchTurns(() => replica.status.lastMessageAt !== undefined);
const replica = createReplica({ address, credentials: credentials.bearer(token) });
await replica.ready();
const loaded = process.cpuUsage(loading);
const readyMs = performance.now() - started;
// The streams of changes are opened in the same turn.
await later(0);
const turns = endTurns();
const bytesPerBinding = (memory() - before) / Number(bindings);
await later(200);
observer.disconnect();
const longest = (list: readonly Turn[], of: (turn: Turn) => number) => Math.max(0, ...list.map(of));
const lengthOf = ({ start, end }: Span): number => end - start;
const [starting, state] = [turns.filter((turn) => !turn.loading), turns.filter((turn) => turn.loading)];

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
  longestMs: longest(state, ({ busyMs }) => busyMs),
  longestWallMs: longest(state, lengthOf),
  longestWorkMs: longest(state, (turn) => turn.busyMs - collectedIn(turn)),
  startMs: longest(starting, ({ busyMs }) => busyMs),
  changeUs: (user + system) / Number(changes),
} satisfies Found);
await replica.close();
process.disconnect?.();
