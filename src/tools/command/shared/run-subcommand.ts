import { readArguments } from './arguments.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { formatSubcommandHelp } from './help.js';
import { Inputs } from './inputs.js';
import { print } from './output.js';
import { report } from './report-failure.js';
import type { Subcommand } from './subcommand.js';
import type { Surroundings } from './surroundings.js';

/** Returns the function that prints the help of a subcommand or runs it, and prints failures. */
export const runnerOf =
  (name: string, subcommand: Subcommand) =>
  async (args: readonly string[], surroundings: Surroundings): Promise<ExitCode> => {
    try {
      const { flags, operands } = readArguments(args, name, subcommand);
      if (!flags.help) {
        const run = await subcommand.load();
        return await run({ flags, operands, inputs: new Inputs(surroundings), surroundings });
      }
      print(surroundings, formatSubcommandHelp(name, subcommand));
      return exitCodes.done;
    } catch (error) {
      return report(error, surroundings, subcommand.flags.includes('json') && args.includes('--json'));
    }
  };
