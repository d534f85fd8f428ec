import type { Faults } from '../../mock/kit/faults.js';
import type { ScriptedFault } from '../../mock/kit/scripted-fault.js';
import type { Mock } from '../../mock/mock.js';
import type { MockFault } from '../../mock/options/fault.js';
import type { SavedClock } from '../../mock/state/mock-clock.js';
import type { MockSnapshot } from '../../mock/state/snapshots.js';
import type { ClockChange, ClockState, FaultOrder, FaultRow, SnapshotRow } from '../api.js';
import { ConsoleError } from '../console-error.js';

export function clockState(clock: SavedClock): ClockState {
  const now = clock.now();
  const { stoppedAt } = clock.save();
  return { now: new Date(now).toISOString(), running: stoppedAt === undefined, aheadMs: Math.round(now - Date.now()) };
}

export function changeClock(clock: SavedClock, change: ClockChange): void {
  if ('advance' in change) clock.advance(change.advance);
  else if ('set' in change) clock.set(change.set);
  else {
    // First moved as by a test, so that delays that wait for the clock go on.
    if ('real' in change) clock.set(Date.now());
    clock.load({ aheadMs: Math.round(clock.now() - Date.now()) });
  }
}

const shownTimes = (left: number): number | 'always' => (left === Number.POSITIVE_INFINITY ? 'always' : left);

/** The faults of a mock, with ids. */
export class FaultList {
  readonly #faults: Faults;
  readonly #ids = new WeakMap<ScriptedFault, number>();
  readonly #added = new WeakSet<ScriptedFault>();
  #newest = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  #idOf(fault: ScriptedFault): number {
    const id = this.#ids.get(fault);
    if (id !== undefined) return id;
    this.#newest += 1;
    this.#ids.set(fault, this.#newest);
    return this.#newest;
  }

  /** The faults that still apply, and those that were used up. */
  rows(): readonly FaultRow[] {
    return this.#faults.save().map(([fault, left, used]) => ({
      id: this.#idOf(fault),
      name: fault.name,
      left: shownTimes(left),
      used,
      console: this.#added.has(fault),
    }));
  }

  add({ times, ...order }: FaultOrder): FaultRow {
    // The cast: the mock checks every field itself.
    const fault = { ...order, times: times === 'always' ? Number.POSITIVE_INFINITY : times } as MockFault;
    this.#faults.add(fault);
    const [added] = this.#faults.save().at(-1) ?? [];
    if (added !== undefined) this.#added.add(added);
    // The cast: the fault that was just added is the last row.
    return this.rows().at(-1) as FaultRow;
  }

  remove(id: number): void {
    const all = this.#faults.save();
    const others = all.filter(([fault]) => this.#idOf(fault) !== id);
    if (others.length === all.length) throw new ConsoleError('not-found', 'there is no such fault any more', 'id');
    this.#faults.load(others);
  }

  /**
   * Sends a request of the console, which uses up no fault. Faults of requests are removed only while `send` runs,
   * because a request takes its fault at once; faults of evaluations until the answer, unless the epoch ends before.
   */
  async without<T>(send: () => T | Promise<T>, epoch: AbortSignal): Promise<T> {
    const saved = this.#faults.save();
    const ofEvaluations = saved.filter(([{ evaluation }]) => evaluation);
    this.#faults.load([]);
    let answer: T | Promise<T>;
    try {
      answer = send();
    } finally {
      this.#faults.load(saved.filter(([{ evaluation }]) => !evaluation));
    }
    try {
      return await answer;
    } finally {
      if (ofEvaluations.length > 0 && !epoch.aborted) {
        // Restores the faults at their former positions among the remaining ones.
        const positions = new Map(saved.map(([fault], position) => [fault, position]));
        const position = ([fault]: (typeof saved)[number]): number => positions.get(fault) ?? saved.length;
        this.#faults.load([...ofEvaluations, ...this.#faults.save()].sort((a, b) => position(a) - position(b)));
      }
    }
  }
}

const mostSnapshots = 20;

/** The snapshots that the console holds: the first one, and the last ones that it took. */
export class SnapshotList {
  readonly #mock: Mock;
  readonly #rows: (SnapshotRow & { readonly snapshot: MockSnapshot })[] = [];
  #newest = 0;

  constructor(mock: Mock) {
    this.#mock = mock;
    this.take('Start');
  }

  take(name: string | undefined): SnapshotRow {
    this.#newest += 1;
    const id = this.#newest;
    const row = {
      id,
      name: name?.trim() || `Snapshot ${id - 1}`,
      time: new Date(this.#mock.clock.now()).toISOString(),
      snapshot: this.#mock.snapshot(),
    };
    if (this.#rows.length >= mostSnapshots) this.#rows.splice(1, 1);
    this.#rows.push(row);
    return toRow(row);
  }

  list(): readonly SnapshotRow[] {
    return this.#rows.map(toRow);
  }

  restore(id: number): void {
    const row = this.#rows.find((row) => row.id === id);
    if (row === undefined) throw new ConsoleError('not-found', 'there is no such snapshot any more', 'id');
    this.#mock.restore(row.snapshot);
  }
}

const toRow = ({ id, name, time }: SnapshotRow): SnapshotRow => ({ id, name, time });
