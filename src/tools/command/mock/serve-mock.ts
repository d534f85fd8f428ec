import { constants } from 'node:os';
import type { Mock } from '../../../mock/mock.js';
import { exitCodes } from '../shared/exit-codes.js';
import { type Beside, renewToken, splitBeside, startBeside, withTokenFile } from './beside.js';
import { watchNpx } from './npx.js';
import { type MakeVariables, run } from './start-mock.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Signals that a terminal sends to the program as well as to this command, so they are not forwarded. */
const ofTerminal: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGHUP', 'SIGQUIT']);

/**
 * Runs `mock` until a signal or the end of npx stops it, or, with `-- <program>`, until the program ends; sets the exit
 * code of the process.
 */
export async function main(args: readonly string[]): Promise<void> {
  const { own, program } = splitBeside(args);
  if (program === undefined) await serve(own);
  else await serveFor(program, own);
}

const warn = (line: string): void => console.error(line);

async function serve(args: readonly string[]): Promise<void> {
  let mock: Mock | undefined;
  const stop = async (): Promise<void> => {
    await mock?.[Symbol.asyncDispose]();
    process.exit(0);
  };
  void watchNpx(process.env, stop);
  process.exitCode = await run(args, {
    env: process.env,
    print: (line) => console.log(line),
    warn,
    serving: (served) => {
      mock = served;
      // The first signal stops the mock; the second, no longer handled, ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    },
  });
}

/** Serves the mock for as long as a program runs, which finds it by its variables. */
async function serveFor(program: readonly string[], args: readonly string[]): Promise<void> {
  if (!program[0]) {
    warn('arango-services: --: expected a program behind it, like "-- npm test"');
    process.exitCode = exitCodes.usage;
    return;
  }
  let served: { readonly mock: Mock; readonly variables: MakeVariables } | undefined;
  // Any free port, unless the arguments name one, so that several run side by side.
  const hasPort = args.some((arg) => /^--port(?:=|$)/.test(arg));
  const code = await run(hasPort ? args : ['--port=0', ...args], {
    env: process.env,
    // Standard output belongs to the program.
    print: (line) => (served === undefined ? console.log(line) : warn(line)),
    warn,
    serving: (mock, variables) => {
      served = { mock, variables };
    },
  });
  if (served === undefined || code !== 0) {
    process.exitCode = code;
    return;
  }
  const { mock, variables } = served;
  let beside: Beside | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (beside === undefined) process.exit(128 + constants.signals[signal]);
    // The command runs in a terminal unless all three are redirected.
    const { stdin, stdout, stderr } = process;
    if (!ofTerminal.has(signal) || ![stdin, stdout, stderr].some(({ isTTY }) => isTTY)) beside.kill(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  process.exitCode = await withTokenFile(async (tokenFile) => {
    beside = startBeside(program, await variables(tokenFile), warn);
    renewToken(mock.settings.authentication.token.defaultMs, () => variables(tokenFile));
    void watchNpx(process.env, () => stop('SIGTERM'));
    return beside.ended;
  });
  await mock[Symbol.asyncDispose]();
  process.exit();
}
