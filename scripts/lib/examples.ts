import { join } from 'node:path';
import { root } from './exec.ts';
import type { Subpath } from './package.ts';

/** A ```ts block of a Markdown text, or of an `@example`. */
export interface Block {
  /** The `##` heading that it stands below; blocks of one section see each other's names. */
  readonly section: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

/** A block that starts with this is skipped; the reason is for the reader. */
const unchecked = /^\/\/ not checked: \S/;
const importing = /^import\b[^;]*?(?:from\s*)?'[^']*'(?:\s*with\s*\{[^}]*\})?;\n?/gm;

/** Exports of a module become plain declarations here: a block cannot export. */
const exporting = /^export (?=(?:async |function |const |class ))/gm;

/** The blocks of TypeScript in a Markdown text, without those that say that they are not checked. */
export function findBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  let open: { fence: string; checked: boolean; line: number; code: string[] } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (open === undefined) {
      section = /^## +(.*)$/.exec(text)?.[1] ?? section;
      const [, fence, language] = /^(`{3,})(\S*)/.exec(text) ?? [];
      if (fence !== undefined) open = { fence, checked: language === 'ts', line: index + 2, code: [] };
    } else if (text.trimEnd() === open.fence) {
      const { checked, line, code } = open;
      if (checked && !unchecked.test(code[0] ?? '')) blocks.push({ section, line, code: code.join('\n') });
      open = undefined;
    } else {
      open.code.push(text);
    }
  }
  return blocks;
}

/** The code of each `@example` in a TypeScript source. */
function findDocExamples(source: string): Omit<Block, 'section'>[] {
  return [...source.matchAll(/\/\*\*.*?\*\//gs)].flatMap((comment) => {
    const first = source.slice(0, comment.index).split('\n').length;
    const lines = comment[0].split('\n');
    return lines.flatMap((text, index): Omit<Block, 'section'>[] => {
      if (!/^\s*\* @example\b/.test(text)) return [];
      const rest = lines.slice(index + 1);
      const next = rest.findIndex((line) => /^\s*\*(?: @|\/)/.test(line));
      const code = rest.slice(0, next < 0 ? -1 : next).map((line) => line.replace(/^\s*\* ?/, ''));
      const line = first + index;
      const [block] = findBlocks(code.join('\n'));
      // An example without a block cannot be checked: the error names its line.
      if (block === undefined && !unchecked.test(code[1] ?? ''))
        throw new Error(`line ${line}: an @example without a ts block`);
      return block === undefined ? [] : [{ line: line + block.line, code: block.code }];
    });
  });
}

/** One module for each `@example` in a TypeScript source. */
export const buildDocModules = (file: string, source: string): string[] =>
  findDocExamples(source).map(({ line, code }) => `// ${file}:${line}\n${code}\nexport {};\n`);

/**
 * One module for each section, by the section's title. A block sees the names of the blocks above it and may declare a
 * name again: each stands in a scope inside the one before. Imports move to the top, the same ones once.
 */
export function buildModules(file: string, blocks: readonly Block[]): Map<string, string> {
  const modules = new Map<string, string>();
  for (const section of new Set(blocks.map((block) => block.section))) {
    const members = blocks.filter((block) => block.section === section);
    const imports = new Set(members.flatMap(({ code }) => code.match(importing)?.flatMap(splitImport) ?? []));
    const bodies = members.map(
      ({ line, code }) => `{ // ${file}:${line}\n${code.replace(importing, '').replace(exporting, '')}`,
    );
    const module = [...imports, ...bodies, '}'.repeat(members.length), 'export {};'];
    modules.set(section, `${module.join('\n')}\n`);
  }
  return modules;
}

/**
 * Declarations of what an `@example` need not import: every value that the entries export, and an instance of what a
 * reader knows by then (`client`, `mock`). An example that imports or declares such a name sees its own.
 */
export async function declareExports(subpaths: readonly Subpath[]): Promise<string> {
  const instances = new Map([
    ['client', "import('arango-services').Client"],
    ['connection', "import('arango-services').Connection"],
    ['orders', "import('arango-services').Route"],
    ['mock', "import('arango-services/mock').Mock"],
    ['token', 'string'],
  ]);
  const lines = [...instances].map(([name, type]) => `const ${name}: ${type};`);
  for (const { specifier, file } of subpaths) {
    const names = Object.keys(await import(join(root, file))).filter((name) => !instances.has(name));
    for (const name of names) {
      instances.set(name, '');
      lines.push(`const ${name}: typeof import('${specifier}').${name};`);
    }
  }
  return `declare global {\n${lines.join('\n')}\n}\nexport {};\n`;
}

/** An import of several names as one import a name, so that two blocks may import names of one module. */
function splitImport(statement: string): string[] {
  const text = statement.trim().replace(/\s+/g, ' ');
  const [, type = '', names, from = ''] = /^import (type )?\{ ?(.*?),? ?\} from (.*)$/.exec(text) ?? [];
  return names === undefined ? [text] : names.split(', ').map((name) => `import ${type}{ ${name} } from ${from}`);
}
