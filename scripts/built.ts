// Builds, unless scripts/check.ts has done so, or dist is what a build of the same files wrote: several scripts of
// package.json begin with the build.
import { spawnSync } from 'node:child_process';
import { root } from './lib/exec.ts';
import { hashFiles, unlessPassed } from './lib/passed.ts';

/** What a build reads, all in all. */
const source = /^(?:src|scripts)\/|^(?:package(?:-lock)?\.json|ts(?:config.*\.json|up\.config\.ts)|proto\/)/;

if (process.env.BUILT !== '1') {
  const build = async () =>
    spawnSync(process.execPath, ['--run', 'build'], { cwd: root, stdio: 'inherit' }).status === 0;
  const files = new Map([...hashFiles()].filter(([file]) => source.test(file)));
  if (!(await unlessPassed('build', build, { files, output: ['dist/**/*.*'] }))) process.exitCode = 1;
}
