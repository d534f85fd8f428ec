// Takes out of the built types what no user needs: declarations that no entry leads to, and most of the spaces that
// lines begin with. A part of the build.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/exec.ts';
import { manifest, readSubpaths } from './lib/package.ts';
import { pruneTypes } from './lib/prune-types.ts';

const tsWidth = 4;

// The second kind are the files that package.json's `imports` chooses from; this package's own sources read their
// types.
const entryFiles = [
  ...readSubpaths().map(({ file }) => file),
  ...Object.values(manifest.imports).flatMap(Object.values),
];
const entries = entryFiles.map((file) => file.replace(/^\.\//, '').replace(/\.js$/, '.d.ts'));
const files = globSync('dist/**/*.d.ts', { cwd: root });
const pruned = pruneTypes(entries, new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
const indent = new RegExp(`^(?: {${tsWidth}})+`, 'gm');
for (const file of files) {
  const left = pruned.get(file);
  if (left === undefined) rmSync(join(root, file));
  else
    writeFileSync(
      join(root, file),
      left.replace(indent, (spaces) => '\t'.repeat(spaces.length / tsWidth)),
    );
}
