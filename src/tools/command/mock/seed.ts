import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readJsonFile } from '../../../base/lib/json-file.js';
import { readFault } from '../../../base/lib/system-errors.js';
import { isObject } from '../../../base/lib/values.js';
import type { UsageProblem } from '../shared/usage-error.js';
import { type MergedSeeds, mergeSeeds } from './merge-seeds.js';

/** The part of a configuration that files of permissions hold, or the problems with the files. */
type PermissionsSeed = { readonly value: object } | { readonly problems: readonly UsageProblem[] };

/**
 * Reads a file of permissions and its includes as a configuration. Rejects if the first file cannot be read. The YAML
 * parser is loaded only for such a file.
 */
async function readPermissionsSeed(file: string): Promise<PermissionsSeed> {
  const { PermissionsError, readPermissions } = await import('../../../permissions/index.js');
  try {
    const { policies, roles, bindings, groupBindings } = await readPermissions(file, {
      read: (name) => readFile(name),
      realPath: (name) => realpath(name),
    });
    const bound = { bindings, ...(groupBindings && { groupBindings }) };
    return { value: { policies: Object.fromEntries(policies), roles: Object.fromEntries(roles), ...bound } };
  } catch (error) {
    if (!(error instanceof PermissionsError)) throw error;
    const whereOf = ({ file, line, column }: (typeof error.issues)[number]) => `${file}:${line}:${column}`;
    return { problems: error.issues.map((issue) => ({ where: whereOf(issue), message: issue.message })) };
  }
}

/** The value in a seed file, still unchecked, or the problems with the file. */
type Seed = { readonly value: unknown } | { readonly problems: readonly UsageProblem[] };

const refuse = (where: string, message: string): Seed => ({ problems: [{ where, message }] });

/** Fields that only a file of permissions has, or a custom resource. */
const onlyPermissions = ['include', 'manage', 'scopes', 'kind', 'apiVersion'];

/** True if JSON is a file of permissions: it has a field that the configuration lacks, or names its schema. */
const isPermissionsFile = (value: unknown): boolean =>
  isObject(value) &&
  (onlyPermissions.some((field) => Object.hasOwn(value, field)) ||
    ('$schema' in value && typeof value.$schema === 'string' && value.$schema.endsWith('permissions.schema.json')));

/**
 * Reads seed files, and merges them if there are several.
 * @returns what `mergeSeeds` returns, with the problems of reading, too.
 */
export async function readSeeds(files: readonly string[]): Promise<MergedSeeds> {
  const twice = files.find((file, i) => files.findIndex((other) => resolve(other) === resolve(file)) < i);
  const again = twice === undefined ? [] : [{ where: '--seed', message: `${twice} is given twice` }];
  const seeds = await Promise.all(files.map(async (file) => ({ file, seed: await readSeed(file) })));
  const problems = seeds.flatMap(({ seed }) => ('problems' in seed ? seed.problems : []));
  const read = seeds.flatMap(({ file, seed }) => ('value' in seed ? { file, value: seed.value } : []));
  const merged = mergeSeeds(read);
  // Differences between the files that could be read would only repeat them.
  return { ...merged, problems: [...again, ...problems, ...(problems.length > 0 ? [] : merged.problems)] };
}

/** Reads a seed file: the configuration as JSON, or a file of permissions as YAML or JSON. */
async function readSeed(file: string): Promise<Seed> {
  let text: string;
  try {
    if (/\.ya?ml$/i.test(file)) return await readPermissionsSeed(file);
    text = await readFile(file, 'utf8');
  } catch (error) {
    return refuse(file, readFault(error));
  }
  const reading = readJsonFile(file, text);
  if ('problem' in reading) return { problems: [reading.problem] };
  const { value } = reading;
  return isPermissionsFile(value) ? readPermissionsSeed(file) : { value };
}
