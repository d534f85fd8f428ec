import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../../../src/tools/command/run-command.ts';
import type { Surroundings } from '../../../../src/tools/command/shared/surroundings.ts';

/** Runs the command in this process, without a terminal. */
export async function inProcess(args: readonly string[], changes: Partial<Surroundings> = {}) {
  let out = '';
  let err = '';
  const code = await run(args, {
    env: {},
    stdin: Readable.from([]),
    stdout: {
      write(text) {
        out += text;
      },
    },
    stderr: {
      write(text) {
        err += text;
      },
    },
    signal: new AbortController().signal,
    ...changes,
  });
  return { code, out, err };
}

/** Runs `permissions` in this process. */
export const permissions = (args: readonly string[], changes?: Partial<Surroundings>) =>
  inProcess(['permissions', ...args], changes);

/**
 * Runs `permissions` in this process over the files of a folder, which it names as a process with this working directory
 * does. Quicker than a process.
 */
export async function inFolder(args: readonly string[], folder: string) {
  const place = (arg: string) => (/^[\w-]+\.(?:json|yaml)$|^token$/.test(arg) ? join(folder, arg) : arg);
  const isNew = !args.some((arg) => arg === '--file' || arg === 'plan.json') || args.includes('--out');
  const file = isNew ? ['--file', 'permissions.yaml'] : [];
  const { code, out, err } = await permissions([...args, ...file].map(place));
  return { code, out: out.replaceAll(`${folder}/`, ''), err: err.replaceAll(`${folder}/`, '') };
}
