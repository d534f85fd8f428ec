import { InvalidArgumentError } from '../../errors.js';
import { describeValue } from '../../lib/values.js';

/**
 * The state of a mock at a moment. It can only be given back to the mock that it came from, and shows nothing of what
 * it holds.
 */
export interface MockSnapshot {
  /** Of its form. */
  readonly version: 1;
}

/** Takes and restores snapshots of one mock. */
export interface Snapshots {
  /** Keeps all parts as they are. */
  snapshot(): MockSnapshot;
  /**
   * Brings them back.
   * @throws InvalidArgumentError for what is no snapshot of this mock.
   */
  restore(snapshot: MockSnapshot): void;
}

/** A part of the state that can be kept and brought back. */
interface StatePart<T> {
  save(): T;
  load(saved: T): void;
}

const version = 1;

/**
 * Gives what keeps a part of the state, which gives what brings it back. Nobody else sees the type of what is kept, so
 * that parts of all types stand in one list.
 */
export function keep<T>(part: StatePart<T>): () => () => void {
  return () => {
    const saved = part.save();
    return () => part.load(saved);
  };
}

function refusal(snapshot: unknown): InvalidArgumentError {
  const other =
    typeof snapshot === 'object' && snapshot !== null && 'version' in snapshot ? snapshot.version : undefined;
  if (other !== undefined && other !== version) {
    return new InvalidArgumentError('snapshot', `expected version ${version}, got ${describeValue(other)}`);
  }
  return new InvalidArgumentError(
    'snapshot',
    other === version
      ? 'expected what snapshot() of this mock gave, got one of another mock'
      : `expected what snapshot() of this mock gave, got ${describeValue(snapshot)}`,
  );
}

/**
 * Makes the snapshots of a mock from the parts of its state. A snapshot shares them until they are written to: it costs
 * next to nothing.
 */
export function createSnapshots(parts: readonly (() => () => void)[]): Snapshots {
  // What is kept stands here and not in the snapshot: it holds passwords and keys.
  const taken = new WeakMap<object, readonly (() => void)[]>();
  return {
    snapshot() {
      const snapshot: MockSnapshot = Object.freeze({ version });
      const saved = parts.map((save) => save());
      taken.set(snapshot, saved);
      return snapshot;
    },
    restore(snapshot) {
      const saved = typeof snapshot === 'object' && snapshot !== null ? taken.get(snapshot) : undefined;
      if (saved === undefined) throw refusal(snapshot);
      for (const load of saved) load();
    },
  };
}
