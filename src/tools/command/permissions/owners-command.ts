import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { isTexts } from '../../../base/lib/values.js';
import type { PermissionsState, Plan } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import { allBindings, ownerOf } from '../../../permissions/model/plan-change.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import type { Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import type { Flags } from '../shared/flags.js';
import { fileProblem, readFiles } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { writePrivate } from './write-file.js';

type Kind = keyof Owners;

/**
 * Refuses a file of the last apply that is missing: an evicted cache would hide the users who left. With `--first-run`
 * it may be.
 */
export function refuseMissing(file: string, { 'first-run': isFirst }: Flags): void {
  if (isFirst) return;
  const message = 'is missing: restore it, or say --first-run if nothing was applied yet';
  throw new UsageError({ where: file, message });
}

/** The users or groups of the last apply. */
async function readLast(file: string, flags: Flags): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileProblem(file, error);
    refuseMissing(file, flags);
    return [];
  }
  const value = readJson(file, text);
  if (isTexts(value) && value.every((name) => nameFault(name) === undefined)) return value;
  throw new UsageError({ where: file, message: 'expected a JSON list of names, as apply writes it' });
}

const kinds = ['users', 'groups'] as const;

/** The files of the last apply that the flags name; undefined if one of them is missing, or none is named. */
export function lastFiles(flags: Flags): readonly string[] | undefined {
  const files = [...kinds.map((kind) => flags[`${kind}-file`]), flags.record].filter((file) => file !== undefined);
  return files.length > 0 && files.every((file) => existsSync(file)) ? files : undefined;
}

/** Refuses `--first-run` where all files are there: a job that keeps it would not see the loss of one. */
function refuseFirstRun(flags: Flags): void {
  const files = lastFiles(flags);
  if (files === undefined) return;
  throw new UsageError({ where: '--first-run', message: `${files.join(' and ')} is there: leave the flag out` });
}

/** The users and groups whose bindings are read: those of the file, of the flags, and of the last apply. */
export async function ownersOf(
  desired: { readonly [K in Kind]?: readonly string[] | undefined },
  flags: Flags,
): Promise<Owners> {
  if (flags['first-run']) refuseFirstRun(flags);
  const of = async (kind: Kind): Promise<readonly string[]> => {
    const file = flags[`${kind}-file`];
    const last = file === undefined ? [] : await readLast(file, flags);
    return [...new Set([...(desired[kind] ?? []), ...(flags[kind] ?? []), ...last])].sort();
  };
  return { users: await of('users'), groups: await of('groups') };
}

/** The users and groups of the flags, and those of a file that the flags name. */
export async function readKnownOwners(context: Context): Promise<Owners> {
  const { flags } = context;
  return ownersOf(flags.file === undefined ? {} : await readFiles(context, flags.file), flags);
}

/** The users and groups that have a binding after a plan, without those that the files do not answer for. */
export function ownersAfter(state: PermissionsState, { changes, unowned, orphaned }: Plan): Owners {
  const left = new Map(allBindings(state).map((binding) => [bindingKey(binding), ownerOf(binding)] as const));
  const orphans = new Set(orphaned.map(bindingKey));
  for (const item of unowned) {
    if (item.kind === 'binding' && !orphans.has(bindingKey(item))) left.delete(bindingKey(item));
  }
  for (const change of changes) {
    if (change.kind !== 'binding') continue;
    if (change.after === null) left.delete(bindingKey(change));
    else left.set(bindingKey(change), ownerOf(change));
  }
  const owners = [...left.values()];
  const of = (kind: 'user' | 'group') => [...new Set(owners.flatMap((owner) => owner[kind] ?? []))].sort();
  return { users: of('user'), groups: of('group') };
}

/**
 * Adds the users and groups of an apply that begins to the files that the flags name for them, and leaves those of the
 * last apply there: if the apply is stopped, users and groups of both may have bindings.
 */
export async function keepOwnersBefore(owners: Owners, flags: Flags): Promise<void> {
  const { users: _, groups: __, ...files } = flags;
  // A file that is missing was refused when the plan was made, or is made now.
  await keepOwners(await ownersOf(owners, files), flags);
}

/** Keeps the users and groups of an apply, if the flags name files for them. */
export async function keepOwners(owners: Owners, flags: Flags): Promise<void> {
  for (const kind of kinds) {
    const file = flags[`${kind}-file`];
    if (file !== undefined) await writePrivate(file, `${jsonText(owners[kind], 2)}\n`);
  }
}
