import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

interface Result {
  readonly ok: boolean;
  /** stdout and stderr, in this order. */
  readonly output: string;
  readonly stdout: string;
}

/** Runs a program to its end and returns its output; a failed program is a result, not a rejection. */
export function exec(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly timeout?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Result> {
  const { cwd = root, timeout = 0, env } = options;
  return new Promise((done) => {
    execFile(file, args, { cwd, timeout, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const why = error === null || stdout !== '' || stderr !== '' ? '' : error.message;
      done({ ok: error === null, stdout, output: [stdout.trim(), stderr.trim(), why].filter(Boolean).join('\n') });
    });
  });
}

/** Runs a program to its end and returns what it wrote to stdout. Rejects with its output if it fails. */
export async function run(file: string, args: readonly string[], cwd: string = root): Promise<string> {
  const { ok, stdout, output } = await exec(file, args, { cwd });
  if (!ok) throw new Error(output);
  return stdout;
}

/** Runs a program of the repository's node_modules with the Node that runs this script. */
export function execBin(script: string, args: readonly string[], cwd: string = root) {
  return exec(process.execPath, [`${root}node_modules/${script}`, ...args], { cwd });
}
