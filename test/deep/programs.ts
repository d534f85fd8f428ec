import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { findNode, findPackaged, oldestNode } from '../../scripts/lib/scratch.ts';

const { platform, arch } = process;

/** The runtimes of programs, with the flags that each needs. */
const runtimes: Readonly<Record<string, readonly [find: () => Promise<string>, ...flags: string[]]>> = {
  Node: [async () => process.execPath],
  [`Node ${oldestNode}`]: [() => findNode(oldestNode)],
  Bun: [() => findPackaged(`@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`, '1.4.5', 'bin/bun')],
  Deno: [
    () => findPackaged(`@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, '2.9.6', 'deno'),
    'run',
    '--allow-all',
    '--node-modules-dir=manual',
  ],
};

/** Bundles a program that imports `./src/….ts`, and starts it; `argument` is its first one, as JSON. */
export async function startProgram(
  runtime: string,
  program: string,
  argument: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcess> {
  const [find, ...flags] = runtimes[runtime] ?? [];
  if (find === undefined) throw new Error(`no runtime ${runtime}`);
  const binary = await find();
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
  });
  // Below the root, so that the packages are found.
  await mkdir(join(root, 'reports'), { recursive: true });
  const folder = await mkdtemp(join(root, 'reports/program-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, outputFiles[0]?.text ?? '');
  const child = spawn(binary, [...flags, file, JSON.stringify(argument)], { cwd: root, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The end of a program. */
export interface Ended {
  /** Null if it did not end by itself. */
  readonly status: number | null;
  readonly errors: string;
  readonly output: string;
}

/** Waits for the end of a program, by default at most a minute. */
export async function endOf(child: ChildProcess, onOutput?: (output: string) => void, mostMs = 60_000): Promise<Ended> {
  const stop = setTimeout(() => child.kill('SIGKILL'), mostMs);
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    onOutput?.(output);
  });
  const [status] = await once(child, 'close');
  clearTimeout(stop);
  return { status, errors, output };
}
