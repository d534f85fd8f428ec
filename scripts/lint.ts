// Lints in parallel: style, unused code, regular expressions, and the named `types`, which builds first. What has passed
// before with the same files is not done again. The output of each is printed when it has ended, to keep outputs apart.
// Exits with 1 if one fails.
import { exec } from './lib/exec.ts';
import { hashFiles, overChanged, unlessPassed } from './lib/passed.ts';

/** Runs a program and prints its output. True if it passes. */
async function passes(...args: readonly string[]): Promise<boolean> {
  const { ok, output } = await exec(process.execPath, args);
  if (output !== '') console.log(output);
  return ok;
}

const biome = [
  'node_modules/@biomejs/biome/bin/biome',
  'check',
  '--no-errors-on-unmatched',
  '--files-ignore-unknown=true',
];
/** So many files are as quickly found by biome itself. */
const most = 500;

const files = hashFiles();
const linters: Readonly<Record<string, () => Promise<boolean>>> = {
  style: () => overChanged('style', files, (changed) => passes(...biome, ...(changed.length > most ? ['.'] : changed))),
  unused: () => unlessPassed('unused', () => passes('node_modules/knip/bin/knip.js'), { files }),
  regexps: () => unlessPassed('regexps', () => passes('scripts/check-regexps.ts'), { files }),
  ...(process.argv.includes('types') && {
    types: async () =>
      (await passes('scripts/built.ts')) && unlessPassed('types', () => passes('--run', 'typecheck'), { files }),
  }),
};

await Promise.all(
  Object.entries(linters).map(async ([name, lint]) => {
    if (await lint()) return;
    console.error(`${name} failed`);
    process.exitCode = 1;
  }),
);
