import { existsSync, globSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exec, execBin, root, run } from './exec.ts';
import { npmInstall } from './tarball.ts';

/** The folders of `examples` that are projects of their own. */
export const findProjects = (): string[] =>
  globSync('examples/*/package.json', { cwd: root })
    .map((manifest) => dirname(manifest))
    .filter((project) => project !== 'examples/shared')
    .sort();

/**
 * Copies the examples of a tarball into a folder, below `examples`, and those of the clone that it does not hold.
 * Rejects with tar's own words.
 */
export async function copyExamples(tarball: string, folder: string): Promise<void> {
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1', 'package/examples']);
  const isSource = (path: string) => !/\/(?:node_modules|\.next|\.svelte-kit|\.venv|build)$/.test(path);
  for (const project of ['examples/shared', ...findProjects()].filter((name) => !existsSync(join(folder, name)))) {
    await cp(join(root, project), join(folder, project), { recursive: true, filter: isSource });
  }
}

/**
 * Runs the types and the tests of an example against the packed tarball, as another project would.
 * @param project the example's folder, copied out of the tarball together with those beside it
 * @param more checks something else in that folder
 * @returns what failed.
 */
export async function testDownstream(
  project: string,
  tarball: string,
  more: (project: string) => Promise<readonly string[]> = async () => [],
): Promise<string[]> {
  await npmInstall(project, tarball);
  const typed = existsSync(join(project, 'tsconfig.json'));
  const types = typed ? [await execBin('typescript/bin/tsc', ['-p', project])] : [];
  const tests = await exec('npm', ['test'], { cwd: project, timeout: 300_000 });
  return [...[...types, tests].flatMap(({ ok, output }) => (ok ? [] : output)), ...(await more(project))];
}
