// Runs scripts of package.json beside each other: `node scripts/beside.ts lint:style lint:unused`. What one says is
// printed when it has ended, so that the texts do not mix. Exit 1 when one fails.
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
