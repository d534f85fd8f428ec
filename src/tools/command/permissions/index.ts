import { nearest } from '../../../base/lib/nearest.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { report } from '../shared/report-failure.js';
import { runnerOf } from '../shared/run-subcommand.js';
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
  if (subcommand === undefined) return report(unknownSubcommand(name), surroundings);
  return runnerOf(name, subcommand)(rest, surroundings);
}
