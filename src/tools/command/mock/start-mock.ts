import { InvalidArgumentError } from '../../../base/errors.js';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { printable } from '../../../base/lib/text/printable.js';
import { type ListenOptions, listen } from '../../../console/mock/node.js';
import { listenGrpc, type MockGrpcServer } from '../../../mock/adapters/grpc/listen-grpc.js';
import { writeToken } from '../../../mock/adapters/node/write-token.js';
import { applyValues, type ConfigValue, readVariables } from '../../../mock/config/config-values.js';
import { effectiveConfig } from '../../../mock/config/effective-config.js';
import type { ConfigurationError } from '../../../mock/config/issues.js';
import type { MockConfig, Settings } from '../../../mock/config/mock-config.js';
import type { CommandOptions } from '../../../mock/config/mock-flags.js';
import { createMock } from '../../../mock/create-mock.js';
import type { Mock } from '../../../mock/mock.js';
import { exitCodes } from '../shared/exit-codes.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import type { UsageProblem } from '../shared/usage-error.js';
import { logLine } from './log-line.js';
import type { MergedSeeds } from './merge-seeds.js';
import { readArguments } from './mock-arguments.js';
import { formatHelp, ofDatabase } from './mock-help.js';
import { readSeeds } from './seed.js';
import { addServices, findServicesTwice, readServices } from './services.js';

/** The output of `--print-config`, which is also a valid seed file. */
const formatConfig = (settings: Settings): string => jsonText(effectiveConfig(settings), '  ');

const warning =
  'warning: this is a mock for tests and local use. It is not an authorization server and protects nothing.';

/** The problems of a configuration, each with the source of its value: a flag, a variable, or the seed file. */
async function locateProblems(
  error: unknown,
  values: readonly ConfigValue[],
  locate: MergedSeeds['locate'],
): Promise<UsageProblem[]> {
  const sourceOf = (text: string, path: readonly PropertyKey[]): string =>
    values.findLast((value) => value.path === text)?.source ?? locate(path);
  if (error instanceof Error && 'issues' in error) {
    const { formatConfigPath } = await import('../../../mock/config/issues.js');
    // The cast: errors of the configuration and of policies have issues of the same form.
    const issues = error.issues as ConfigurationError['issues'];
    return issues.map(({ path, message }) => ({ where: sourceOf(formatConfigPath(path), path), message }));
  }
  if (!(error instanceof InvalidArgumentError)) throw error;
  return [{ where: sourceOf(error.field, error.field.split('.')), message: error.problem }];
}

const listenReasons: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'is already in use'],
  ['EACCES', 'may not be used by this user'],
  ['EADDRNOTAVAIL', 'is not an address of this machine'],
  ['ENOTFOUND', 'is not a host that can be found'],
]);

/** The flags of the options of `listen`. */
const listenFlags = {
  host: 'host',
  port: 'port',
  cors: 'cors',
  allowedHosts: 'allowed-host',
  console: 'console',
  gateway: 'gateway',
  // Timeouts are for tests of slow clients.
  requestTimeoutMs: undefined,
  idleTimeoutMs: undefined,
} as const satisfies FlagsOf<ListenOptions, keyof CommandOptions>;

/** Returns the variables of a program that uses the mock, and writes a token of the configured user to this file. */
export type MakeVariables = (tokenFile: string) => Promise<Record<string, string>>;

/** The parts of the process that the command uses. */
export interface MockProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a warning or an error. */
  warn(line: string): void;
  /** Called once a mock is served, which lasts until it is disposed. */
  serving(mock: Mock, variables: MakeVariables): void;
}

/** The problems with flags of the platform's log where it is not wanted. */
const strayLogFlags = (options: CommandOptions): UsageProblem[] =>
  (['log-format', 'log-level'] as const).flatMap((name) =>
    options.log === 'platform' || options[name] === undefined
      ? []
      : [{ where: `--${name}`, message: 'needs --log platform' }],
  );

/** Long enough for any local use; tests can issue other tokens. */
const superuserLifetime = '8760h';

/** Prints a superuser's token, or writes it to a file, if the options ask for it. */
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

/** Prints each problem on its own line, and returns the exit code. */
function refuseUsage(problems: readonly UsageProblem[], warn: MockProcess['warn']): number {
  for (const { where, message } of problems) warn(printable(`arango-services: ${where}: ${message}`));
  return exitCodes.usage;
}

