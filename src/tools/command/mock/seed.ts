import { readFile } from 'node:fs/promises';
import { readFault } from '../../../base/lib/system-errors.js';
import { isObject } from '../../../base/lib/values.js';
import type { Problem } from './arguments.js';
import { readPermissionsSeed } from './permissions-seed.js';

/** The value in a seed file, still unchecked, or the problems with the file. */
export type Seed = { readonly value: unknown } | { readonly problems: readonly Problem[] };

const refuse = (where: string, message: string): Seed => ({ problems: [{ where, message }] });

/** Fields that only a file of permissions has, or a custom resource. */
const onlyPermissions = ['include', 'manage', 'scopes', 'kind', 'apiVersion'];

/** True if JSON is a file of permissions: it has a field that the configuration lacks, or names its schema. */
const isPermissionsFile = (value: unknown): boolean =>
  isObject(value) &&
  (onlyPermissions.some((field) => Object.hasOwn(value, field)) ||
    ('$schema' in value && typeof value.$schema === 'string' && value.$schema.endsWith('permissions.schema.json')));

/** Reads a seed file: the configuration as JSON, or a file of permissions as YAML or JSON. */
export async function readSeed(file: string): Promise<Seed> {
  let text: string;
  try {
    if (/\.ya?ml$/i.test(file)) return await readPermissionsSeed(file);
    text = await readFile(file, 'utf8');
  } catch (error) {
    return refuse(file, readFault(error));
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    // The engine's own message quotes the file, which may hold passwords and keys; only the position is kept.
    const place = /\(?line \d+ column \d+\)?/
      .exec(error instanceof Error ? error.message : '')?.[0]
      .replace(/[()]/g, '');
    return refuse(file, `is not valid JSON${place === undefined ? '' : ` (${place})`}`);
  }
  return isPermissionsFile(value) ? readPermissionsSeed(file) : { value };
}
