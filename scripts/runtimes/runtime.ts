import type { Outcome } from '../../test/runtimes/run.ts';

/** What was found in one runtime. */
export interface Found {
  readonly version: string;
  /** The smoke program against the mock in the same program. */
  readonly memory: Outcome;
  /** The smoke program against the mock on a port of another process. */
  readonly port: Outcome;
  /** The mock's own behaviour suite, with the mock in this runtime, by the way to it. */
  readonly hosted: Readonly<Record<string, Outcome>>;
  /**
   * What must outlive the request that began it (test/runtimes/requests.ts), where a runtime ends what a request left
   * behind.
   */
  readonly requests?: Outcome;
}

/** A runtime, or a browser, that the package is tried in. */
export interface Runtime {
  readonly name: string;
  /** Why it cannot be tried on this machine: what has to be installed. */
  missing?(): string | undefined;
  /** Tries it. `consumer` is a folder with the packed tarball installed. */
  run(consumer: string): Promise<Found>;
}