/** Prints why the mock cannot be served. Returns the exit code. */
function reportFailure(error: unknown, { host, port }: CommandOptions, warn: MockProcess['warn']): number {
  if (error instanceof InvalidArgumentError) {
    const where = `--${error.field.replace('allowedHosts', 'allowed-host')}`;
    return refuseUsage([{ where, message: error.problem }], warn);
  }
  const code = systemCode(error);
  // Not an error of the system, such as that of missing packages for gRPC.
  if (code === undefined) {
    warn(printable(error instanceof Error ? error.message : String(error)));
    return 1;
  }
  const reason = listenReasons.get(code) ?? `cannot be used (${code})`;
  const where = code === 'EADDRINUSE' || code === 'EACCES' ? `port ${port} of ${host}` : host;
  warn(printable(`arango-services: ${where}: ${reason}`));
  return 1;
}

/** Serves the mock on its ports, and prints their addresses. Returns the exit code. */
async function serve(mock: Mock, options: CommandOptions, { print, warn, serving }: MockProcess): Promise<number> {
  const { host, 'grpc-port': grpcPort } = options;
  /** The port that is opened, for the error. */
  let { port } = options;
  try {
    const server = await listen(mock, readOptions(options, listenFlags));
    const { url, console: page } = server;
    let grpc: MockGrpcServer | undefined;
    if (grpcPort !== undefined) {
      port = grpcPort;
      grpc = await listenGrpc(mock, { host, port });
    }
    serving(mock, async (tokenFile) => ({ ...(await server.env({ tokenFile })), ...grpc?.env() }));
    warn(warning);
    await giveSuperuserToken(mock, options, print);
    print(`arango-services mock: listening on ${url}`);
    if (page !== undefined) {
      const { url: at, key } = page;
      print(`arango-services mock: console at ${key === undefined ? at : `${at}#key=${key}`}`);
    }
    warn(`arango-services mock: ${ofDatabase}`);
    if (grpc !== undefined) print(`arango-services mock: gRPC on ${grpc.address}`);
    return 0;
  } catch (error) {
    await mock[Symbol.asyncDispose]();
    return reportFailure(error, { ...options, port }, warn);
  }
}

/**
 * Runs the command.
 * @returns the exit code; 0 also while it keeps serving.
 */
export async function run(args: readonly string[], mockProcess: MockProcess): Promise<number> {
  const { env, print, warn } = mockProcess;
  const refuse = (problems: readonly UsageProblem[]): number => refuseUsage(problems, warn);
  const { options, ...commandLine } = readArguments(args);
  if (options.help) {
    print(formatHelp());
    return 0;
  }
  const variables = readVariables(env);
  const seed = await readSeeds(options.seed);
  const services = readServices(options.service);
  const stray = [...strayLogFlags(options), ...findServicesTwice(services)];
  const problems = [...commandLine.problems, ...variables.problems, ...stray, ...seed.problems];
  if (problems.length > 0) return refuse(problems);

  const values = [...variables.values, ...commandLine.values];
  let mock: Mock;
  try {
    // Without a configuration the schema is not loaded. The cast: createMock checks the content of a seed file.
    const plain = options.seed.length === 0 && values.length === 0 && services.length === 0;
    mock = await createMock(plain ? undefined : (addServices(applyValues(seed.value, values), services) as MockConfig));
  } catch (error) {
    const serviceValues = services.flatMap(({ paths }) =>
      paths.map((path) => ({ source: '--service', path, value: '' })),
    );
    return refuse(await locateProblems(error, [...values, ...serviceValues], seed.locate));
  }
  if (options['print-config']) {
    print(formatConfig(mock.settings));
    return 0;
  }
  if (options.log === 'requests') mock.onRequest((request) => print(logLine(request)));
  if (options.log === 'platform') {
    if (!mock.parts.platform.fidelity.hasLog) {
      return refuse([{ where: '--log', message: "platform needs --fidelity sidecar: it is these services' log" }]);
    }
    const { 'log-format': format, 'log-level': level } = options;
    await mock.platformLog({ write: (line) => print(line.trimEnd()), format, level });
  }
  return serve(mock, options, mockProcess);
}
