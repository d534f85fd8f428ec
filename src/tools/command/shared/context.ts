import type { ExitCode } from './exit-codes.js';
import type { Flags } from './flags.js';
import type { Inputs } from './inputs.js';
import type { Surroundings } from './surroundings.js';

/** The arguments of a subcommand. */
export interface Context {
  readonly flags: Flags;
  /** The arguments that are not flags; as many as `operands` of the subcommand allows. */
  readonly operands: readonly string[];
  readonly inputs: Inputs;
  readonly surroundings: Surroundings;
}

/** Runs a subcommand. Errors that it throws are printed, and become the exit code. */
export type RunSubcommand = (context: Context) => Promise<ExitCode>;
