#!/usr/bin/env node
import type { Mock } from '../mock.js';
import { watchNpx } from './npx.js';
import { run } from './run.js';

/** Runs the command until a signal or the end of npx stops it. */
async function main(): Promise<void> {
  let mock: Mock | undefined;
  const stop = async (): Promise<void> => {
    await mock?.[Symbol.asyncDispose]();
    process.exit(0);
  };
  // The reader of the output may close it early (`| head`).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  void watchNpx(process.env, stop);
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    print: (line) => console.log(line),
    warn: (line) => console.error(line),
    serving: (served) => {
      mock = served;
      // The first signal stops the mock; the second, no longer handled, ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    },
  });
}

await main();
