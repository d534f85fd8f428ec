import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { root } from './exec.ts';
import { manifest, sourceOf } from './package.ts';

/** An import of one source file by another, types included. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The specifiers that code imports, statically (types included) or with `import()`. */
export const specifiers = (code: string): string[] =>
  [
    ...code.matchAll(/^(?:import|export)\b(?:[^'"`;=(]*?\bfrom)?\s*["']([^"']+)["']/gm),
    ...code.matchAll(/\bimport\(\s*["']([^"']+)["']/g),
  ].map(([, to = '']) => to);

/** The files of `src` that a specifier may mean: those of each condition for one of package.json's `imports`. */
export function targetsOf(from: string, specifier: string): string[] {
  if (specifier.startsWith('.')) {
    const file = posix.join(dirname(from), specifier).replace(/\.js$/, '.ts');
    return [existsSync(`${root}${file}x`) ? `${file}x` : file];
  }
  const files = Object.values(manifest.imports[specifier] ?? {});
  return files.map((file) => sourceOf(file.replace(/^\.\/dist\/|\.js$/g, '')));
}

/** The imports between the files of `src`, types included. */
export function readImports(): Import[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: root })
    .sort()
    .flatMap((from) =>
      specifiers(readFileSync(root + from, 'utf8'))
        .flatMap((specifier) => targetsOf(from, specifier))
        .map((to) => ({ from, to })),
    );
}

/**
 * The dependencies of each room, which is a folder. A file that stands beside folders (`src/base/errors.ts`,
 * `src/mock/platform.ts`) is a room of its own: it belongs to none of them.
 */
export function roomGraph(imports: readonly Import[]): Map<string, Set<string>> {
  const folders = new Set(imports.flatMap(({ from, to }) => [dirname(from), dirname(to)]));
  const above = new Set([...folders].flatMap(foldersAbove));
  return graphBy((file) => (above.has(dirname(file)) ? file : `${dirname(file)}/`), imports);
}

const foldersAbove = (folder: string): string[] => {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
};

/** The wing that a file stands in: its folder of `src`. The main entry, beside the wings, is a part of the client. */
const wingOf = (file: string): string => (file === 'src/index.ts' ? 'client' : (file.split('/')[1] ?? ''));

/** The dependencies of each wing. */
export const wingGraph = (imports: readonly Import[]): Map<string, Set<string>> => graphBy(wingOf, imports);

/** The dependencies of each file. */
export const fileGraph = (imports: readonly Import[]): Map<string, Set<string>> => graphBy((file) => file, imports);

function graphBy(placeOf: (file: string) => string, imports: readonly Import[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [user, used] = [placeOf(from), placeOf(to)];
    const uses = graph.get(user) ?? new Set();
    graph.set(user, uses);
    if (user !== used) uses.add(used);
  }
  return graph;
}

/** The circles of a graph: each group of rooms that reach one another. */
export function findCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reachable = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let room = open.pop(); room !== undefined; room = open.pop()) {
      for (const next of graph.get(room) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  };
  const reach = new Map([...graph.keys()].map((room) => [room, reachable(room)]));
  const circles = new Map<string, string[]>();
  for (const [room, seen] of reach) {
    if (!seen.has(room)) continue;
    const members = [...seen].filter((other) => reach.get(other)?.has(room)).sort();
    circles.set(members.join(), members);
  }
  return [...circles.values()];
}
