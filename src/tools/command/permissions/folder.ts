import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../../../base/lib/system-errors.js';
import { isWritten, writtenNames } from '../../../permissions/folder/write-resources.js';
import {
  formatResourcePlan,
  isPermissionsError,
  PermissionsError,
  planResources,
  writeResources,
} from '../../../permissions/index.js';
import { deploymentFault } from '../../../permissions/resources/resource-names.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { connecting, type FlagName, type Flags, owning } from '../shared/flags.js';
import { print, printChanges, warn } from '../shared/output.js';
import { defaultFile, fileProblem, readFiles } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { createFile, notWritten, replaceFile } from './write-file.js';

/**
 * The deployment that a flag names as `[namespace/]name`.
 * @throws UsageError if custom resources cannot name it.
 */
export function readDeployment(deployment: string): { readonly deployment: string; readonly namespace?: string } {
  const parts = deployment.split('/');
  const fault = parts.length > 2 ? 'expected [namespace/]name' : parts.map(deploymentFault).find((text) => text);
  if (fault !== undefined) throw new UsageError({ where: '--deployment', message: fault });
  const [name = '', namespace] = parts.reverse();
  return { deployment: name, ...(namespace !== undefined && { namespace }) };
}

/** Refuses flags that have no meaning beside another one. */
function refuseBeside(wanted: FlagName, refused: readonly FlagName[], flags: Flags): void {
  const problems = refused.filter((name) => flags[name] !== undefined);
  if (problems.length === 0) return;
  throw new UsageError(
    ...problems.map((name) => ({ where: `--${name}`, message: `cannot be combined with --${wanted}` })),
  );
}

function targetOf(wanted: FlagName, { deployment }: Flags): ReturnType<typeof readDeployment> {
  if (deployment !== undefined) return readDeployment(deployment);
  throw new UsageError({ where: '--deployment', message: `is needed with --${wanted}: the custom resources name it` });
}

/** The files of YAML in a folder; none if there is no such folder. */
async function readFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  try {
    const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return new Map(names.map((name, i) => [name, texts[i] ?? '']));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw fileProblem(folder, error);
  }
}

/** Makes a folder and its parents. Does not use `recursive` of Node, which never ends below /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    const above = dirname(resolve(folder));
    const isMissing = systemCode(error) === 'ENOENT' && (await stat(above).catch(() => undefined)) === undefined;
    if (!isMissing || above === resolve(folder)) throw error;
    await makeFolder(above);
    await mkdir(folder);
  }
}

/**
 * Makes a folder hold the given files: creates, replaces and removes files of this command, and prints each. Changes
 * nothing if a file that this command did not write has one of their names.
 */
async function writeFolder(folder: string, files: ReadonlyMap<string, string>, { surroundings }: Context) {
  const before = await readFolder(folder);
  for (const name of files.keys()) {
    const text = before.get(name);
    if (text === undefined || isWritten(text)) continue;
    throw new UsageError({ where: join(folder, name), message: 'was not written by this command: move it away' });
  }
  await makeFolder(folder).catch((error) => {
    throw notWritten(folder, error);
  });
  for (const name of writtenNames) {
    const [old, now, file] = [before.get(name), files.get(name), join(folder, name)];
    if (old === now) continue;
    if (now === undefined) {
      if (old === undefined || !isWritten(old)) continue;
      await rm(file);
      print(surroundings, `- ${file}`);
    } else if (old === undefined) {
      await createFile(file, now);
      print(surroundings, `+ ${file}`);
    } else {
      await replaceFile(file, now);
      print(surroundings, `~ ${file}`);
    }
  }
}

/** `permissions export --from`: the custom resources of a file of permissions, in a folder. */
export const exportFolder: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const { from = defaultFile, out } = flags;
  refuseBeside('from', [...connecting, ...owning, 'json'], flags);
  const target = targetOf('from', flags);
  if (out === undefined) throw new UsageError({ where: '--out', message: 'is needed with --from: a folder' });
  if (operands.length > 0)
    throw new UsageError({ where: 'arguments', message: 'expected none with --from; see --out' });
  const { files, notes } = writeResources(await readFiles(context, from, '--from'), target);
  await writeFolder(out, files, context);
  for (const note of notes) warn(surroundings, note);
  return exitCodes.done;
};

/** Names the folder in the issues of its files. */
const inFolder = <T>(folder: string, result: Promise<T>): Promise<T> =>
  result.catch((error: unknown) => {
    if (!isPermissionsError(error) || error.issues.length === 0) throw error;
    throw new PermissionsError(error.issues.map((issue) => ({ ...issue, file: join(folder, issue.file) })));
  });

/** `permissions plan --to`: the changes of a folder of custom resources. */
export const planFolder: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  const { to = '', fidelity, json, markdown, details } = flags;
  refuseBeside(
    'to',
    [...connecting, ...owning, 'before', 'record', 'holds', 'as', 'prune', 'order', 'out', 'log'],
    flags,
  );
  const target = targetOf('to', flags);
  const desired = await readFiles(context, flags.file ?? defaultFile);
  const files = await readFolder(to);
  // First: its issues are in the file of permissions, all others in the folder.
  writeResources(desired, target);
  const planned = await inFolder(
    to,
    planResources(desired, { ...target, files, fidelity, maxWork: flags['max-work'] }),
  );
  const text = formatResourcePlan(planned, json ? 'json' : markdown ? 'markdown' : details ? 'details' : 'text');
  (json || markdown ? print : printChanges)(surroundings, text);
  return planned.resources.length > 0 ? exitCodes.changes : exitCodes.done;
};
