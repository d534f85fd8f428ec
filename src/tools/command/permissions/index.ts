import { nearest } from '../../../base/lib/nearest.js';
import { readArguments } from '../shared/arguments.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { formatSubcommandHelp } from '../shared/help.js';
import { Inputs } from '../shared/inputs.js';
import { print } from '../shared/output.js';
import { report } from '../shared/report-failure.js';
import type { Surroundings } from '../shared/surroundings.js';
import { UsageError } from '../shared/usage-error.js';
import { formatHelp } from './permissions-help.js';
import { subcommands } from './subcommands.js';

function unknownSubcommand(name: string): UsageError {
  const near = nearest(name, subcommands.keys());
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
  const message = `expected one of the subcommands ${[...subcommands.keys()].join(', ')}${meant}; see --help`;
  return new UsageError({ where: 'permissions', message });
}

/**
 * Runs `arango-services permissions <subcommand>`.
 * @param args the arguments behind `permissions`.
 */
export async function runPermissions(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    print(surroundings, formatHelp());
    return exitCodes.done;
  }
  const subcommand = subcommands.get(name);
  try {
    if (subcommand === undefined) throw unknownSubcommand(name);
    const { flags, operands } = readArguments(rest, name, subcommand);
    if (flags.help) {
      print(surroundings, formatSubcommandHelp(name, subcommand));
      return exitCodes.done;
    }
    const run = await subcommand.load();
    return await run({ flags, operands, inputs: new Inputs(surroundings), surroundings });
  } catch (error) {
    const isJson = subcommand?.flags.includes('json') === true && rest.includes('--json');
    return report(error, surroundings, isJson);
  }
}
