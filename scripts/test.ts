// The rest of `npm test`: lint beside build and types, then the unit tests that a pull request needs; arguments go to
// Vitest, and with a name of files all of these run. With `--changed` only the tests run that reach what changed since
// the last commit (or since another: `--changed=main`), without lint, build and types.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedFiles, isImported } from './lib/changed-files.ts';
import { root } from './lib/exec.ts';
import { reachedTests } from './lib/reached-tests.ts';
import { releaseTests } from './lib/release-tests.ts';

const args = process.argv.slice(2);
const isNamed = args.some((arg) => !arg.startsWith('-'));
// Read by vitest.config.ts, since Vitest's own `--exclude` does not reach its projects.
const env = { ...process.env, RELEASE_TESTS: isNamed ? 'with' : 'without' };
const run = (...words: string[]) =>
  spawnSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' }).status === 0;

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const since = args.find((arg) => /^--changed(?:=|$)/.test(arg));

/** The arguments of Vitest: the tests that reach a change are named, since Vitest finds all that load the file. */
function testArguments(): string[] {
  if (since === undefined) return args;
  const [, commit = 'HEAD'] = since.split('=');
  const changed = changedFiles(root, commit);
  const settings = readFileSync(join(root, 'vitest.config.ts'), 'utf8');
  // Vitest knows what a change of package.json means, and of a setup file.
  if (!changed.every((file) => isImported(file, settings) && existsSync(join(root, file)))) return args;
  const files = globSync('{src,test,scripts}/**/*.{ts,tsx}', { cwd: root });
  const codes = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const tests = reachedTests(codes, changed).filter((file) => isNamed || !releaseTests.includes(file));
  console.log(`npm test: ${tests.length} test files reach what changed`);
  // One that matches nothing, since Vitest runs everything without a name.
  const names = tests.length > 0 ? tests.map((file) => join(root, file)) : ['no test file'];
  return [...args.filter((arg) => arg !== since), '--passWithNoTests', ...names];
}

if (since === undefined) {
  console.log('npm test: lint, build and types, then the unit tests: 2 to 4 minutes on two cores');
}
const isFine = since !== undefined || run(join(root, 'scripts/lint.ts'), 'types');
if (!isFine || !run(vitest, 'run', '--project', 'unit', ...testArguments())) process.exitCode = 1;
