import { join } from 'node:path';
import type { Outcome } from '../../test/runtimes/run.ts';
import { exec } from '../lib/exec.ts';
import { findNode, findPackaged, oldestNode } from '../lib/scratch.ts';
import { bundleProgram } from './bundles.ts';
import { startControl } from './control.ts';
import { startDeployment } from './deployment.ts';
import type { Found, Runtime } from './runtime.ts';

const { platform, arch } = process;

/** A program that runs JavaScript: where its binary comes from, and how it is told to run a file. */
function program(name: string, version: string, find: () => Promise<string>, flags: readonly string[] = []): Runtime {
  return {
    name,
    version,
    async run(consumer) {
      const binary = await find();
      await bundleProgram('process', consumer);
      await using control = await startControl();
      await using deployment = await startDeployment();
      const run = async (mode: string, argument = control.url): Promise<Outcome> => {
        const args = [...flags, join(consumer, 'program-process.mjs'), mode, argument];
        const { ok, stdout, output } = await exec(binary, args, { cwd: consumer, timeout: 180_000 });
        if (!ok) throw new Error(`${mode}: ${output.slice(-1_000)}`);
        return JSON.parse(stdout.trim().split('\n').at(-1) ?? ''); // Printed by entry-process.ts.
      };
      const found: Found = {
        version,
        memory: await run('memory'),
        port: await run('port'),
        job: await run('job', JSON.stringify(deployment.place)),
        hosted: { 'mock.fetch': await run('hosted'), 'a port': await run('hosted-port') },
      };
      return found;
    },
  };
}

const node = (version: string) => program('Node', version, () => findNode(version));

const bunName = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const denoName = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;

export const processes: readonly Runtime[] = [
  node(oldestNode),
  program('Node', process.versions.node, async () => process.execPath),
  node('26.9.0'),
  program('Bun', '1.4.5', () => findPackaged(bunName, '1.4.5', 'bin/bun')),
  program('Deno', '2.9.6', () => findPackaged(denoName, '2.9.6', 'deno'), [
    'run',
    '--allow-all',
    '--node-modules-dir=manual',
  ]),
];
