import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, execBin, root } from './exec.ts';

const example = join(root, 'examples/downstream-tests');
// What a developer installed in the example stays there.
const isSource = (path: string): boolean => !/node_modules|package-lock/.test(path.slice(example.length));

/** Runs the tests of examples/downstream-tests against the packed tarball, in a folder of its own, as another project would. */
export async function testDownstream(tarball: string): Promise<string[]> {
  const project = await mkdtemp(join(tmpdir(), 'arango-services-downstream-'));
  try {
    await cp(example, project, { recursive: true, filter: isSource });
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    const installed = await exec('npm', ['install', ...flags, tarball], { cwd: project });
    if (!installed.ok) return [installed.output];
    const types = await execBin('typescript/bin/tsc', ['-p', project]);
    const vitest = join(project, 'node_modules/vitest/vitest.mjs');
    const tests = await exec(process.execPath, [vitest, 'run'], { cwd: project, timeout: 120_000 });
    return [types, tests].flatMap(({ ok, output }) => (ok ? [] : output));
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}
