// Long runs: each unit test file alone, the tests of test/deep, 300 rounds of sessions in tabs, the site in three
// browsers, drivers in other languages, services of FastAPI, NestJS, Spring and Next.js, then the mutation tests of each
// room. Exit 1 when one fails.
import { spawnSync } from 'node:child_process';
import { root } from './lib/exec.ts';

process.env.ROUNDS = '300';
process.env.THOROUGH = '1';
process.env.SITE_BROWSERS = 'all';

const steps = [
  ['scripts/check-alone.ts'],
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'deep'],
  ['scripts/browser-tests.ts', 'tabs'],
  ['scripts/site.ts', '--check'],
  ['scripts/check-drivers.ts'],
  ['scripts/check-fastapi.ts'],
  ['scripts/check-spellings.ts'],
  ['scripts/check-next.ts'],
  ['scripts/mutate.ts'],
];

for (const [program = '', ...args] of steps) {
  console.log(`\ncheck:deep: ${program.split('/').at(-1)} ${args.join(' ')}`);
  const path = `${root}${program}`;
  const { status } = spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
