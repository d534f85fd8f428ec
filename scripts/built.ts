// Builds, unless scripts/check.ts has done so: several scripts of package.json begin with the build.
import { spawnSync } from 'node:child_process';
import { root } from './lib/exec.ts';

if (process.env.BUILT !== '1') {
  process.exitCode = spawnSync(process.execPath, ['--run', 'build'], { cwd: root, stdio: 'inherit' }).status ?? 1;
}
