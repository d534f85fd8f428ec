#!/usr/bin/env node
import { InvalidArgumentError } from '../errors.js';
import { type Fault, readArguments } from './cli/arguments.js';
import { effectiveConfig } from './cli/effective.js';
import { help } from './cli/help.js';
import { logLine } from './cli/log-line.js';
import { readSeed, systemCode } from './cli/seed.js';
import type { ConfigurationError } from './config.js';
import { applyValues, goneReason, readVariables, type ServiceValue } from './flags.js';
import { createMock, type Mock } from './mock.js';
import { listen } from './node.js';
import type { MockConfig } from './settings.js';

const warning =
  'warning: this is a mock for tests and local use. It is not an authorization server and protects nothing.';

/** Prints each fault on a line of its own. Exit code 2: the caller has to put something right. */
function refuse(faults: readonly Fault[]): number {
  for (const { where, message } of faults) console.error(`arango-services: ${where}: ${message}`);
  return 2;
}

/** The faults of a configuration, each with where its value came from: a flag, a variable, or the seed file. */
async function locate(error: unknown, values: readonly ServiceValue[], file: string): Promise<Fault[]> {
  const place = (path: string): string =>
    values.findLast((value) => value.path.join('.') === path)?.source ?? `${file}: ${path}`;
  if (error instanceof Error && 'issues' in error) {
    const { formatConfigPath } = await import('./config.js');
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

/** Stops at the first signal; a second one ends the process at once, because nobody listens any more. */
function stopOnSignal(mock: Mock): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await mock[Symbol.asyncDispose]();
      process.exit(0);
    });
  }
}

async function run(args: readonly string[]): Promise<number> {
  const { asked, faults } = readArguments(args);
  if (asked.help) {
    console.log(help.trimEnd());
    return 0;
  }
  const variables = readVariables(process.env);
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
    console.log(JSON.stringify(effectiveConfig(mock.settings), undefined, 2));
    return 0;
  }
  if (asked.log) mock.onRequest((request) => console.log(logLine(request)));
  const { host, port, cors } = asked;
  try {
    const { url } = await listen(mock, { host, port, cors });
    stopOnSignal(mock);
    console.error(warning);
    console.log(`arango-services mock: listening on ${url}`);
    return 0;
  } catch (error) {
    if (error instanceof InvalidArgumentError)
      return refuse([{ where: `--${error.field}`, message: messageOf(error) }]);
    const code = systemCode(error);
    const reason = listenReasons.get(code) ?? `cannot be used (${code ?? 'unknown'})`;
    console.error(
      `arango-services: ${code === 'EADDRINUSE' || code === 'EACCES' ? `port ${port} of ${host}` : host}: ${reason}`,
    );
    return 1;
  }
}

// Whoever reads the output may stop reading (`| head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.exitCode = await run(process.argv.slice(2));
