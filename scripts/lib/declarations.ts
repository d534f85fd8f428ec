import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStatements, resolveTypes } from './declared.ts';
import { root } from './exec.ts';

/** A declaration of a built `.d.ts` file. */
interface Declaration {
  readonly kind: 'type' | 'value';
  /** Its text, without comments and strings. */
  readonly text: string;
}

/** A name in a file. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

/** The declarations of a `.d.ts` file, and the origins of its names. */
interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** The names that it imports, or exports again, by their name in it. */
  readonly elsewhere: ReadonlyMap<string, Place>;
  readonly exported: readonly string[];
  /** The files of `export * from`. */
  readonly all: readonly string[];
}

/** Reads the text of a `.d.ts` file. */
function parse(file: string, source: string): Module {
  const declarations = new Map<string, Declaration>();
  const elsewhere = new Map<string, Place>();
  const exported: string[] = [];
  const all: string[] = [];
  const resolve = (specifier: string) => resolveTypes(file, specifier) ?? specifier;
  for (const statement of parseStatements(source)) {
    const { code, kind = '', name, listed, from } = statement;
    if (name !== undefined) {
      // Overloads of a function are several statements.
      const before = declarations.get(name)?.text ?? '';
      const isType = ['class', 'interface', 'type'].includes(kind);
      declarations.set(name, { kind: isType ? 'type' : 'value', text: before + code.replace(/'[^'\n]*'/g, "''") });
      if (statement.exported) exported.push(name);
      // A type that is imported in place keeps its path.
      for (const [path, specifier = '', imported = ''] of code.matchAll(/import\('?"?([^'")]+)['"]\)\.([\w$]+)/g)) {
        elsewhere.set(path, { file: resolve(specifier), name: imported });
      }
    } else if (listed !== undefined) {
      for (const [local, original] of listed) {
        if (from !== undefined) elsewhere.set(local, { file: resolve(from), name: original });
        else if (local !== original) elsewhere.set(local, { file, name: original });
        if (statement.exported) exported.push(local);
      }
    } else if (statement.exported && from !== undefined) {
      all.push(resolve(from));
    }
  }
  return { declarations, elsewhere, exported, all };
}

/** Reads modules of declarations by their file. */
export type ReadSource = (file: string) => string;

const readBuilt: ReadSource = (file) => readFileSync(join(root, file), 'utf8');

/** Follows names through modules of declarations, each of which it reads once. */
export function createReader(readSource: ReadSource = readBuilt) {
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const module = modules.get(file) ?? parse(file, readSource(file));
    modules.set(file, module);
    return module;
  };
  /** The place where a name is declared; undefined outside the package. */
  const origin = ({ file, name }: Place): Place | undefined => {
    if (!file.endsWith('.d.ts')) return undefined;
    const { declarations, elsewhere, all } = moduleOf(file);
    if (declarations.has(name)) return { file, name };
    const next = elsewhere.get(name);
    if (next !== undefined) return origin(next);
    return all.map((other) => origin({ file: other, name })).find((found) => found !== undefined);
  };
  const exportsOf = (file: string): string[] => {
    const { exported, all } = moduleOf(file);
    return [...exported, ...all.flatMap(exportsOf)];
  };
  /** Where the names that a module exports are declared. Names of other packages do not count. */
  const exportedBy = (file: string) => exportsOf(file).flatMap((name) => origin({ file, name }) ?? []);
  const isType = ({ file, name }: Place) => moduleOf(file).declarations.get(name)?.kind === 'type';
  const named = new Map<string, readonly Place[]>();
  /** The types that a declaration names. */
  const namedBy = (place: Place): readonly Place[] => {
    const types = named.get(keyOf(place)) ?? readNamed(place);
    named.set(keyOf(place), types);
    return types;
  };
  const readNamed = ({ file, name }: Place): Place[] => {
    const { declarations, elsewhere } = moduleOf(file);
    return (
      references(declarations.get(name)?.text ?? '')
        .filter((reference) => declarations.has(reference) || elsewhere.has(reference))
        .flatMap((reference) => origin({ file, name: reference }) ?? [])
        // A value's name is that of a field or a method, or stands behind `typeof`.
        .filter(isType)
    );
  };
  /**
   * True for a generic type that is computed from its parameters. Compilers write its result down, so the types that it
   * computes with need no name; those in the signature of a function do.
   */
  const isComputed = ({ file, name }: Place): boolean => {
    const text = moduleOf(file).declarations.get(name)?.text ?? '';
    return /^(?:export )?(?:declare )?type [\w$]+</.test(text) && !text.includes('=>');
  };
  return { exportedBy, namedBy, isComputed, isType };
}

/** A reader of declarations. */
export type Reader = ReturnType<typeof createReader>;

const keyOf = ({ file, name }: Place) => `${file} ${name}`;

/**
 * The types that the exported declarations of an entry name, and that neither the entry exports nor one of `others`: a
 * caller could not write them down. Types of other packages and of the runtime do not count, nor do those that generic
 * types are computed with.
 */
export function findUnexported(
  entry: string,
  others: readonly string[],
  { exportedBy, namedBy, isComputed }: Reader,
): string[] {
  const known = new Set([entry, ...others].flatMap(exportedBy).map(keyOf));
  const found = exportedBy(entry)
    .filter((place) => !isComputed(place))
    .flatMap((place) =>
      namedBy(place)
        .filter((type) => !known.has(keyOf(type)))
        .map((type) => `${place.name} names ${type.name}`),
    );
  return [...new Set(found)].sort();
}

/**
 * The entries that export the types that the declarations of an entry lead to, and that it does not export itself; of
 * several the first of `entries`. A compiler that writes declarations finds the name of such a type only if one of the
 * loaded files exports it.
 */
export function findHomes(
  entry: string,
  entries: readonly string[],
  { exportedBy, namedBy }: Reader,
): Map<string, Place[]> {
  const exporting = new Map<string, string>();
  for (const other of [entry, ...entries]) {
    for (const place of exportedBy(other)) {
      if (!exporting.has(keyOf(place))) exporting.set(keyOf(place), other);
    }
  }
  const homes = new Map<string, Place[]>();
  const reached = new Map(exportedBy(entry).map((place) => [keyOf(place), place]));
  // A map is iterated with what is added meanwhile.
  for (const [key, place] of reached) {
    const home = exporting.get(key);
    if (home !== undefined && home !== entry) homes.set(home, [...(homes.get(home) ?? []), place]);
    for (const type of namedBy(place)) if (!reached.has(keyOf(type))) reached.set(keyOf(type), type);
  }
  return homes;
}

/** The names in a declaration that can be those of types, without the names of fields and parameters. */
function references(text: string): string[] {
  const paths = [...text.matchAll(/import\([^)]*\)\.[\w$]+/g)].map(([name]) => name);
  const bare = text.replace(/import\([^)]*\)\.[\w$]+/g, '').replace(/[\w$]+\??:(?=\s)/g, '');
  return [...paths, ...[...bare.matchAll(/(?<![\w$.#])[A-Za-z_$][\w$]*/g)].map(([name]) => name)];
}
