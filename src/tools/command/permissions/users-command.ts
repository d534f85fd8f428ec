import { readFile } from 'node:fs/promises';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import type { Permissions, PermissionsState, Plan } from '../../../permissions/index.js';
import { bindingKey } from '../../../permissions/model/binding-key.js';
import type { Context } from '../shared/context.js';
import type { Flags } from '../shared/flags.js';
import { fileProblem, readFiles } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { writePrivate } from './write-file.js';

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

/** The users of the last apply; none if there was none. */
async function readLastUsers(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileProblem(file, error);
  }
  const value = readJson(file, text);
  if (isNames(value)) return value;
  throw new UsageError({ where: file, message: 'expected a JSON list of names, as apply writes it' });
}

/** The users whose bindings are read: those of the file, of the flag, and of the last apply. */
export async function usersOf(desired: Pick<Permissions, 'users'>, flags: Flags): Promise<readonly string[]> {
  const last = flags['users-file'] === undefined ? [] : await readLastUsers(flags['users-file']);
  return [...new Set([...desired.users, ...(flags.users ?? []), ...last])].sort();
}

/** The users of the flags, and those of a file that the flags name. */
export async function readKnownUsers(context: Context): Promise<readonly string[]> {
  const { flags } = context;
  return usersOf(flags.file === undefined ? { users: [] } : await readFiles(context, flags.file), flags);
}

/** The users that have a binding after a plan. */
export function usersAfter({ bindings }: PermissionsState, { changes }: Plan): readonly string[] {
  const left = new Map(bindings.map((binding) => [bindingKey(binding), binding.user] as const));
  for (const change of changes) {
    if (change.kind !== 'binding' || change.user === undefined) continue;
    if (change.after === null) left.delete(bindingKey(change));
    else left.set(bindingKey(change), change.user);
  }
  return [...new Set(left.values())].sort();
}

/**
 * Keeps the users of an apply that begins, if the flags name a file for them, beside those of the last one: it may be
 * stopped before the end, and then a user of either may have a binding.
 */
export async function keepUsersBefore(users: readonly string[], flags: Flags): Promise<void> {
  const file = flags['users-file'];
  if (file !== undefined) await keepUsers([...new Set([...(await readLastUsers(file)), ...users])].sort(), flags);
}

/** Keeps the users of an apply, if the flags name a file for them. */
export async function keepUsers(users: readonly string[], flags: Flags): Promise<void> {
  const file = flags['users-file'];
  if (file !== undefined) await writePrivate(file, `${jsonText(users, 2)}\n`);
}
