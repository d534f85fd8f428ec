import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '../../lib/printable.js';
import { systemCode } from '../../lib/system-errors.js';

/** A program that runs while the mock is served, as a shell counts: 127 if it was not found, 126 if it cannot run. */
export interface Beside {
  /** Resolves with its exit code; 128 and the signal's number if a signal ended it. */
  readonly ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program with these variables in addition to those of this process. */
export function startBeside(
  [file = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  warn: (line: string) => void,
): Beside {
  const child: ChildProcess = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  // If this process ends for a reason of its own, such as an error of the mock, the program must not stay behind.
  const follow = (): void => void child.kill();
  process.once('exit', follow);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      const code = systemCode(error);
      const why = code === 'ENOENT' ? 'was not found' : `cannot be run (${code})`;
      warn(printable(`arango-services: ${file}: ${why}`));
      resolve(code === 'ENOENT' ? 127 : 126);
    });
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
  void ended.then(() => process.off('exit', follow));
  return { ended, kill: (signal) => void child.kill(signal) };
}

/** Calls `use` with the path of a token file in a folder of its own, which is removed after it, however it ends. */
export async function withTokenFile<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await use(join(folder, 'token'));
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Splits the arguments at `--`: what is behind it is the program; undefined without `--`. */
export function splitBeside(args: readonly string[]): {
  readonly own: readonly string[];
  readonly program: readonly string[] | undefined;
} {
  const at = args.indexOf('--');
  return at < 0 ? { own: args, program: undefined } : { own: args.slice(0, at), program: args.slice(at + 1) };
}
