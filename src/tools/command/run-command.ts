import { nearest } from '../../base/lib/nearest.js';
import { type ExitCode, exitCodes } from './shared/exit-codes.js';
import type { Surroundings } from './shared/surroundings.js';

type RunCommand = (args: readonly string[], surroundings: Surroundings) => Promise<ExitCode>;

/** The commands that `surroundings.signal` stops. */
const stopped: ReadonlyMap<string, () => Promise<RunCommand>> = new Map([
  ['permissions', async () => (await import('./permissions/index.js')).runPermissions],
  ['console', async () => (await import('./console/index.js')).runConsole],
  ['record', async () => (await import('./record/index.js')).runRecord],
  ['conformance', async () => (await import('./conformance/index.js')).runConformance],
  ['doctor', async () => (await import('./doctor/index.js')).runDoctor],
  ['parameters', async () => (await import('./parameters/index.js')).runParameters],
]);
const commands = ['mock', ...stopped.keys()];

const help = `arango-services: a mock of the platform, and permissions as code

Usage: arango-services <command> [flags]

  mock         serves the platform's services on a port, for tests and local use
  permissions  plans, applies and checks policies, roles and bindings in files
  console      shows the permissions of a deployment on a page, for reading only
  record       keeps the exchanges with a service of yours as files, which tests play back
  conformance  asks a deployment and a mock the same questions, and shows the differences
  doctor       says what a deployment is, who you are there, and what to mend
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
  const load = stopped.get(name);
  if (load !== undefined) {
    const runNamed = await load();
    watchSignals();
    return runNamed(rest, surroundings);
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
