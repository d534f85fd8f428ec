import { readFile } from 'node:fs/promises';
import type { Permissions } from '../../permissions/index.js';
import { UsageError } from '../usage-error.js';
import type { Flags } from './flags.js';
import { fileProblem } from './read-files.js';

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

/** The users of the last apply; none if there was none. */
async function readLastUsers(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw fileProblem(file, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isNames(value)) return value;
  throw new UsageError({ where: file, message: 'expected a JSON list of names, as apply writes it' });
}

/** The users whose bindings are read: those of the file, of the flag, and of the last apply. */
export async function usersOf(desired: Permissions, flags: Flags): Promise<readonly string[]> {
  const last = flags['users-file'] === undefined ? [] : await readLastUsers(flags['users-file']);
  return [...new Set([...desired.users, ...(flags.users ?? []), ...last])].sort();
}
