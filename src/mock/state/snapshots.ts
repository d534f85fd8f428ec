import { InvalidArgumentError } from '../../base/errors.js';
import { describeValue } from '../../base/lib/values.js';

/** The state of a mock at one moment. Opaque, and only valid for the mock that it was taken from. */
export interface MockSnapshot {
  /** The version of its format. */
  readonly version: 1;
}

/** Takes and restores snapshots of one mock. */
export interface Snapshots {
  /** Saves all parts. */
  snapshot(): MockSnapshot;
  /** Restores all parts; throws InvalidArgumentError if it is not a snapshot of this mock. */
  restore(snapshot: MockSnapshot): void;
}

/** A part of the state that can be saved and restored. */
type StatePart<T> = { save(): T; load(saved: T): void };

const version = 1;

/**
 * Returns a function that saves a part of the state and returns a function that restores it. This hides the type of the
 * saved value, so that parts of all types fit in one list.
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
      ? 'expected a snapshot of this mock, got one of another mock'
      : `expected a snapshot of this mock, got ${describeValue(snapshot)}`,
  );
}

/** Creates the snapshots of a mock from the parts of its state. Parts are copied on write, so snapshots are cheap. */
export function createSnapshots(parts: readonly (() => () => void)[]): Snapshots {
  // Saved state is kept here and not in the snapshot, because it holds passwords and keys.
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
