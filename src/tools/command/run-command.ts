import { nearest } from '../../base/lib/nearest.js';
import { type ExitCode, exitCodes } from './shared/exit-codes.js';
import type { Surroundings } from './shared/surroundings.js';

const commands = ['mock', 'permissions', 'console', 'record', 'conformance', 'parameters'] as const;

const help = `arango-services: a mock of the platform, and permissions as code

Usage: arango-services <command> [flags]

  mock         serves the platform's services on a port, for tests and local use
  permissions  plans, applies and checks policies, roles and bindings in files
  console      shows the permissions of a deployment on a page, for reading only
  record       keeps the exchanges with a service of yours as files, which tests play back
  conformance  asks a deployment and a mock the same questions, and shows the differences
  parameters   prints the table of parameter styles of an OpenAPI document, for typed clients

arango-services <command> --help lists the flags of a command, and arango-services --version prints the version.
In every command, exit code 64 is wrong use: a flag, a variable, or a file that cannot be read.`;

/**
 * Runs one of the commands. Each is loaded when it is called, so that none waits for the modules of another.
 * @param watchSignals called by commands that are stopped by `surroundings.signal`.
 * @returns the exit code; undefined if the command sets its own.
 */
export async function run(
  args: readonly string[],
  surroundings: Surroundings,
  watchSignals: () => void = () => {},
): Promise<ExitCode | undefined> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    surroundings.stdout.write(`${help}\n`);
    return exitCodes.done;
  }
  if (name === '--version') {
    const { readVersion } = await import('./shared/version.js');
    surroundings.stdout.write(`${readVersion()}\n`);
    return exitCodes.done;
  }
  if (name === 'permissions') {
    const { runPermissions } = await import('./permissions/index.js');
    watchSignals();
    return runPermissions(rest, surroundings);
  }
  if (name === 'console') {
    const { runConsole } = await import('./console/index.js');
    watchSignals();
    return runConsole(rest, surroundings);
  }
  if (name === 'record') {
    const { runRecord } = await import('./record/index.js');
    watchSignals();
    return runRecord(rest, surroundings);
  }
  if (name === 'conformance') {
    const { runConformance } = await import('./conformance/index.js');
    watchSignals();
    return runConformance(rest, surroundings);
  }
  if (name === 'parameters') {
    const { runParameters } = await import('./parameters/index.js');
    watchSignals();
    return runParameters(rest, surroundings);
  }
  // Flags of the mock may stand before its name.
  if (name === 'mock' || (name.startsWith('-') && args.includes('mock'))) {
    const { main } = await import('./mock/serve-mock.js');
    await main(args);
    return undefined;
  }
  const near = nearest(name, commands);
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
  surroundings.stderr.write(
    `arango-services: expected one of the commands ${commands.join(', ')}${meant}; see --help\n`,
  );
  return exitCodes.usage;
}
