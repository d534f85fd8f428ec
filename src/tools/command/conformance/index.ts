import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { jsonText } from '../../../base/lib/json-text.js';
import { writeFault } from '../../../base/lib/system-errors.js';
import { platformOf } from '../../../mock/platform-version.js';
import {
  type ConformanceReport,
  checkConformance,
  formatConformance,
  type KnownDifference,
  parityOf,
} from '../../conformance/index.js';
import { readConnection } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { connecting } from '../shared/flags.js';
import { print, warn } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { runnerOf } from '../shared/run-subcommand.js';
import type { Subcommand } from '../shared/subcommand.js';
import { UsageError } from '../shared/usage-error.js';

/** The form of the command, as of a subcommand of `permissions`. */
export const form: Subcommand = {
  whole: 'arango-services conformance',
  summary: 'asks a deployment and a mock the same questions, and shows the differences',
  operands: [],
  load: async () => run,
  flags: [
    'integration-url',
    ...connecting,
    'users',
    'fidelity',
    'platform',
    'write',
    'rate',
    'known',
    'json',
    'junit',
    'out',
  ],
  helps: {
    grpc: 'the gRPC services, whose streams are compared, and which know all users',
    users: 'users about whom decisions are compared',
    fidelity: 'the behaviour that is expected (default: the one that fits)',
    junit: 'writes the checks as JUnit XML',
    out: 'writes the sentences of docs/wire.md that the deployment has shown, as JSON',
  },
  exits: 'Exit code: 0 if it is alike, 2 if it differs, 1 if it failed or was stopped, 64 for wrong flags or files.',
};

/** The largest file of known differences, in bytes. */
const mostBytes = 1_000_000;
const longestSecret = 64 * 1_024;

/** Reads known differences; `checkConformance` checks what they are. */
async function readKnown({ flags, inputs }: Context): Promise<readonly KnownDifference[] | undefined> {
  const where = '--known';
  if (flags.known === undefined) return undefined;
  const bytes = await inputs.read(where, flags.known, mostBytes + 1).catch((error: unknown) => {
    throw fileProblem(where, error);
  });
  if (bytes.length > mostBytes) throw new UsageError({ where, message: `holds more than ${mostBytes / 1_000_000} MB` });
  // Trust boundary: `checkConformance` reads each of them.
  return readJson(flags.known, bytes.toString('utf8')) as readonly KnownDifference[];
}

/** The deployment's secret, if a file names it; undefined for bytes that are not text. */
async function readSecret({ flags, inputs }: Context): Promise<string | undefined> {
  const file = flags['jwt-secret-file'];
  if (file === undefined) return undefined;
  const bytes = await inputs.read('--jwt-secret-file', file, longestSecret);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Opens the streams of `--grpc`. */
async function openStreams(address: string | undefined) {
  if (address === undefined) return undefined;
  const { poolTransport } = await import('../../../enforce/replica/index.js');
  return poolTransport(address);
}

async function write(where: string, file: string | undefined, text: () => string): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, text());
  } catch (error) {
    throw new UsageError({ where, message: writeFault(error) });
  }
}

/** Refuses outputs that cannot be written before anything is asked. */
async function checkOutputs({ junit, out, known }: Context['flags']): Promise<void> {
  const before = new Map(known === undefined ? [] : [[resolve(known), '--known']]);
  for (const [where, file] of [['--junit', junit] as const, ['--out', out] as const]) {
    if (file === undefined) continue;
    const same = before.get(resolve(file));
    if (same !== undefined) throw new UsageError({ where, message: `is the file of ${same}, too` });
    before.set(resolve(file), where);
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isDirectory()) throw new UsageError({ where, message: 'is a directory' });
  }
}

async function ask(context: Context): Promise<{ readonly report: ConformanceReport; readonly url: string }> {
  const { flags, surroundings } = context;
  const { users, rate, fidelity, platform, write: writes } = flags;
  const known = await readKnown(context);
  const { url, options, createClient } = await readConnection(context);
  const secret = await readSecret(context);
  const streams = await openStreams(flags.grpc);
  const settings = { ...(fidelity && { fidelity }), ...(platform && { platform: platformOf(platform) }) };
  const client = createClient(options);
  try {
    const { signal } = surroundings;
    return {
      report: await checkConformance(client, { users, rate, known, secret, streams, settings, write: writes, signal }),
      url,
    };
  } finally {
    streams?.close();
    await client.close({ graceMs: 0 });
  }
}

async function run(context: Context): Promise<ExitCode> {
  const { flags, surroundings } = context;
  await checkOutputs(flags);
  const { report, url } = await ask(context);
  // First, so that it is not lost if a file cannot be written.
  print(surroundings, formatConformance(report, flags.json ? 'json' : 'text'));
  await write('--junit', flags.junit, () => formatConformance(report, 'junit'));
  await write('--out', flags.out, () => `${jsonText({ deployment: url, ...parityOf(report) }, 2)}\n`);
  if (report.stopped) {
    const { reason } = surroundings.signal;
    const removed = report.left.length === 0 ? 'nothing is left of what it wrote' : 'not all was removed that it wrote';
    warn(surroundings, `stopped by ${reason instanceof Error ? reason.message : 'a signal'}; ${removed}`);
    return exitCodes.failed;
  }
  if (report.checks.every(({ result }) => result === 'not tried')) {
    warn(surroundings, 'no question could be asked');
    return exitCodes.failed;
  }
  return report.alike ? exitCodes.done : exitCodes.changes;
}

/** Runs `arango-services conformance`. */
export const runConformance = runnerOf('conformance', form);
