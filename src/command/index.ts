#!/usr/bin/env node
import { run } from './run.js';

/** Runs the command; the first SIGINT or SIGTERM stops it, the second ends the process. */
async function main(): Promise<void> {
  // The reader of the output may close it early (`| head`).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { env, stdout, stderr } = process;
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
  if (code !== undefined) process.exitCode = code;
}

await main();
