// Runs scripts of package.json in parallel: `node scripts/beside.ts lint:style lint:unused`. The output of each is
// printed when it has ended, to keep outputs apart. Exits with 1 if one fails.
import { exec } from './lib/exec.ts';

await Promise.all(
  process.argv.slice(2).map(async (name) => {
    const { ok, output } = await exec(process.execPath, ['--run', name]);
    if (output !== '') console.log(output);
    if (ok) return;
    console.error(`${name} failed`);
    process.exitCode = 1;
  }),
);
