import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

// npx starts a shell, which starts this process. Signals that end npx reach the shell at most, and a killed npx orphans
// both. Nothing reaches this process, so it polls whether the two still exist.

/** The name of a process and its parent, if known. */
type Ancestor = { readonly name: string; readonly parent: number };

/** Reads a process from `/proc`, if there is one. */
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

/** Reads a process from `ps`, if there is one. */
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

/** True if npx itself runs this command. A program run by npx may also start a mock and outlive npx. */
const isRunByNpx = ({ npm_lifecycle_event: event, npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean =>
  event === 'npx' && /^["']?arango-services\b/.test(script);

const shell = /^(?:.*\/)?-?(?:ba|da|a|z|k)?sh$|busybox/;
const everyMs = 250;

/** Calls `ended` once the npx that runs this command has ended, for any reason; never without npx. */
export async function watchNpx(env: NodeJS.ProcessEnv, ended: () => void): Promise<void> {
  if (!isRunByNpx(env)) return;
  const { ppid } = process;
  const parent = readProc(ppid) ?? (await askPs(ppid));
  // Some shells replace themselves with the command: then the parent is npx.
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
