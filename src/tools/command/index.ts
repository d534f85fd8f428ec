#!/usr/bin/env node
import { systemCode, writeFault } from '../../base/lib/system-errors.js';
import { printable } from '../../base/lib/text/printable.js';
import { run } from './run-command.js';
import { exitCodes } from './shared/exit-codes.js';
import { nodeProblem } from './shared/oldest-node.js';

/** The longest time from the end of a command to the end of its process, in milliseconds, once all was written. */
const lingerMs = 200;

/** Fails the process if its output cannot be written, or if an error is not caught. */
function watchFailures(warn: (line: string) => void): void {
  const { stdout, stderr } = process;
  const lost = new Set<object>();
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error) => {
      // The reader of the output may close it early (`| head`).
      if (systemCode(error) === 'EPIPE' || lost.has(stream)) return;
      lost.add(stream);
      if (stream === stdout) warn(`stdout ${writeFault(error)}`);
    });
  }
  process.on('exit', () => {
    if (lost.size > 0) process.exitCode = exitCodes.failed;
  });
  // Node itself would print the line of the bundle that threw.
  process.on('uncaughtException', (error) => {
    warn(error instanceof Error ? error.message : 'failed');
    process.exit(exitCodes.failed);
  });
}

/** Runs the command; the first SIGINT or SIGTERM stops it, the second ends the process. */
async function main(): Promise<void> {
  const { env, stdout, stderr } = process;
  const warn = (line: string) => stderr.write(`arango-services: ${printable(line)}\n`);
  const problem = nodeProblem(process.versions);
  if (problem !== undefined) {
    warn(problem);
    process.exitCode = exitCodes.failed;
    return;
  }
  watchFailures(warn);
  const stopped = new AbortController();
  const watchSignals = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort(new Error(name)));
  };
  // Opening stdin has effects of its own, so only a subcommand that reads it does so.
  const surroundings = {
    env,
    stdout,
    stderr,
    signal: stopped.signal,
    get stdin() {
      return process.stdin;
    },
  };
  const code = await run(process.argv.slice(2), surroundings, watchSignals);
  if (code === undefined) return;
  process.exitCode = code;
  // A connection whose handshake hangs would keep the process running for up to 10 s after its call was aborted.
  stdout.write('', () => stderr.write('', () => setTimeout(() => process.exit(), lingerMs).unref()));
}

await main();
