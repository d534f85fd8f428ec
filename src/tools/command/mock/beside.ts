import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { quietly } from '../../../base/lib/quietly.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { printable } from '../../../base/lib/text/printable.js';
import { longestTimerMs } from '../../../base/lib/wait.js';

/** A program that runs while the mock is served, as a shell counts: 127 if it was not found, 126 if it cannot run. */
export interface Beside {
  /** Resolves with the program's exit code; 128 and the signal's number if a signal ended it. */
  readonly ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

/** Variables of another deployment's sidecar, which a program must not take for the mock's. */
const ofSidecar = /^(?:INTEGRATION_(?:HTTP|SERVICE)_|ARANGO_(?:DEPLOYMENT_|TOKEN$))/;

/** This process's variables without those of another deployment, and the given ones. */
const environment = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofSidecar.test(name))),
  ...variables,
});

/** Starts a program with these variables in addition to those of this process. */
export function startBeside(
  [file = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  warn: (line: string) => void,
): Beside {
  const refuse = (error: unknown): number => {
    const code = systemCode(error);
    const why = code === 'ENOENT' ? 'was not found' : `cannot be run (${code})`;
    warn(printable(`arango-services: ${file}: ${why}`));
    return code === 'ENOENT' ? 127 : 126;
  };
  let child: ChildProcess;
  try {
    child = spawn(file, args, { stdio: 'inherit', env: environment(variables) });
  } catch (error) {
    // Node throws some errors of the system, such as ENOTDIR and E2BIG, and reports others.
    return { ended: Promise.resolve(refuse(error)), kill: () => undefined };
  }
  // If this process ends for a reason of its own, such as an error of the mock, the program must not stay behind.
  const follow = (): void => void child.kill();
  process.once('exit', follow);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => resolve(refuse(error)));
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
  void ended.then(() => process.off('exit', follow));
  return { ended, kill: (signal) => void child.kill(signal) };
}

/**
 * Calls `use` with the path of a token file in a folder of its own. The folder is removed afterwards, in any case.
 * @throws Error for people if the folder cannot be made.
 */
export async function withTokenFile<T>(use: (file: string) => Promise<T>): Promise<T> {
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  } catch (error) {
    throw new Error(`${tmpdir()}: no folder for the token can be made there (${systemCode(error)}); see TMPDIR`);
  }
  // A renewal may still be writing.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  try {
    return await use(join(folder, 'token'));
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Renews a token in the middle of its life, for as long as this process runs, as the sidecar of a pod does. */
export function renewToken(lifetimeMs: number, renew: () => Promise<unknown>): void {
  setInterval(() => quietly(renew), Math.min(lifetimeMs / 2, longestTimerMs)).unref();
}

/** Splits the arguments at `--`: what is behind it is the program; undefined without `--`. */
export function splitBeside(args: readonly string[]): {
  readonly own: readonly string[];
  readonly program: readonly string[] | undefined;
} {
  const at = args.indexOf('--');
  return at < 0 ? { own: args, program: undefined } : { own: args.slice(0, at), program: args.slice(at + 1) };
}
