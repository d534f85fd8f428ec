#!/usr/bin/env node
import type { Mock } from '../mock.js';
import { watchNpx } from './npx.js';
import { run } from './run.js';

/** Runs the command in this process, which a signal ends, or the end of npx. */
async function main(): Promise<void> {
  let mock: Mock | undefined;
  const stop = async (): Promise<void> => {
    await mock?.[Symbol.asyncDispose]();
    process.exit(0);
  };
  // Whoever reads the output may stop reading (`| head`).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  void watchNpx(process.env, stop);
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    print: (line) => console.log(line),
    warn: (line) => console.error(line),
    serving: (served) => {
      mock = served;
      // Stops at the first signal; a second one ends the process at once, because nobody listens any more.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    },
  });
}

await main();
