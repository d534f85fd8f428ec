import type { MockFault } from '../../mock/options/fault.js';

export interface ClockState {
  /** ISO 8601. */
  readonly now: string;
  /** False if the clock stands at `now`. */
  readonly running: boolean;
  /** Milliseconds ahead of real time; negative behind. */
  readonly aheadMs: number;
}

/** A change of the clock. With `run` a stopped clock continues; with `real` it follows real time again. */
export type ClockChange =
  | { readonly advance: string }
  | { readonly set: string }
  | { readonly run: true }
  | { readonly real: true };

/** A fault to script, as JSON. The fields are those of `mock.fail`. */
export interface FaultOrder extends Omit<MockFault, 'path' | 'stream' | 'times'> {
  /** The end of a path, or `/pattern/*`. */
  readonly path?: string | undefined;
  readonly stream?: string | undefined;
  /** A whole number, or `always`. Default 1. */
  readonly times?: number | 'always' | undefined;
}

export interface FaultRow {
  readonly id: number;
  /** The fault in words: `POST /evaluate (status 503)`. */
  readonly name: string;
  /** The number of times for which the fault still applies. */
  readonly left: number | 'always';
  readonly used: boolean;
  /** True if the console added the fault; false for a fault of a test. */
  readonly console: boolean;
}

/** A snapshot that the console holds. */
export interface SnapshotRow {
  readonly id: number;
  /** A name by the user, or one like `Snapshot 3`. The first snapshot, `Start`, was taken when the console opened. */
  readonly name: string;
  /** The time of the snapshot by the mock's clock, in ISO 8601. */
  readonly time: string;
}

export type ExportKind = 'seed' | 'createMock' | 'permissions';

/** An export. */
export interface Exported {
  /** `seed.json`, `mock.ts`, `permissions.yaml`. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly text: string;
  /** Sentences about items that were left out or that this form cannot express. */
  readonly notes: readonly string[];
}
