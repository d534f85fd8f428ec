import { Readable } from 'node:stream';
import { run } from '../../../src/command/run.ts';
import type { Surroundings } from '../../../src/command/surroundings.ts';

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
