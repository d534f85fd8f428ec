import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractReports } from './api-extractor.ts';
import { root } from './exec.ts';
import { formatNames } from './names-page.ts';
import { experimental, readSubpaths } from './package.ts';

/** The folder of the reports in the repository. */
export const reportFolder = 'api';

/** The page of all names in `reportFolder`. */
export const namesFile = 'names.md';

/** The report of a subpath in `reportFolder`, by its specifier: `mock-node.md` of `arango-services/mock/node`. */
export const reportFileOf = (specifier: string): string => `${specifier.split('/').slice(1).join('-') || 'index'}.md`;

/** The names that a module exports as types only: API Extractor shows such a class like any other. */
const typesOnly = (types: string): readonly string[] =>
  [...types.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/\btype (?:[\w$]+ as )?([\w$]+)/g)].map(([, name = '']) => name),
  );

/** The report in the words of this project: its declarations only. */
export function formatReport(specifier: string, report: string, types: string): string {
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(report) ?? [];
  if (code === undefined) throw new Error(`API Extractor wrote no declarations for ${specifier}`);
  const declarations = code
    .replace(/^\/\/ \(No @packageDocumentation .*\n/m, '')
    // Every export is public, and the state of the subpath stands at the top.
    .replace(/^\/\/ @public(?: |\n)/gm, (tag) => (tag.endsWith('\n') ? '' : '// '))
    .replace(/^ *\/\/ \(undocumented\)\n/gm, '')
    .replace(/^export (?:abstract )?class ([\w$]+)/gm, (line, name) =>
      typesOnly(types).includes(name) ? `// A type only: the subpath exports no class.\n${line}` : line,
    )
    .trim();
  const state = experimental.includes(specifier) ? 'Experimental' : 'Stable';
  return `# ${specifier}\n\n${state}. Written by \`npm run api\`.\n\n\`\`\`ts\n${declarations}\n\`\`\`\n`;
}

/** Makes the report of each subpath from the built types, and the page of all names: a text by its file in `reportFolder`. */
export async function makeReports(): Promise<Map<string, string>> {
  const subpaths = readSubpaths();
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const extracted = await extractReports(subpaths);
  const reports = subpaths.map(({ specifier, file }): [string, string] => [
    reportFileOf(specifier),
    formatReport(specifier, extracted.get(specifier) ?? '', read(file.replace(/\.js$/, '.d.ts'))),
  ]);
  return new Map([...reports, [namesFile, formatNames(subpaths, read)]]);
}

/** The lines of a text that another one lacks, each behind a sign. */
function linesOnlyIn(text: string, other: string, sign: string): string[] {
  const lines = new Set(other.split('\n'));
  return text.split('\n').flatMap((line) => (lines.has(line) ? [] : [`  ${sign} ${line}`]));
}

/** The differences of the reports of the built types and those of the repository, both by file; empty if they agree. */
export function findReportFaults(built: ReadonlyMap<string, string>, committed: ReadonlyMap<string, string>): string[] {
  const files = [...new Set([...built.keys(), ...committed.keys()])].sort();
  return files.flatMap((file) => {
    const [now = '', before = ''] = [built.get(file), committed.get(file)];
    if (now === before) return [];
    const where = `${reportFolder}/${file}`;
    if (before === '') return [`${where} is missing`];
    if (now === '') return [`${where} belongs to no subpath`];
    const lines = [...linesOnlyIn(before, now, '-'), ...linesOnlyIn(now, before, '+')];
    return [where, ...(lines.length > 0 ? lines : ['  lines are in another order, or more often'])];
  });
}
