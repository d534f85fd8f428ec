import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findReportFaults, formatReport, namesFile, reportFileOf, reportFolder } from '../scripts/lib/api-reports.ts';
import { createReader } from '../scripts/lib/declarations.ts';
import { root } from '../scripts/lib/exec.ts';
import { compiledTypes } from '../scripts/lib/join-types.ts';
import { firstSentence } from '../scripts/lib/names-page.ts';
import { experimental, readSubpaths } from '../scripts/lib/package.ts';

const subpaths = readSubpaths();
const reader = createReader();
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the API report', () => {
  test('of each subpath is in the repository, and there is no other', () => {
    const files = globSync('*', { cwd: join(root, reportFolder) });
    expect(files.sort()).toEqual([namesFile, ...subpaths.map(({ specifier }) => reportFileOf(specifier))].sort());
  });

  // API Extractor compares every letter in `npm run check`; this fails in seconds, and without an install.
  test.each(subpaths)(
    'of $specifier has the names that the subpath exports, and says if it is stable',
    ({ specifier, file }) => {
      const report = read(`${reportFolder}/${reportFileOf(specifier)}`);
      const reported = [
        ...[...report.matchAll(/^export (?:abstract |const |class |function |interface |type |let )+([\w$]+)/gm)],
        ...[...report.matchAll(/^export \{ (?:[\w$]+ as )?([\w$]+) \}/gm)],
      ].map(([, name = '']) => name);
      const exported = reader.exportedBy(compiledTypes(file)).map(({ name }) => name);
      expect([...new Set(reported)].sort()).toEqual([...new Set(exported)].sort());
      expect(report).toContain(experimental.includes(specifier) ? '\nExperimental.' : '\nStable.');
    },
  );

  test('lists each name with its subpaths and a sentence about it', () => {
    const rows = read(`${reportFolder}/${namesFile}`).matchAll(/^\| `([\w$]+)` \| `([^`]+)` \| (.*) \|$/gm);
    const listed = [...rows].map(([, name, specifier, summary = '']) => {
      expect(summary, name).toMatch(/^\S.{9}/);
      return `${specifier} ${name}`;
    });
    const exported = subpaths.flatMap(({ specifier, file }) =>
      reader.exportedBy(compiledTypes(file)).map(({ name }) => `${specifier} ${name}`),
    );
    expect(listed.sort()).toEqual([...new Set(exported)].sort());
  });

  test.each([
    ['/** Reads `a.b` of it. And more. */', 'Reads `a.b` of it.'],
    ['/**\n * Reads\n * {@link Place}s | sets\n * @param a text\n */\n', 'Reads `Place`s \\| sets'],
    ['/** @see x */', ''],
  ])('takes the first sentence of %j', (doc, sentence) => expect(firstSentence(doc)).toBe(sentence));

  test('marks a class that the subpath exports as a type only', () => {
    const report = '```ts\nexport class A {\n}\n\nexport class B {\n}\n```\n';
    const marked = formatReport('arango-services/a', report, 'export { type A, B, type C as D };');
    expect(marked).toContain('// A type only: the subpath exports no class.\nexport class A {');
    expect(marked).toContain('}\n\nexport class B {');
    expect(read('api/routes.md')).toMatch(/^\/\/ A type only: .*\nexport class Route</m);
    expect(read('api/index.md')).not.toMatch(/^\/\/ A type only: .*\nexport class Route</m);
  });

  test('differs by the lines that were removed and added, and names its file', () => {
    const report = (line: string) => `# a\n${line}\nlast\n`;
    const find = (built: Record<string, string>, committed: Record<string, string>) =>
      findReportFaults(new Map(Object.entries(built)), new Map(Object.entries(committed)));
    expect(find({ 'a.md': report('x') }, { 'a.md': report('x') })).toEqual([]);
    expect(find({ 'a.md': report('x') }, { 'a.md': report('y') })).toEqual(['api/a.md', '  - y', '  + x']);
    expect(find({ 'a.md': report('x') }, {})).toEqual(['api/a.md is missing']);
    expect(find({}, { 'a.md': report('x') })).toEqual(['api/a.md belongs to no subpath']);
    expect(find({ 'a.md': 'x\ny' }, { 'a.md': 'y\nx' })).toEqual(['api/a.md', expect.stringContaining('order')]);
  });
});

test.each(subpaths)(
  'the types of $specifier begin with @experimental if the subpath is experimental',
  ({ specifier, file }) => {
    const [head = ''] = read(file.replace(/\.js$/, '.d.ts')).split('*/');
    expect(/\* @experimental\n/.test(head)).toBe(experimental.includes(specifier));
  },
);
