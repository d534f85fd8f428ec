import { describe, InvalidArgumentError } from '../errors.js';
import type { ClockState } from './clock.js';
import type { Platform } from './platform.js';
import type { StoreState } from './store.js';
import type { Key } from './tokens/keys.js';

/** The state of a mock at a moment. It can only be given back to the mock that it came from. */
export interface MockSnapshot {
  readonly version: 1;
}

interface Saved {
  readonly store: StoreState;
  readonly keys: readonly Key[];
  readonly clock: ClockState;
}

/** Takes and restores snapshots. */
export interface Snapshots {
  snapshot(): MockSnapshot;
  restore(snapshot: MockSnapshot): void;
}

/** Makes the snapshots of a mock: users, policies, roles, bindings, counters, revoked tokens, keys and clock. */
export function createSnapshots(platform: Platform): Snapshots {
  const { store, tokens, clock } = platform;
  const taken = new WeakMap<MockSnapshot, Saved>();
  return {
    snapshot() {
      const snapshot: MockSnapshot = Object.freeze({ version: 1 });
      taken.set(snapshot, { store: store.save(), keys: tokens.keys.all(), clock: clock.save() });
      return snapshot;
    },
    restore(snapshot) {
      const saved = typeof snapshot === 'object' && snapshot !== null ? taken.get(snapshot) : undefined;
      if (saved === undefined) {
        throw new InvalidArgumentError(
          'snapshot',
          `expected what snapshot() of this mock gave, got ${describe(snapshot)}`,
        );
      }
      store.load(saved.store);
      tokens.keys.load(saved.keys);
      clock.load(saved.clock);
    },
  };
}
