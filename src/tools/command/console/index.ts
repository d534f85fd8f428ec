import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConsoleError } from '../../../console/console-error.js';
import type { LogAccess } from '../../../console/deployment-api.js';
import { mergeLogs } from '../../../policy/decisions/merge-logs.js';
import { checkLogs } from '../permissions/read-log.js';
import { connect } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { connecting } from '../shared/flags.js';
import type { Inputs } from '../shared/inputs.js';
import { print, warn } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { runnerOf } from '../shared/run-subcommand.js';
import { portProblem, untilAborted } from '../shared/serving.js';
import type { Subcommand } from '../shared/subcommand.js';
import { UsageError } from '../shared/usage-error.js';

/** The form of the command, as of a subcommand of `permissions`. */
export const form: Subcommand = {
  whole: 'arango-services console',
  summary: 'shows the permissions of a deployment on a page, for reading only',
  operands: [],
  load: async () => show,
  flags: [...connecting, 'file', 'log', 'port', 'fidelity'],
  helps: {
    file: 'a file of permissions to compare the deployment with',
    fidelity: 'the rules of access (default: those of the deployment)',
    log: 'a log of decisions to show, of the platform or of this package, also gzip',
  },
  exits: 'Exit code: 0 when stopped, 1 if it failed, 64 for wrong flags or a file that cannot be read.',
};

/** The file to compare with, refused if it cannot be read. */
async function findFile(name: string, inputs: Inputs) {
  const { file, ...access } = inputs.permissions('--file', name);
  try {
    await access.read(file);
  } catch (error) {
    throw fileProblem('--file', error);
  }
  return { name: file, access };
}

/** The logs to show, in the order of their times, refused if one cannot be read, or only once. */
async function findLogs(names: readonly string[], inputs: Inputs): Promise<LogAccess> {
  for (const name of names) {
    if (!(await inputs.isPassing(name))) continue;
    throw new UsageError({ where: '--log', message: 'must be a file, which each page reads again' });
  }
  await checkLogs(names, inputs);
  async function* readOne(name: string) {
    // A page would wait for the writer of a pipe that took the place of the file.
    if (await inputs.isPassing(name)) throw new ConsoleError('failed', '--log: is not a file anymore');
    yield* inputs.stream('--log', name);
  }
  const read = () => (names.length === 1 ? readOne(names[0] ?? '') : mergeLogs(names.map(readOne)));
  try {
    for await (const _ of read()) break;
    const sizes = await Promise.all(names.map(async (name) => (await stat(name)).size));
    return { name: names.map((name) => basename(name)).join(', '), size: sizes.reduce((a, b) => a + b, 0), read };
  } catch (error) {
    throw fileProblem('--log', error);
  }
}

async function show(context: Context): Promise<ExitCode> {
  const { flags, inputs, surroundings } = context;
  const { file: name, log: logs, port = 8530, grpc } = flags;
  if (grpc === undefined) {
    throw new UsageError({ where: '--grpc', message: 'is missing: expected the gRPC services, like "db.test:9201"' });
  }
  const file = name === undefined ? undefined : await findFile(name, inputs);
  const log = logs && (await findLogs(logs, inputs));
  await using deployment = await connect(context);
  const { url, client, replica } = deployment;
  if (replica === undefined) throw new Error('failed: there is no replica');
  const { openDeploymentConsole } = await import('../../../console/deployment-console.js');
  const served = await openDeploymentConsole({ url, client, replica, file, log }, port).catch((error) => {
    throw portProblem(error);
  });
  warn(surroundings, 'this address with its key shows the permissions of the deployment: keep it to yourself');
  print(surroundings, `arango-services console: ${served.url}#key=${served.key}`);
  await untilAborted(surroundings.signal);
  await served.close();
  return exitCodes.done;
}

/** Runs `arango-services console` until it is stopped. */
export const runConsole = runnerOf('console', form);
