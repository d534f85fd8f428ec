import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import { isThorough } from '../../../support/thorough.ts';
import { permissions } from './in-process.ts';

const built = `${root}dist/command/index.js`;
/** The compiled code of processes stays for the next ones, which takes a seventh from the time of a start. */
const NODE_COMPILE_CACHE = `${root}node_modules/.cache/commands`;
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type Variables = Readonly<Record<string, string>>;

/** The exit code of a process, and its output. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process, with its output so far. */
export class Running {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly #closed: Promise<unknown>;

  constructor(file: string, args: readonly string[], cwd: string, env: Variables) {
    this.child = spawn(file, args, { cwd, env: { NODE_COMPILE_CACHE, ...env } });
    this.#closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.out += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.err += text;
    });
    onTestFinished(async () => {
      this.child.kill('SIGKILL');
      await this.#closed;
    });
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Waits until its output, of both streams, matches. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.out) ?? pattern.exec(this.err);
      if (found) return found;
      if (this.child.exitCode !== null) {
        throw new Error(`it ended before it printed ${pattern}:\n${this.out}\n${this.err}`);
      }
      const outputs = [this.child.stdout, this.child.stderr].flatMap((one) => one ?? []);
      await Promise.race([...outputs.map((one) => once(one, 'data')), this.#closed]);
    }
  }

  async ended(): Promise<Ended> {
    await this.#closed;
    return { code: this.child.exitCode, out: this.out, err: this.err };
  }
}

/** Starts the built command; its stdin stays open until `input` is written. */
export function start(args: readonly string[], cwd: string, env: Variables = {}): Running {
  // Not the variables of this process, which may hold those of a sidecar.
  return new Running(process.execPath, [built, 'permissions', ...args], cwd, { ...env });
}

/** The working directory of commands that run in this process, and their number. */
const here = { cwd: '', running: 0 };

/** Runs the command of src in this process, which has their working directory meanwhile. */
async function commandHere(args: readonly string[], cwd: string, env: Variables, input: string): Promise<Ended> {
  process.chdir(cwd);
  Object.assign(here, { cwd, running: here.running + 1 });
  try {
    const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
    const { code = null, out, err } = await permissions(args, { env, stdin });
    return { code, out, err };
  } finally {
    here.running -= 1;
    if (here.running === 0) process.chdir(root);
  }
}

/**
 * Runs the built command to its end, in a process of its own if the run is thorough. Else the command of src runs in
 * this process, which takes a tenth of the time; shell.test.ts and terminal.test.ts start processes always.
 */
export function command(args: readonly string[], cwd: string, env: Variables = {}, input = ''): Promise<Ended> {
  if (!isThorough && (here.running === 0 || here.cwd === cwd)) return commandHere(args, cwd, env, input);
  const running = start(args, cwd, env);
  running.child.stdin?.on('error', () => {}).end(input);
  return running.ended();
}

/** Runs a line of bash, in which `cli` is the built command. */
export function shell(line: string, cwd: string, env: Variables = {}): Promise<Ended> {
  const cli = `cli() { ${[process.execPath, built].map(quote).join(' ')} "$@"; }`;
  const running = new Running('bash', ['--norc', '-c', `${cli}\n${line}`], cwd, {
    PATH: process.env.PATH ?? '',
    ...env,
  });
  return running.ended();
}

/** The program that opens a pseudo-terminal; it belongs to util-linux, in Debian to the essential package bsdutils. */
function findScript(): string {
  const found = ['/usr/bin/script', '/bin/script'].find((file) => existsSync(file));
  const version = found === undefined ? '' : execFileSync(found, ['--version'], { encoding: 'utf8' });
  if (found !== undefined && version.includes('util-linux')) return found;
  throw new Error('tests of the terminal need "script" of util-linux: apt-get install bsdutils');
}

/** A command in a pseudo-terminal: its process, and the id of the command in it. */
export interface InTerminal {
  readonly running: Running;
  readonly pid: number;
}

/** Runs the built command in a pseudo-terminal, in which it has the id that is printed first. */
export async function terminal(args: readonly string[], cwd: string, env: Variables = {}): Promise<InTerminal> {
  const line = [process.execPath, built, 'permissions', ...args].map(quote).join(' ');
  const shell = `stty cols 100; echo pid=$$; exec ${line}`;
  const running = new Running(findScript(), ['-qefc', shell, '/dev/null'], cwd, {
    TERM: 'xterm',
    SHELL: '/bin/sh',
    PATH: process.env.PATH ?? '',
    ...env,
  });
  const [, pid = ''] = await running.printed(/pid=(\d+)/);
  return { running, pid: Number(pid) };
}
