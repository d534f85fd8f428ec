// examples/jest from the packed tarball, as another project would run it. Exit 1 when one of its tests fails.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, root } from './lib/exec.ts';
import { installTarball, npmInstall } from './lib/tarball.ts';

const folder = await mkdtemp(join(tmpdir(), 'arango-services-jest-'));
try {
  const tarball = await installTarball(folder);
  const project = join(folder, 'example');
  // What a developer installed in the example stays there.
  const example = join(root, 'examples/jest');
  const isSource = (path: string): boolean => !/node_modules|package-lock/.test(path.slice(example.length));
  await cp(example, project, { recursive: true, filter: isSource });
  await npmInstall(project, tarball);
  const { ok, output } = await exec('npm', ['test'], { cwd: project, timeout: 300_000 });
  console.log(output.replace(/^npm warn.*\n/gm, ''));
  process.exitCode = ok ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
