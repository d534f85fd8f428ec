import { mkdir } from 'node:fs/promises';
import { InvalidArgumentError } from '../../../base/errors.js';
import { writeFault } from '../../../base/lib/system-errors.js';
import { readFolder } from '../../../mock/adapters/node/playback/read-folder.js';
import { targetFault } from '../../../mock/forward/target.js';
import type { Recording } from '../../../mock/recordings/recording-format.js';
import { watchNpx } from '../mock/npx.js';
import type { Context } from '../shared/context.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import type { Flags } from '../shared/flags.js';
import { print, warn } from '../shared/output.js';
import { runnerOf } from '../shared/run-subcommand.js';
import { portProblem, untilAborted } from '../shared/serving.js';
import type { Subcommand } from '../shared/subcommand.js';
import { UsageError } from '../shared/usage-error.js';
import { readDocument } from './document.js';
import { startProxy } from './recording-proxy.js';
import { RecordingRun } from './recording-run.js';

/** The form of the command, as of a subcommand of `permissions`. */
export const form: Subcommand = {
  whole: 'arango-services record',
  summary: 'passes requests on to a service of yours, and keeps the exchanges as files that tests play back',
  operands: [],
  load: async () => record,
  flags: [
    ...(['url', 'out', 'update', 'prune', 'port', 'document', 'strict', 'redact', 'volatile'] as const),
    ...(['max-body', 'keep-header', 'keep-bytes', 'allow-remote'] as const),
  ],
  helps: {
    url: 'the service, like http://127.0.0.1:3000',
    out: 'the folder of the recordings',
    prune: 'with --update, removes recordings that were not seen',
    port: 'the port on 127.0.0.1 (default 8531); 0 is any free one',
  },
  exits: `The recordings are written when a signal (Ctrl-C) stops the command.
Exit code: 0 when stopped, 1 if it failed, 2 if --strict left exchanges out, 64 for wrong flags.`,
};

const defaultMostBytes = 1_048_576;

const refuse = (where: string, message: string): never => {
  throw new UsageError({ where, message });
};

function readOrigin({ url, 'allow-remote': allowRemote = false }: Flags): string {
  if (url === undefined) return refuse('--url', 'is missing: expected the service, like "http://127.0.0.1:3000"');
  const fault = targetFault(url, allowRemote);
  if (fault !== undefined) return refuse('--url', fault.replace('{ allowRemote: true }', '--allow-remote'));
  return new URL(url).origin;
}

/** Makes the folder, and reads the recordings that it has. */
async function openFolder({ out, update = false, prune = false }: Flags) {
  if (out === undefined) return refuse('--out', 'is missing: expected the folder of the recordings');
  if (prune && !update) return refuse('--prune', 'needs --update');
  try {
    await mkdir(out, { recursive: true });
  } catch (error) {
    return refuse('--out', writeFault(error));
  }
  let recordings: readonly Recording[];
  try {
    recordings = await readFolder(out);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return refuse('--out', `${error.field}: ${error.problem}`);
    throw error;
  }
  if (recordings.length > 0 && !update) return refuse('--out', 'has recordings already; --update renews them');
  return { folder: out, recordings };
}

async function record({ flags, surroundings }: Context): Promise<ExitCode> {
  const origin = readOrigin(flags);
  const { folder, recordings } = await openFolder(flags);
  const check = await readDocument(flags.document);
  const { port = 8531, 'max-body': mostBytes = defaultMostBytes, strict = false, prune = false } = flags;
  const run = new RecordingRun({
    ...{ folder, recordings, check, strict, prune, mostBytes },
    secret: flags.redact ?? [],
    volatile: flags.volatile ?? [],
    keptHeaders: flags['keep-header'] ?? [],
    keptTypes: flags['keep-bytes'] ?? [],
  });
  const proxy = await startProxy({ origin, port, mostBytes, ...run.listener }).catch((error) => {
    throw portProblem(error);
  });
  print(surroundings, `arango-services record: ${proxy.url} passes requests on to ${origin}`);
  const orphaned = new AbortController();
  void watchNpx(surroundings.env, () => orphaned.abort());
  await untilAborted(AbortSignal.any([surroundings.signal, orphaned.signal]));
  await proxy.close();
  try {
    const { lines, warnings, isStrictlyFine } = await run.write();
    for (const line of warnings) warn(surroundings, line);
    for (const line of lines) print(surroundings, line);
    return isStrictlyFine ? exitCodes.done : exitCodes.changes;
  } catch (error) {
    // The signal that stopped the command is not the reason.
    warn(surroundings, error instanceof Error ? error.message : 'failed');
    return exitCodes.failed;
  }
}

/** Runs `arango-services record` until it is stopped. */
export const runRecord = runnerOf('record', form);
