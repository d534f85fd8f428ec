import type { ExitCode } from '../exit-codes.js';
import type { Surroundings } from '../surroundings.js';
import type { Flags } from './flags.js';

/** The arguments of a subcommand. */
export interface Context {
  readonly flags: Flags;
  /** The arguments that are not flags; as many as `operands` of the subcommand allows. */
  readonly operands: readonly string[];
  readonly surroundings: Surroundings;
}

/** Runs a subcommand. Errors that it throws are printed, and become the exit code. */
export type Run = (context: Context) => Promise<ExitCode>;
