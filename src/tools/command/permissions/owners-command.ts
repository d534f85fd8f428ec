import { readFile } from 'node:fs/promises';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { isTexts } from '../../../base/lib/values.js';
import type { PermissionsState, Plan } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import { allBindings, ownerOf } from '../../../permissions/model/plan-change.js';
import type { Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import type { Flags } from '../shared/flags.js';
import { fileProblem, readFiles } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { writePrivate } from './write-file.js';

type Kind = keyof Owners;

/** The users or groups of the last apply; none if there was none. */
async function readLast(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileProblem(file, error);
  }
  const value = readJson(file, text);
  if (isTexts(value) && !value.includes('')) return value;
  throw new UsageError({ where: file, message: 'expected a JSON list of names, as apply writes it' });
}

/** The users and groups whose bindings are read: those of the file, of the flags, and of the last apply. */
export async function ownersOf(
  desired: { readonly [K in Kind]?: readonly string[] | undefined },
  flags: Flags,
): Promise<Owners> {
  const of = async (kind: Kind): Promise<readonly string[]> => {
    const file = flags[`${kind}-file`];
    const last = file === undefined ? [] : await readLast(file);
    return [...new Set([...(desired[kind] ?? []), ...(flags[kind] ?? []), ...last])].sort();
  };
  return { users: await of('users'), groups: await of('groups') };
}

/** The users and groups of the flags, and those of a file that the flags name. */
export async function readKnownOwners(context: Context): Promise<Owners> {
  const { flags } = context;
  return ownersOf(flags.file === undefined ? {} : await readFiles(context, flags.file), flags);
}

/** The users and groups that have a binding after a plan. */
export function ownersAfter(state: PermissionsState, { changes }: Plan): Owners {
  const left = new Map(allBindings(state).map((binding) => [bindingKey(binding), ownerOf(binding)] as const));
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
 * Keeps the users and groups of an apply that begins, if the flags name files for them, beside those of the last one:
 * it may be stopped before the end, and then one of either may have a binding.
 */
export async function keepOwnersBefore(owners: Owners, flags: Flags): Promise<void> {
  const { users: _, groups: __, ...files } = flags;
  await keepOwners(await ownersOf(owners, files), flags);
}

/** Keeps the users and groups of an apply, if the flags name files for them. */
export async function keepOwners(owners: Owners, flags: Flags): Promise<void> {
  for (const kind of ['users', 'groups'] as const) {
    const file = flags[`${kind}-file`];
    if (file !== undefined) await writePrivate(file, `${jsonText(owners[kind], 2)}\n`);
  }
}
