// Writes the tables of docs/mock.md, and that of versions in docs/wire.md (`npm run tables`).
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { root } from './lib/exec.ts';
import { writeMarked } from './lib/marked.ts';

// Bundled, because the sources import each other by the names of the built files.
const { outputFiles } = await build({
  entryPoints: [`${root}scripts/lib/mock-tables.ts`],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  write: false,
});
const made: typeof import('./lib/mock-tables.ts') = await import(
  `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
);
const page = 'docs/mock.md';
const faults = made.formatFaults(readFileSync(root + made.faultSource, 'utf8'));
await writeMarked('faults', 'tables', faults, page);
await writeMarked('flags', 'tables', made.formatSettingFlags(), page);
await writeMarked('versions', 'tables', made.formatVersions(), 'docs/wire.md');
