import { createReader, type Reader } from './declarations.ts';
import { parseStatements } from './declared.ts';
import { compiledTypes } from './join-types.ts';
import type { Subpath } from './package.ts';

interface NameRow {
  readonly name: string;
  readonly specifier: string;
  readonly summary: string;
}

/** The first sentence of a docstring, on one line of Markdown; nothing if it begins with a tag. */
export function firstSentence(doc: string): string {
  const [text = ''] = doc
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\{@link ([^}|]+)\}/g, '`$1`')
    .trim()
    .split(/(?:^|\s)@[a-z]/);
  const line = text.replace(/\s+/g, ' ').replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
  return /^.*?[.:](?= [A-Z`]|$)/.exec(line)?.[0] ?? line;
}

function readRows({ specifier, file }: Subpath, reader: Reader, read: (file: string) => string): NameRow[] {
  const summaries = new Map(
    reader.exportedBy(compiledTypes(file)).map((place) => {
      const docs = parseStatements(read(place.file)).filter(({ name }) => name === place.name);
      return [place.name, docs.map(({ doc }) => firstSentence(doc)).find((summary) => summary !== '') ?? ''];
    }),
  );
  return [...summaries].map(([name, summary]) => ({ name, specifier, summary }));
}

/** The page of all public names in the order of the alphabet, each with its subpath and the first sentence about it. */
export function formatNames(subpaths: readonly Subpath[], read: (file: string) => string): string {
  const reader = createReader(read);
  const rows = subpaths
    .flatMap((subpath) => readRows(subpath, reader, read))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.specifier.localeCompare(b.specifier, 'en'))
    .map(({ name, specifier, summary }) => `| \`${name}\` | \`${specifier}\` | ${summary} |`);
  return `# Every public name\n\nWritten by \`npm run api\`.\n\n| name | from | what it is |\n|---|---|---|\n${rows.join('\n')}\n`;
}
