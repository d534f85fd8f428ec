import { targetsOf } from './graph.ts';

/** A statement `import … from` or `export … from`, an import without names, or a call of `import()`. */
const statement =
  /^(import|export)\b(\s+type\b(?!\s+from\b))?([^'"`;=()]*?)\bfrom\s*["']([^"']+)["'];?|(?:^import\s*|\bimport\(\s*)["']([^"']+)["']/gm;
const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** What a statement takes from a file. */
interface Taken {
  readonly isExport: boolean;
  readonly to: string;
  /** Names there by names here; undefined for all of them. */
  readonly names: ReadonlyMap<string, string> | undefined;
}

/** A file of values: what it takes from others, and true if it does nothing but export that. */
interface Module {
  readonly taken: readonly Taken[];
  readonly isBarrel: boolean;
}

/** Reads `{ a, type B, c as d }`; undefined for other forms. */
function namesIn(clause: string): ReadonlyMap<string, string> | undefined {
  const [, list] = /^\s*\{([^}]*)\}\s*$/.exec(clause) ?? [];
  const names = list
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return (
    names && new Map(names.map((name) => name.split(/\s+as\s+/)).map(([there = '', here = there]) => [here, there]))
  );
}

function readModule(file: string, code: string): Module {
  const plain = code.replace(comments, '');
  const taken = [...plain.matchAll(statement)].flatMap(([, verb, type, clause = '', from, whole]): Taken[] => {
    const names = whole === undefined ? namesIn(clause) : undefined;
    if (type !== undefined || names?.size === 0) return [];
    const specifier = from ?? whole ?? '';
    if (!/^[.#]/.test(specifier)) return [];
    return targetsOf(file, specifier).map((to) => ({ isExport: verb === 'export', to, names }));
  });
  const exported = plain.replace(/^export\b[^'"`;=()]*?\bfrom\s*["'][^"']+["'];?/gm, '');
  return { taken, isBarrel: exported.trim() === '' && plain.trim() !== '' };
}

/**
 * Finds the test files that reach a changed file through imports of values. A file that only exports others' names, like
 * the entry of a subpath, leads to the files of the names that are imported from it, and not to its other ones.
 * `files` has the code of all files by their paths.
 */
export function reachedTests(files: ReadonlyMap<string, string>, changed: readonly string[]): string[] {
  const modules = new Map([...files].map(([file, code]) => [file, readModule(file, code)]));

  /** The files behind a name that a file exports, the barrels on the way included. */
  const behind = (file: string, name: string): readonly string[] => {
    const { isBarrel = false, taken = [] } = modules.get(file) ?? {};
    if (!isBarrel) return [file];
    const own = taken.filter(({ names }) => names?.has(name));
    // Without the name, it comes from one of the files whose names are all exported, or is a type.
    const from = own.length > 0 ? own : taken.filter(({ names }) => names === undefined);
    return [file, ...from.flatMap(({ to, names }) => behind(to, names?.get(name) ?? name))];
  };
  const everything = (file: string): readonly string[] => {
    const { isBarrel = false, taken = [] } = modules.get(file) ?? {};
    return isBarrel ? [file, ...taken.flatMap(({ to }) => everything(to))] : [file];
  };
  const reaches = new Map(
    [...modules].map(([file, { taken, isBarrel }]) => {
      const targets = isBarrel
        ? []
        : taken.flatMap(({ to, names }) =>
            names ? [...names.values()].flatMap((name) => behind(to, name)) : everything(to),
          );
      return [file, new Set(targets)];
    }),
  );

  const reached = new Set(changed);
  // Sets iterate over what is added meanwhile.
  for (const target of reached) {
    for (const [file, targets] of reaches) if (targets.has(target)) reached.add(file);
  }
  return [...reached].filter((file) => file.endsWith('.test.ts') && files.has(file)).sort();
}
