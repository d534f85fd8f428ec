#!/usr/bin/env node
import type { Mock } from '../mock.js';
import { run } from './run.js';

/** Stops at the first signal; a second one ends the process at once, because nobody listens any more. */
function stopOnSignal(mock: Mock): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await mock[Symbol.asyncDispose]();
      process.exit(0);
    });
  }
}

// Whoever reads the output may stop reading (`| head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (line) => console.log(line),
  warn: (line) => console.error(line),
  serving: stopOnSignal,
});
