// Takes out of dist what no user needs: comments of the code, declarations that no entry leads to, and most of the spaces that lines
// begin with. A part of the build.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/exec.ts';
import { manifest, readSubpaths } from './lib/package.ts';
import { pruneTypes } from './lib/prune-types.ts';
import { findTemplates, indentByTabs, stripComments } from './lib/trim.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
for (const file of globSync('dist/**/*.js', { cwd: root })) {
  const code = stripComments(read(file));
  writeFileSync(join(root, file), indentByTabs(code, 2, findTemplates(code)));
}
// The second kind are the files that package.json's `imports` chooses from; this package's own sources read their types.
const entryFiles = [
  ...readSubpaths().map(({ file }) => file),
  ...Object.values(manifest.imports).flatMap(Object.values),
];
const entries = entryFiles.map((file) => file.replace(/^\.\//, '').replace(/\.js$/, '.d.ts'));
const declarations = globSync('dist/**/*.d.ts', { cwd: root });
const pruned = pruneTypes(entries, new Map(declarations.map((file) => [file, read(file)])));
for (const file of declarations) {
  const left = pruned.get(file);
  if (left === undefined) rmSync(join(root, file));
  else writeFileSync(join(root, file), indentByTabs(left, 4));
}
