// Writes the public surface of each subpath, as the built types have it, into api (`npm run api`), so that a review sees
// each change of it. With `--check` it compares instead, and exits with 1 and the differences.
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findReportFaults, makeReports, reportFolder } from './lib/api-reports.ts';
import { root } from './lib/exec.ts';

const unknown = process.argv.slice(2).filter((argument) => argument !== '--check');
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}; --check is the only option`);

const folder = join(root, reportFolder);
const reports = await makeReports();
if (process.argv.includes('--check')) {
  const committed = new Map(
    globSync('*.md', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  const faults = findReportFaults(reports, committed);
  if (faults.length > 0) {
    console.error(`api: the reports differ from the built types; run \`npm run api\` and review the changes:`);
    console.error(faults.join('\n'));
    process.exitCode = 1;
  }
} else {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [file, text] of reports) await writeFile(join(folder, file), text);
}
console.log(`api: ${reports.size} reports`);
