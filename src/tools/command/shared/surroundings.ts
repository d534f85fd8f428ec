import type { Readable } from 'node:stream';

/** A stream for output, which may be a terminal. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The parts of the process that the command uses. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  /** For results. */
  readonly stdout: Output;
  /** For questions, progress and errors. */
  readonly stderr: Output;
  /** Aborted by SIGINT and SIGTERM; its reason names the signal. */
  readonly signal: AbortSignal;
}
