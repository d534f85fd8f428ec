import { waitOnce } from '../../base/lib/wait.js';
import type { Settings } from '../config/mock-config.js';
import type { MockFault } from '../options/fault.js';
import type { EvaluationFaults } from '../platform.js';
import type { RequestFaults } from '../server/handle.js';
import type { StreamFaults } from '../server/stream-source.js';
import type { SavedClock } from '../state/mock-clock.js';
import type { NeutralResponse } from '../wire/http.js';
import { untilAborted } from '../wire/until-aborted.js';
import { readFault, type ScriptedFault } from './scripted-fault.js';

/** The faults as a snapshot keeps them. */
type SavedFaults = readonly (readonly [fault: ScriptedFault, left: number, used: boolean])[];

/** The faults of one mock, in the order of scripting. */
export interface Faults extends RequestFaults, EvaluationFaults, StreamFaults {
  add(fault: MockFault): () => void;
  assertUsed(): void;
  save(): SavedFaults;
  load(saved: SavedFaults): void;
  /** Ends all delays. */
  dispose(): void;
}

/** The gateway's answer if a service has not answered in time. */
const overdue: NeutralResponse = {
  status: 504,
  headers: [['content-type', 'text/plain']],
  body: 'upstream request timeout',
};

/** Creates an empty list of faults. */
export function createFaults(settings: Settings, clock: SavedClock): Faults {
  let entries: readonly ScriptedFault[] = [];
  /** For each open stream, the call that tells it of a new fault. */
  const open = new Set<() => void>();
  /** Ends each delay that is under way. */
  const waits = new Set<AbortController>();
  /** Uses the first fault that is left for this purpose. */
  const next = (wanted: (entry: ScriptedFault) => boolean): ScriptedFault | undefined => {
    const entry = entries.find((entry) => entry.left > 0 && wanted(entry));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    entry.used = true;
    return entry;
  };
  async function wait(ms: number, signals: readonly AbortSignal[]): Promise<void> {
    // A signal for each wait, because Node warns of many listeners on one signal.
    const stop = new AbortController();
    waits.add(stop);
    await waitOnce(ms, [stop.signal, ...signals]);
    waits.delete(stop);
  }
  return {
    add(fault) {
      const entry = readFault(fault, settings);
      entries = [...entries, entry];
      if (entry.stream !== undefined) for (const scripted of open) scripted();
      return () => {
        entries = entries.filter((other) => other !== entry);
      };
    },
    active: () => entries.length > 0 && entries.some((entry) => entry.left > 0),
    take: (request) => next((entry) => !entry.evaluation && entry.stream === undefined && entry.matches(request)),
    takeEvaluation: () => entries.length > 0 && next((entry) => entry.evaluation) !== undefined,
    breaks(method, scripted) {
      // The messages sent for each fault: since the stream was opened or, if later, since the fault was scripted.
      const counts = new WeakMap<ScriptedFault, number>();
      const counted = (entry: ScriptedFault): number => counts.get(entry) ?? 0;
      open.add(scripted);
      return {
        take: () =>
          next((fault) => fault.stream?.method === method && counted(fault) >= fault.stream.after)?.stream?.code,
        sent() {
          for (const entry of entries) counts.set(entry, counted(entry) + 1);
        },
        end: () => void open.delete(scripted),
      };
    },
    wait,
    // Counts real time and, by the watch, the time that a test skips. A body that has begun is cut off at the end.
    async limit(ms, pending, signal) {
      const cut = new AbortController();
      let left = ms;
      const unwatch = clock.watch((moved) => {
        left -= moved;
        if (left <= 0) cut.abort();
      });
      const over = wait(ms, [cut.signal, signal]).then(() => {
        unwatch();
        cut.abort();
        return overdue;
      });
      const response = await Promise.race([pending, over]);
      if (response.body instanceof ReadableStream)
        return { ...response, body: untilAborted(response.body, cut.signal) };
      cut.abort();
      return response;
    },
    assertUsed() {
      const idle = entries.filter((entry) => !entry.used);
      if (idle.length > 0) throw new Error(`These faults never happened: ${idle.map(({ name }) => name).join(', ')}`);
    },
    save: () => entries.map((entry) => [entry, entry.left, entry.used]),
    load(saved) {
      entries = saved.map(([entry, left, used]) => Object.assign(entry, { left, used }));
    },
    dispose() {
      for (const stop of waits) stop.abort();
    },
  };
}
