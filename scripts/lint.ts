// Lints in parallel: style, unused code, regular expressions, and the named `types`, which builds first. The output of
// each is printed when it has ended, to keep outputs apart. Exits with 1 if one fails.
import { exec } from './lib/exec.ts';

const linters: Readonly<Record<string, readonly (readonly string[])[]>> = {
  style: [['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  unused: [['node_modules/knip/bin/knip.js']],
  regexps: [['scripts/check-regexps.ts']],
  ...(process.argv.includes('types') && {
    types: [
      ['--run', 'build'],
      ['--run', 'typecheck'],
    ],
  }),
};

await Promise.all(
  Object.entries(linters).map(async ([name, steps]) => {
    for (const args of steps) {
      const { ok, output } = await exec(process.execPath, args);
      if (output !== '') console.log(output);
      if (ok) continue;
      console.error(`${name} failed`);
      process.exitCode = 1;
      return;
    }
  }),
);
