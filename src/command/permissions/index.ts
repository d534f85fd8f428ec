import { InvalidArgumentError, isHttpError } from '../../errors.js';
import { nearest } from '../../lib/nearest.js';
import { ApplyError, PermissionsError } from '../../permissions/index.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Surroundings } from '../surroundings.js';
import { UsageError } from '../usage-error.js';
import { readArguments } from './arguments.js';
import { formatHelp, formatSubcommandHelp } from './help.js';
import { print, warn } from './output.js';
import { subcommands } from './subcommands.js';

/** Prints an error, and chooses the exit code. */
export function report(error: unknown, surroundings: Surroundings): ExitCode {
  const { signal } = surroundings;
  if (signal.aborted && !(error instanceof ApplyError)) {
    // Only apply writes, and its errors say what it wrote.
    const name = signal.reason instanceof Error ? signal.reason.message : 'a signal';
    warn(surroundings, `stopped by ${name}; nothing was written to the deployment`);
    return exitCodes.failed;
  }
  if (error instanceof UsageError) {
    for (const { where, message } of error.problems) warn(surroundings, `${where}: ${message}`);
    return exitCodes.usage;
  }
  if (error instanceof PermissionsError && error.issues.length > 0) {
    for (const { file, line, column, message } of error.issues) {
      warn(surroundings, `${file}:${line}:${column}: ${message}`);
    }
    return exitCodes.usage;
  }
  if (error instanceof InvalidArgumentError) {
    warn(surroundings, `${error.field}: ${error.problem}`);
    return exitCodes.usage;
  }
  const accepted = isHttpError(error) && error.status === 401 ? '; see --token-file and --user' : '';
  warn(surroundings, `${error instanceof Error ? error.message : 'failed'}${accepted}`);
  return exitCodes.failed;
}

function unknownSubcommand(name: string): UsageError {
  const near = nearest(name, subcommands.keys(), 2);
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
  const message = `expected one of the subcommands ${[...subcommands.keys()].join(', ')}${meant}; see --help`;
  return new UsageError({ where: 'permissions', message });
}

/**
 * Runs `arango-services permissions <subcommand>`.
 * @param args the arguments behind `permissions`.
 */
export async function runPermissions(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const [name = '', ...rest] = args;
  if (name === '--help' || name === '-h') {
    print(surroundings, formatHelp());
    return exitCodes.done;
  }
  try {
    const subcommand = subcommands.get(name);
    if (subcommand === undefined) throw unknownSubcommand(name);
    const { flags, operands } = readArguments(rest, name, subcommand);
    if (flags.help) {
      print(surroundings, formatSubcommandHelp(name, subcommand));
      return exitCodes.done;
    }
    const run = await subcommand.load();
    return await run({ flags, operands, surroundings });
  } catch (error) {
    return report(error, surroundings);
  }
}
