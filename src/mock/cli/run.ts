import { InvalidArgumentError } from '../../errors.js';
import { printable } from '../../lib/printable.js';
import { listenGrpc } from '../adapters/grpc/index.js';
import { listen } from '../adapters/node/index.js';
import { writeToken } from '../adapters/node/token-file.js';
import type { CommandOptions } from '../config/flags.js';
import type { ConfigurationError } from '../config/issues.js';
import type { MockConfig } from '../config/settings.js';
import { applyValues, type ConfigValue, readVariables } from '../config/values.js';
import { createMock } from '../create-mock.js';
import type { Mock } from '../mock.js';
import { type Problem, readArguments } from './arguments.js';
import { formatConfig } from './effective.js';
import { formatHelp } from './help.js';
import { logLine } from './log-line.js';
import { readSeed, systemCode } from './seed.js';

const warning =
  'warning: this is a mock for tests and local use. It is not an authorization server and protects nothing.';

/** What is wrong with a configuration, each with where its value came from: a flag, a variable, or the seed file. */
async function locateProblems(error: unknown, values: readonly ConfigValue[], file: string): Promise<Problem[]> {
  const place = (path: string): string => values.findLast((value) => value.path === path)?.source ?? `${file}: ${path}`;
  if (error instanceof Error && 'issues' in error) {
    const { formatConfigPath } = await import('../config/issues.js');
    // The cast: the configuration's error and the policies' have issues, in one form.
    const issues = error.issues as ConfigurationError['issues'];
    return issues.map(({ path, message }) => ({ where: place(formatConfigPath(path)), message }));
  }
  if (!(error instanceof InvalidArgumentError)) throw error;
  return [{ where: place(error.field), message: error.problem }];
}

const listenReasons: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'is already in use'],
  ['EACCES', 'may not be used by this user'],
  ['EADDRNOTAVAIL', 'is not an address of this machine'],
  ['ENOTFOUND', 'is not a host that can be found'],
]);

/** The process that the command runs in, as far as the command is concerned with it. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a line about what is wrong. */
  warn(line: string): void;
  /** Called when a mock has been put on a port: it is served until it is disposed. */
  serving(mock: Mock): void;
}

/** Long enough for any local use; a test that wants another token issues it. */
const superuserLifetime = '8760h';

/** Prints a token that may manage, or writes it into a file, where the command line asks for it. */
async function giveSuperuserToken(mock: Mock, options: CommandOptions, print: (line: string) => void): Promise<void> {
  const { 'print-superuser-token': wanted, 'superuser-token-file': file } = options;
  if (!wanted && file === undefined) return;
  const token = await mock.tokens.issue({ user: null, lifetime: superuserLifetime });
  if (file !== undefined) {
    await writeToken(file, token).catch((error) => {
      throw new Error(`arango-services: --superuser-token-file: ${file} cannot be written (${systemCode(error)})`);
    });
  }
  if (wanted) print(`arango-services mock: superuser token ${token}`);
}

/**
 * Runs the command.
 * @returns its exit code; 0 also when it goes on serving.
 */
export async function run(args: readonly string[], { env, print, warn, serving }: Surroundings): Promise<number> {
  // Each problem on a line of its own. Exit code 2: the caller has to put something right.
  const refuse = (problems: readonly Problem[]): number => {
    for (const { where, message } of problems) warn(printable(`arango-services: ${where}: ${message}`));
    return 2;
  };
  const { options, ...given } = readArguments(args);
  if (options.help) {
    print(formatHelp());
    return 0;
  }
  const variables = readVariables(env);
  const seed = options.seed === undefined ? { value: {} } : await readSeed(options.seed);
  const problems = [...given.problems, ...variables.problems];
  if ('problem' in seed) problems.push(seed.problem);
  if (problems.length > 0 || 'problem' in seed) return refuse(problems);

  const values = [...variables.values, ...given.values];
  let mock: Mock;
  try {
    // Without anything to check, what checks is not loaded. The cast: createMock checks what a seed file holds.
    const plain = options.seed === undefined && values.length === 0;
    mock = await createMock(plain ? undefined : (applyValues(seed.value, values) as MockConfig));
  } catch (error) {
    return refuse(await locateProblems(error, values, options.seed ?? 'configuration'));
  }
  if (options['print-config']) {
    print(formatConfig(mock.settings));
    return 0;
  }
  if (options.log) mock.onRequest((request) => print(logLine(request)));
  const { host, cors, 'allowed-host': allowedHosts, 'grpc-port': grpcPort } = options;
  let { port } = options;
  try {
    const { url } = await listen(mock, { host, port, cors, allowedHosts });
    let address: string | undefined;
    if (grpcPort !== undefined) {
      port = grpcPort;
      ({ address } = await listenGrpc(mock, { host, port }));
    }
    serving(mock);
    warn(warning);
    await giveSuperuserToken(mock, options, print);
    print(`arango-services mock: listening on ${url}`);
    if (address !== undefined) print(`arango-services mock: gRPC on ${address}`);
    return 0;
  } catch (error) {
    await mock[Symbol.asyncDispose]();
    if (error instanceof InvalidArgumentError) {
      return refuse([{ where: `--${error.field.replace('allowedHosts', 'allowed-host')}`, message: error.problem }]);
    }
    const code = systemCode(error);
    // What gRPC needs may not be installed.
    if (code === undefined) {
      warn(printable(error instanceof Error ? error.message : String(error)));
      return 1;
    }
    const reason = listenReasons.get(code) ?? `cannot be used (${code})`;
    const where = code === 'EADDRINUSE' || code === 'EACCES' ? `port ${port} of ${host}` : host;
    warn(printable(`arango-services: ${where}: ${reason}`));
    return 1;
  }
}
