// The types that a page shows on hover, of all its examples in one program: one JSON file a page. The compiler is
// TypeScript 6, because TypeScript 7 has no API for it.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Block, buildModules, findBlocks } from '../../scripts/lib/examples.ts';
import { root } from '../../scripts/lib/exec.ts';
import { readSubpaths } from '../../scripts/lib/package.ts';
import type { PageTypes } from '../.vitepress/theme/hover/page-types.ts';
import { alignLines, importedNames } from './align-lines.ts';
import { readPage } from './pages.ts';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  paths: Object.fromEntries(
    readSubpaths().map(({ specifier, file }) => [specifier, [join(root, file.replace(/\.js$/, '.d.ts'))]]),
  ),
};

/** A compiler over modules in memory. */
function createService(modules: ReadonlyMap<string, string>): ts.LanguageService {
  const read = (file: string) => modules.get(file) ?? ts.sys.readFile(file);
  return ts.createLanguageService({
    getScriptFileNames: () => [...modules.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot(file) {
      const text = read(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => modules.has(file) || ts.sys.fileExists(file),
    readFile: read,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
}

/** The type of a name, an empty line, and the first paragraph of what is said about it. */
function describe(service: ts.LanguageService, file: string, position: number): string | undefined {
  const info = service.getQuickInfoAtPosition(file, position);
  if (info === undefined) return undefined;
  // An imported name is described as what it stands for, then as an import.
  const type = ts.displayPartsToString(info.displayParts).replace(/^\(alias\) |\nimport .*$/g, '');
  const [about = ''] = ts.displayPartsToString(info.documentation).split('\n\n');
  return about === '' ? type : `${type}\n\n${about.replaceAll('\n', ' ')}`;
}

/** Every identifier of a module with its type. */
function* namesOf(service: ts.LanguageService, file: string) {
  const source = service.getProgram()?.getSourceFile(file);
  if (source === undefined) return;
  const names: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const name of names) {
    const text = describe(service, file, name.getStart(source));
    if (text === undefined) continue;
    const { line, character } = source.getLineAndCharacterOfPosition(name.getStart(source));
    yield { name: name.text, line, column: character, text, isImport: ts.isImportSpecifier(name.parent) };
  }
}

class PageBuilder {
  readonly #texts = new Map<string, number>();
  readonly #blocks: Record<number, PageTypes['blocks'][number][number][]> = {};

  add(block: Block, name: { line: number; column: number; length: number; text: string }): void {
    const text = this.#texts.get(name.text) ?? this.#texts.size;
    this.#texts.set(name.text, text);
    this.#blocks[block.line] ??= [];
    this.#blocks[block.line]?.push([name.line, name.column, name.length, text]);
  }

  build(): PageTypes {
    return { texts: [...this.#texts.keys()], blocks: this.#blocks };
  }
}

/** Finds the types of the names in the blocks of each file. */
function findHovers(files: ReadonlyMap<string, string>): Map<string, PageTypes> {
  const modules = new Map<string, { file: string; code: string; blocks: Block[] }>();
  for (const [file, markdown] of files) {
    const blocks = findBlocks(markdown);
    for (const [section, code] of buildModules(file, blocks)) {
      const path = join(root, 'reports', `hovers-${modules.size}.ts`);
      modules.set(path, { file, code, blocks: blocks.filter((block) => block.section === section) });
    }
  }
  const service = createService(new Map([...modules].map(([path, { code }]) => [path, code])));
  const pages = new Map([...files.keys()].map((file) => [file, new PageBuilder()]));
  for (const [path, { file, code, blocks }] of modules) {
    const names = [...namesOf(service, path)];
    const imports = new Map(names.flatMap(({ isImport, name, text }) => (isImport ? [[name, text]] : [])));
    const lines = code.split('\n');
    for (const block of blocks) {
      const aligned = alignLines(block, lines, lines.indexOf(`{ // ${file}:${block.line}`) + 1);
      const page = pages.get(file);
      for (const { name, line, column, text } of names) {
        const [at, shift] = aligned.get(line) ?? [];
        if (at === undefined || shift === undefined) continue;
        page?.add(block, { line: at, column: column + shift, length: name.length, text });
      }
      const body = new Set([...aligned.values()].map(([line]) => line));
      for (const name of importedNames(block, body, imports)) page?.add(block, name);
    }
  }
  return new Map([...pages].map(([file, page]) => [file, page.build()]));
}

/** Writes the types of these pages into the folder of the site: `hovers/guides/requests.json`. */
export async function writeHovers(pages: ReadonlyMap<string, string>, folder: string): Promise<void> {
  const hovers = findHovers(new Map([...pages.keys()].map((file) => [file, readPage(file)])));
  for (const [file, page] of hovers) {
    if (page.texts.length === 0) continue;
    const path = join(folder, 'hovers', (pages.get(file) ?? file).replace(/\.md$/, '.json'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(page));
  }
}
