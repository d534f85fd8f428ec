/** A ```ts block of a Markdown text. */
interface Block {
  /** The `##` heading that it stands below. */
  readonly section: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

/** A block that starts with this is left out; the reason is for the reader. */
const unchecked = /^\/\/ not checked: \S/;
const importing = /^import\b[^;]*?(?:from\s*)?'[^']*'(?:\s*with\s*\{[^}]*\})?;\n?/gm;

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

/**
 * One module for each section, by the section's title. A block sees the names of the blocks above it and may declare a
 * name again: each stands in a scope inside the one before. Imports move to the top, the same ones once.
 */
export function buildModules(file: string, blocks: readonly Block[]): Map<string, string> {
  const modules = new Map<string, string>();
  for (const section of new Set(blocks.map((block) => block.section))) {
    const members = blocks.filter((block) => block.section === section);
    const imports = new Set(members.flatMap(({ code }) => code.match(importing)?.flatMap(splitImport) ?? []));
    const bodies = members.map(({ line, code }) => `{ // ${file}:${line}\n${code.replace(importing, '')}`);
    const module = [...imports, ...bodies, '}'.repeat(members.length), 'export {};'];
    modules.set(section, `${module.join('\n')}\n`);
  }
  return modules;
}

/** An import of several names as one import a name, so that two blocks may import names of one module. */
function splitImport(statement: string): string[] {
  const text = statement.trim().replace(/\s+/g, ' ');
  const [, type = '', names, from = ''] = /^import (type )?\{ ?(.*?),? ?\} from (.*)$/.exec(text) ?? [];
  return names === undefined ? [text] : names.split(', ').map((name) => `import ${type}{ ${name} } from ${from}`);
}
