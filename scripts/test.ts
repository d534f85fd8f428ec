// The rest of `npm test`: lint beside build and types, then the unit tests that a pull request needs; arguments go to
// Vitest, and with a name of files all of these run. With `--changed` only the tests run that reach what changed since
// the last commit, without lint, build and types.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/exec.ts';
import { releaseTests } from './lib/release-tests.ts';

const args = process.argv.slice(2);
const run = (...words: string[]) => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status === 0;

const isPart = args.some((arg) => arg.startsWith('--changed'));
const isNamed = args.some((arg) => !arg.startsWith('-'));
const isFine = isPart || run(join(root, 'scripts/lint.ts'), 'types');
const without = isNamed ? [] : releaseTests.flatMap((file) => ['--exclude', file]);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
if (!isFine || !run(vitest, 'run', '--project', 'unit', ...without, ...args)) process.exitCode = 1;
