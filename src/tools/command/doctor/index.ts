import { readArguments } from '../shared/arguments.js';
import { connectClient } from '../shared/connect-client.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { formatSubcommandHelp } from '../shared/help.js';
import { Inputs } from '../shared/inputs.js';
import { print } from '../shared/output.js';
import { report } from '../shared/report-failure.js';
import type { Subcommand } from '../shared/subcommand.js';
import type { Surroundings } from '../shared/surroundings.js';
import { formatFindings } from './doctor-finding.js';
import { examineDeployment } from './examine-deployment.js';

/** The form of the command, as of a subcommand of `permissions`. */
export const form: Omit<Subcommand, 'load'> = {
  whole: 'arango-services doctor',
  summary: 'says what a deployment is, who you are there, and what to mend; it only reads',
  operands: [],
  flags: ['url', 'integration-url', 'token-file', 'jwt-secret-file', 'user', 'password-stdin', 'stream', 'json'],
  exits: 'Exit code: 0 if all is well, 2 with warnings or failures, 64 for wrong flags or files.',
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, 'doctor', form);
  if (flags.help) {
    print(surroundings, formatSubcommandHelp('doctor', form));
    return exitCodes.done;
  }
  const connected = await connectClient({ flags, operands, inputs: new Inputs(surroundings), surroundings });
  const { options, url } = connected;
  await using client = connected.client;
  const { signal } = surroundings;
  const main = client.with({ signal });
  const { integrationUrl } = options;
  const { createClient } = await import('../../../index.js');
  await using beside = createClient({ ...options, ...(integrationUrl && { url: integrationUrl }), signal });
  const integration = integrationUrl === undefined ? main : beside;
  const findings = await examineDeployment({ main, integration }, url, options.credentials !== undefined, flags.stream);
  signal.throwIfAborted();
  print(surroundings, flags.json ? JSON.stringify({ url, findings }, null, 2) : formatFindings(findings));
  return findings.every(({ level }) => level === 'ok') ? exitCodes.done : exitCodes.changes;
}

/**
 * Runs `arango-services doctor`.
 * @param args the arguments behind `doctor`.
 */
export const runDoctor = (args: readonly string[], surroundings: Surroundings): Promise<ExitCode> =>
  run(args, surroundings).catch((error: unknown) => report(error, surroundings, args.includes('--json')));
