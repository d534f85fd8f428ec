import { InvalidArgumentError } from '../../errors.js';
import { listenGrpc } from '../adapters/grpc/index.js';
import { listen } from '../adapters/node/index.js';
import { applyValues, goneReason, readVariables, type ServiceValue } from '../config/flags.js';
import type { ConfigurationError } from '../config/read-config.js';
import type { MockConfig } from '../config/settings.js';
import { createMock, type Mock } from '../create-mock.js';
import { type Fault, readArguments } from './arguments.js';
import { effectiveConfig } from './effective.js';
import { help } from './help.js';
import { logLine } from './log-line.js';
import { readSeed, systemCode } from './seed.js';

const warning =
  'warning: this is a mock for tests and local use. It is not an authorization server and protects nothing.';

/** The faults of a configuration, each with where its value came from: a flag, a variable, or the seed file. */
async function locate(error: unknown, values: readonly ServiceValue[], file: string): Promise<Fault[]> {
  const place = (path: string): string =>
    values.findLast((value) => value.path.join('.') === path)?.source ?? `${file}: ${path}`;
  if (error instanceof Error && 'issues' in error) {
    const { formatConfigPath } = await import('../config/read-config.js');
    // The cast: the configuration's error and the policies' have issues, in one form.
    const issues = error.issues as ConfigurationError['issues'];
    return issues.map(({ path, message }) => ({ where: place(formatConfigPath(path)), message }));
  }
  if (!(error instanceof InvalidArgumentError)) throw error;
  return [{ where: place(error.field), message: messageOf(error) }];
}

/** What an error says of its field, without the field. */
const messageOf = ({ field, message }: InvalidArgumentError): string => message.slice(field.length + 2);

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

/** Runs the command. @returns its exit code; 0 also when it goes on serving. */
export async function run(args: readonly string[], { env, print, warn, serving }: Surroundings): Promise<number> {
  // Each fault on a line of its own. Exit code 2: the caller has to put something right.
  const refuse = (faults: readonly Fault[]): number => {
    for (const { where, message } of faults) warn(`arango-services: ${where}: ${message}`);
    return 2;
  };
  const { asked, faults } = readArguments(args);
  if (asked.help) {
    print(help.trimEnd());
    return 0;
  }
  const variables = readVariables(env);
  const seed = asked.seed === undefined ? { value: {} } : await readSeed(asked.seed);
  const all = [...faults];
  if (variables.gone !== undefined) all.push({ where: variables.gone, message: goneReason });
  if ('fault' in seed) all.push(seed.fault);
  if (all.length > 0 || 'fault' in seed) return refuse(all);

  const values = [...variables.values, ...asked.values];
  let mock: Mock;
  try {
    // Without anything to check, what checks is not loaded. The cast: createMock checks what a seed file holds.
    const plain = asked.seed === undefined && values.length === 0;
    mock = await createMock(plain ? undefined : (applyValues(seed.value, values) as MockConfig));
  } catch (error) {
    return refuse(await locate(error, values, asked.seed ?? 'configuration'));
  }
  if (asked.printConfig) {
    print(JSON.stringify(effectiveConfig(mock.settings), undefined, 2));
    return 0;
  }
  if (asked.log) mock.onRequest((request) => print(logLine(request)));
  const { host, cors, grpcPort } = asked;
  let port = asked.port;
  try {
    const { url } = await listen(mock, { host, port, cors });
    let address: string | undefined;
    if (grpcPort !== undefined) {
      port = grpcPort;
      ({ address } = await listenGrpc(mock, { host, port }));
    }
    serving(mock);
    warn(warning);
    print(`arango-services mock: listening on ${url}`);
    if (address !== undefined) print(`arango-services mock: gRPC on ${address}`);
    return 0;
  } catch (error) {
    await mock[Symbol.asyncDispose]();
    if (error instanceof InvalidArgumentError)
      return refuse([{ where: `--${error.field}`, message: messageOf(error) }]);
    const code = systemCode(error);
    // What gRPC needs may not be installed.
    if (code === undefined) {
      warn(error instanceof Error ? error.message : String(error));
      return 1;
    }
    const reason = listenReasons.get(code) ?? `cannot be used (${code})`;
    warn(
      `arango-services: ${code === 'EADDRINUSE' || code === 'EACCES' ? `port ${port} of ${host}` : host}: ${reason}`,
    );
    return 1;
  }
}
