import type { RunSubcommand } from './context.js';
import type { FlagName } from './flags.js';

/** A row of the table of subcommands. */
export interface Subcommand {
  /** The whole command, if it is not one of `arango-services permissions`. */
  readonly whole?: string;
  readonly summary: string;
  /** The arguments, as `--help` shows them: those in brackets may be missing, and `…` repeats the last one. */
  readonly operands: readonly string[];
  /** True if the operands are files to read, of which `-` is stdin. */
  readonly readsOperands?: true;
  readonly flags: readonly FlagName[];
  /** The help of flags whose default differs from that in other subcommands. */
  readonly helps?: Readonly<Partial<Record<FlagName, string>>>;
  /** Loads the module of the subcommand. */
  readonly load: () => Promise<RunSubcommand>;
  /** The exit codes that differ from those of other subcommands. */
  readonly exits?: string;
}
