// The rest of `npm test`: lint beside build and types, then the unit tests that a pull request needs; arguments go to
// Vitest, and with a name of files all of these run. With `--changed` only the tests run that reach what changed since
// the last commit, without lint, build and types.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/exec.ts';

const args = process.argv.slice(2);
const isNamed = args.some((arg) => !arg.startsWith('-'));
// Read by vitest.config.ts, since Vitest's own `--exclude` does not reach its projects.
const env = { ...process.env, RELEASE_TESTS: isNamed ? 'with' : 'without' };
const run = (...words: string[]) =>
  spawnSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' }).status === 0;

const isPart = args.some((arg) => arg.startsWith('--changed'));
const isFine = isPart || run(join(root, 'scripts/lint.ts'), 'types');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
if (!isFine || !run(vitest, 'run', '--project', 'unit', ...args)) process.exitCode = 1;
