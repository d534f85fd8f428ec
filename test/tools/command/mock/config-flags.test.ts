import { expect, test } from 'vitest';
import { createSeedSchema } from '../../../../scripts/lib/schemas/seed-schema.ts';
import { flagRows } from '../../../../src/mock/config/mock-flags.ts';

/** Fields that a seed file sets, and no flag: lists and objects, and what only tests of limits need. */
const ofSeedFiles = [
  ...['$schema', 'now', 'identity', 'users', 'policies', 'roles', 'bindings', 'routes', 'services', 'limits'],
  ...['groupBindings', 'lag'],
  ...['authentication.keys', 'central', 'authorization.coreDb', 'gateway', 'authzen'],
];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The paths of the fields of a schema, down to those that are in the list. */
function pathsOf({ properties = {} }: Schema, above = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = above + name;
    return ofSeedFiles.includes(path) || !field.properties ? [path] : pathsOf(field, `${path}.`);
  });
}

test('each field of the configuration has a flag, or is one of seed files', () => {
  const paths = pathsOf(createSeedSchema() as Schema);
  const flagged = flagRows.flatMap(([, { path }]) => path ?? []);
  expect([...new Set(paths)].filter((path) => !flagged.includes(path)).sort()).toEqual([...ofSeedFiles].sort());
  expect(flagged.filter((path) => !paths.includes(path))).toEqual([]);
});
