import { existsSync, globSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exec, execBin, root } from './exec.ts';
import { npmInstall } from './tarball.ts';

/** The folders of `examples` that are projects of their own. */
export const findProjects = (): string[] =>
  globSync('examples/*/package.json', { cwd: root })
    .map((manifest) => dirname(manifest))
    .sort();

/**
 * Runs the types and the tests of an example against the packed tarball, in a folder of its own, as another project
 * would.
 * @returns what failed. `more` is checked in that folder as well.
 */
export async function testDownstream(
  example: string,
  tarball: string,
  more: (project: string) => Promise<readonly string[]> = async () => [],
): Promise<string[]> {
  const project = await mkdtemp(join(tmpdir(), 'arango-services-example-'));
  try {
    // Packages that a developer installed in the example stay there, and what was built.
    const filter = (path: string) => !/node_modules|package-lock|\/dist$/.test(path.slice(join(root, example).length));
    await cp(join(root, example), project, { recursive: true, filter });
    await npmInstall(project, tarball);
    const typed = existsSync(join(project, 'tsconfig.json'));
    const types = typed ? [await execBin('typescript/bin/tsc', ['-p', project])] : [];
    const tests = await exec('npm', ['test'], { cwd: project, timeout: 300_000 });
    return [...[...types, tests].flatMap(({ ok, output }) => (ok ? [] : output)), ...(await more(project))];
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}
