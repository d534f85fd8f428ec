import type { Mock } from '../../mock/mock.js';
import { watchNpx } from './npx.js';
import { run } from './run.js';

/** Runs `mock` until a signal or the end of npx stops it; sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  let mock: Mock | undefined;
  const stop = async (): Promise<void> => {
    await mock?.[Symbol.asyncDispose]();
    process.exit(0);
  };
  void watchNpx(process.env, stop);
  process.exitCode = await run(args, {
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
