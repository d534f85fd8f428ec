import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { readSubpaths, sourceOf } from '../scripts/lib/package.ts';
import { ArangoServicesError, isArangoServicesError } from '../src/index.ts';
import { ApplyError, isApplyError, isPermissionsError, PermissionsError } from '../src/permissions/index.ts';
import { AnalysisError, isAnalysisError } from '../src/policy/analysis/index.ts';
import { isPolicyError, PolicyError } from '../src/policy/index.ts';

/** The exports of each subpath, by its name. */
const entries = await Promise.all(
  readSubpaths().map(async ({ specifier, file }) => {
    const source = sourceOf(file.replace(/^.*\bdist\/|\.js$/g, ''));
    return { specifier, names: (await import(root + source)) as Readonly<Record<string, unknown>> };
  }),
);

const isErrorClass = (value: unknown): value is { readonly prototype: Error } =>
  typeof value === 'function' && value.prototype instanceof Error;

/** The classes of errors, each with the subpath that exports it. */
const classes = entries.flatMap(({ specifier, names }) =>
  Object.entries(names).flatMap(([name, value]) =>
    isErrorClass(value) && value !== ArangoServicesError ? [{ specifier, name, names }] : [],
  ),
);

/** The rows of the guide's first table: class, code and subpath. */
const rows = [
  ...readFileSync(`${root}docs/guides/errors.md`, 'utf8').matchAll(/^\| `(\w+)` `([A-Z_]+)`(?: \(`([^`]+)`\))? \|/gm),
].map(([, name = '', code = '', specifier = 'arango-services']) => ({ name, code, specifier }));

const plan = { changes: [], stages: [] } as never;

describe('every class of errors', () => {
  test.each(classes)('$name has a guard in $specifier', ({ name, names }) => {
    const guard = names[`is${name}`] as (error: unknown) => boolean;
    expect(guard(new Error('other'))).toBe(false);
  });

  test('is listed in the guide, with a subpath that exports it', () => {
    const exported = new Set(classes.map(({ specifier, name }) => `${specifier} ${name}`));
    expect(rows.filter(({ specifier, name }) => !exported.has(`${specifier} ${name}`))).toEqual([]);
    expect([...new Set(classes.map(({ name }) => name))].sort()).toEqual(rows.map(({ name }) => name).sort());
    expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
  });
});

describe.each([
  [
    'PolicyError',
    'POLICY',
    isPolicyError,
    new PolicyError([{ path: ['policies', 'p'], message: 'expected an object, got null' }]),
  ],
  ['AnalysisError', 'ANALYSIS', isAnalysisError, new AnalysisError('user: expected a text')],
  ['PermissionsError', 'PERMISSIONS', isPermissionsError, new PermissionsError([])],
  [
    'ApplyError',
    'APPLY',
    isApplyError,
    new ApplyError(['no'], { plan, conflicts: [], done: [], unanswered: [] }, new Error('the cause')),
  ],
] as const)('%s', (name, code, guard, error) => {
  test('is caught by the common guard and its own one only', () => {
    const guards = [isPolicyError, isAnalysisError, isPermissionsError, isApplyError];
    expect(isArangoServicesError(error)).toBe(true);
    expect(guards.filter((one) => one(error))).toEqual([guard]);
    expect([error.name, error.code]).toEqual([name, code]);
    expect(rows.find((row) => row.name === name)?.code).toBe(code);
  });

  test('has no enumerable mark', () => {
    expect(Object.getOwnPropertySymbols({ ...error })).toEqual([]);
  });
});

test('a foreign error with a code of ours is not caught', () => {
  const foreign = Object.assign(new Error('no'), { code: 'POLICY', name: 'PolicyError' });
  expect([isPolicyError(foreign), isArangoServicesError(foreign)]).toEqual([false, false]);
});
