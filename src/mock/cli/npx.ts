import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

// npx starts a shell, and the shell this process. Signals that end npx end the shell at most, and a killed npx leaves
// both behind: nothing reaches this process, so it looks for itself whether the two are still there.

/** The name of a process and its parent, where the system says so. */
interface Ancestor {
  readonly name: string;
  readonly parent: number;
}

/** Reads it from `/proc`, where there is one. */
function readProc(pid: number): Ancestor | undefined {
  try {
    // "5485 (sh) S 5465 …"; a name may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(text.slice(end).split(' ')[2]) };
  } catch {
    return undefined;
  }
}

/** Asks `ps`, as far as there is one. */
async function askPs(pid: number): Promise<Ancestor | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,comm=', '-p', String(pid)]);
    const [, parent, name = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether npx itself runs this command; programs that it runs may have started it and go on without it. */
const isRunByNpx = ({ npm_lifecycle_event: event, npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean =>
  event === 'npx' && /^["']?arango-services\b/.test(script);

const shell = /^(?:.*\/)?-?(?:ba|da|a|z|k)?sh$|busybox/;
const everyMs = 250;

/** Calls `ended` once the npx that runs this command has ended, however it did. Without npx it never does. */
export async function watchNpx(env: NodeJS.ProcessEnv, ended: () => void): Promise<void> {
  if (!isRunByNpx(env)) return;
  const { ppid } = process;
  const parent = readProc(ppid) ?? (await askPs(ppid));
  // Some shells become what they start: then the parent is npx.
  const npx = parent !== undefined && shell.test(parent.name) ? parent.parent : ppid;
  const isThere = (): boolean => {
    if (process.ppid !== ppid) return false;
    const now = npx === ppid ? undefined : readProc(ppid);
    return now === undefined ? isAlive(npx) : now.parent === npx;
  };
  const timer = setInterval(() => {
    if (isThere()) return;
    clearInterval(timer);
    ended();
  }, everyMs).unref();
}
