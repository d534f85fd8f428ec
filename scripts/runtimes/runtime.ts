import type { Outcome } from '../../test/runtimes/run.ts';

/** The results of one runtime. */
export interface Found {
  readonly version: string;
  /** The smoke program against the mock in the same program. */
  readonly memory: Outcome;
  /** The smoke program against the mock on a port of another process. */
  readonly port: Outcome;
  /**
   * Every subpath, and the main job (test/runtimes/job.ts): a replica with TLS, `nodeTransport` with `caFile`,
   * `fromEnv`, a guard, streams up and down over a port. In runtimes that have Node's modules.
   */
  readonly job?: Outcome;
  /** The mock's own behaviour suite, with the mock in this runtime, by the way to it. */
  readonly hosted: Readonly<Record<string, Outcome>>;
  /**
   * Work that must outlive the request that began it (test/runtimes/requests.ts), if a runtime ends what a request left
   * behind.
   */
  readonly requests?: Outcome;
}

/** A runtime, or a browser, that the package is tried in. */
export interface Runtime {
  readonly name: string;
  /** Chooses it on the command line beside its name. */
  readonly version?: string;
  /** The reason that it cannot be tried on this machine: the packages to install. */
  missing?(): string | undefined;
  /** Tries it. `consumer` is a folder with the packed tarball installed. */
  run(consumer: string): Promise<Found>;
}
