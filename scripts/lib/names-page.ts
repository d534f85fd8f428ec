import { createReader, type Reader } from './declarations.ts';
import { parseStatements, type Statement } from './declared.ts';
import { textOf } from './doc-coverage.ts';
import { compiledTypes } from './join-types.ts';
import type { Subpath } from './package.ts';

interface NameRow {
  readonly name: string;
  readonly specifier: string;
  readonly summary: string;
}

type StatementsOf = (file: string) => readonly Statement[];

/** The first sentence of a docstring, on one line of Markdown; nothing if it begins with a tag. */
export function firstSentence(doc: string): string {
  const line = textOf(doc)
    .replace(/\{@link ([^}|]+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;');
  return /^.*?[.:](?= [A-Z`]|$)/.exec(line)?.[0] ?? line;
}

function readRows({ specifier, file }: Subpath, reader: Reader, statementsOf: StatementsOf): NameRow[] {
  const summaries = new Map(
    reader.exportedBy(compiledTypes(file)).map((place) => {
      const docs = statementsOf(place.file).filter(({ name }) => name === place.name);
      return [place.name, docs.map(({ doc }) => firstSentence(doc)).find((summary) => summary !== '') ?? ''];
    }),
  );
  return [...summaries].map(([name, summary]) => ({ name, specifier, summary }));
}

/** The page of all public names in the order of the alphabet, each with its subpath and the first sentence about it. */
export function formatNames(subpaths: readonly Subpath[], read: (file: string) => string): string {
  const reader = createReader(read);
  const parsed = new Map<string, readonly Statement[]>();
  const statementsOf: StatementsOf = (file) => {
    const statements = parsed.get(file) ?? parseStatements(read(file));
    parsed.set(file, statements);
    return statements;
  };
  const rows = subpaths
    .flatMap((subpath) => readRows(subpath, reader, statementsOf))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.specifier.localeCompare(b.specifier, 'en'))
    .map(({ name, specifier, summary }) => `| \`${name}\` | \`${specifier}\` | ${summary} |`);
  return `# Every public name\n\nWritten by \`npm run api\`.\n\n| name | from | what it is |\n|---|---|---|\n${rows.join('\n')}\n`;
}
