import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createReader, type Place } from '../scripts/lib/declarations.ts';
import { root } from '../scripts/lib/exec.ts';
import { compiledTypes } from '../scripts/lib/join-types.ts';
import { readSubpaths } from '../scripts/lib/package.ts';

type ExportsOf = (file: string) => readonly Place[];

/** Each exported name with its declarations, and the subpaths that export each declaration. */
function readNames(subpaths: ReadonlyMap<string, string>, exportsOf: ExportsOf) {
  const names = new Map<string, Map<string, Set<string>>>();
  for (const [specifier, file] of subpaths) {
    for (const { name, file: declaration } of exportsOf(file)) {
      const declarations = names.get(name) ?? new Map<string, Set<string>>();
      names.set(name, declarations);
      const users = declarations.get(declaration) ?? new Set();
      declarations.set(declaration, users.add(specifier));
    }
  }
  return names;
}

/** The names that stand for several declarations, with their subpaths. */
function findAmbiguous(subpaths: ReadonlyMap<string, string>, exportsOf: ExportsOf): string[] {
  return [...readNames(subpaths, exportsOf)]
    .filter(([, declarations]) => declarations.size > 1)
    .map(
      ([name, declarations]) =>
        `${name}: ${[...declarations.values()].map((users) => [...users].join(', ')).join(' and ')}`,
    );
}

/** The subpaths whose names the main entry repeats: those for pages whose size counts. */
const repeated = ['arango-services/routes', 'arango-services/credentials'];

/** The names that several subpaths export, with these, apart from those that the main entry may repeat. */
function findShared(subpaths: ReadonlyMap<string, string>, exportsOf: ExportsOf): string[] {
  return [...readNames(subpaths, exportsOf)].flatMap(([name, declarations]) => {
    const users = new Set([...declarations.values()].flatMap((specifiers) => [...specifiers]));
    const homes = [...users].filter(
      (user) => user !== 'arango-services' || !repeated.some((subpath) => users.has(subpath)),
    );
    return homes.length > 1 ? [`${name}: ${homes.join(', ')}`] : [];
  });
}

const subpaths = new Map(readSubpaths().map(({ specifier, file }) => [specifier, compiledTypes(file)]));
const { exportedBy, namedBy, isComputed, isType } = createReader();

describe('exported names', () => {
  test('each stands for one declaration, in all subpaths', () => {
    expect(readNames(subpaths, exportedBy).size).toBeGreaterThan(500);
    expect(findAmbiguous(subpaths, exportedBy)).toEqual([]);
  });

  test('each is exported from one subpath; the main entry repeats those of routes and credentials', () => {
    expect(findShared(subpaths, exportedBy)).toEqual([]);
  });

  test('pages mention every value, and every type that no declaration names', () => {
    const places = [...subpaths.values()].flatMap(exportedBy);
    const namesOfOthers = (place: Place) => namedBy(place).flatMap(({ name }) => (name === place.name ? [] : name));
    const named = new Set(places.filter((place) => !isComputed(place)).flatMap(namesOfOthers));
    const pages = ['README.md', ...globSync(['docs/*.md', 'docs/guides/*.md'], { cwd: root })];
    const words = new Set(pages.flatMap((page) => readFileSync(root + page, 'utf8').match(/[\w$]+/g) ?? []));
    const isMentioned = (place: Place) => words.has(place.name) || (isType(place) && named.has(place.name));
    expect(words.size).toBeGreaterThan(3_000);
    expect([...new Set(places.filter((place) => !isMentioned(place)).map(({ name }) => name))]).toEqual([]);
  });

  test('a name that two subpaths export is reported with them', () => {
    const run: Place = { file: 'types/run.d.ts', name: 'Run' };
    const route: Place = { file: 'types/route.d.ts', name: 'Route' };
    const places = new Map([
      ['arango-services', [run, route]],
      ['arango-services/routes', [route]],
      ['arango-services/guard', [run]],
      ['arango-services/node', [route]],
    ]);
    const specifiers = new Map([...places.keys()].map((specifier) => [specifier, specifier]));
    expect(findShared(specifiers, (file) => places.get(file) ?? [])).toEqual([
      'Run: arango-services, arango-services/guard',
      'Route: arango-services/routes, arango-services/node',
    ]);
  });

  test('a name with two declarations is reported with its subpaths', () => {
    const places: Readonly<Record<string, readonly Place[]>> = {
      a: [{ file: 'types/run.d.ts', name: 'Run' }],
      b: [{ file: 'types/run.d.ts', name: 'Run' }],
      c: [{ file: 'types/other.d.ts', name: 'Run' }],
    };
    const three = new Map(Object.keys(places).map((name) => [`arango-services/${name}`, name]));
    expect(findAmbiguous(three, (file) => places[file] ?? [])).toEqual([
      'Run: arango-services/a, arango-services/b and arango-services/c',
    ]);
  });
});
