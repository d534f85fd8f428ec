import { parseArgs } from 'node:util';
import { goneFlag, goneReason, readServiceValue, type ServiceValue, serviceSettings } from '../config/flags.js';

/** What the command line asks for. */
export interface Arguments {
  readonly help: boolean;
  readonly port: number;
  readonly host: string;
  /** The port of the gRPC services; without it there is none. */
  readonly grpcPort: number | undefined;
  readonly seed: string | undefined;
  readonly cors: readonly string[];
  readonly printConfig: boolean;
  readonly log: boolean;
  /** Values of the configuration, in the order in which they were given. */
  readonly values: readonly ServiceValue[];
}

/** A thing that the user has to put right; `where` is its flag, variable, or file and path. */
export interface Fault {
  readonly where: string;
  readonly message: string;
}

const own = {
  port: { type: 'string' },
  host: { type: 'string' },
  'grpc-port': { type: 'string' },
  seed: { type: 'string' },
  fidelity: { type: 'string' },
  cors: { type: 'string', multiple: true },
  'print-config': { type: 'boolean' },
  log: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function readPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : undefined;
}

/** Reads `mock --port …`: what it asks for, and every fault in it. */
export function readArguments(args: readonly string[]): {
  readonly asked: Arguments;
  readonly faults: readonly Fault[];
} {
  const services = new Map(serviceSettings.map((setting) => [setting.flag, setting]));
  const kinds = new Map<string, 'string' | 'boolean'>(Object.entries(own).map(([name, { type }]) => [name, type]));
  for (const [flag, { boolean }] of services) kinds.set(flag, boolean ? 'boolean' : 'string');
  kinds.set(goneFlag, 'boolean'); // Named whether it has a value or not.
  const options = Object.fromEntries(Array.from(kinds, ([name, type]) => [name, { type }]));
  // Not strict: that would stop at the first fault.
  const { tokens } = parseArgs({ args: [...args], options: { ...options, ...own }, strict: false, tokens: true });

  const faults: Fault[] = [];
  const cors: string[] = [];
  const values: ServiceValue[] = [];
  const asked = {
    help: false,
    port: 8529,
    host: '127.0.0.1',
    grpcPort: undefined,
    seed: undefined,
    printConfig: false,
    log: false,
  };
  const given: { -readonly [K in keyof Arguments]?: Arguments[K] } = {};
  const words: string[] = [];

  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value: text, inlineValue } = token;
    const fault = (message: string): void => void faults.push({ where: rawName, message });
    const service = services.get(name);
    const kind = kinds.get(name);
    if (kind === undefined) fault('unknown flag; see arango-services mock --help');
    else if (name === goneFlag) fault(goneReason);
    else if (service?.boolean === true) values.push(readServiceValue(service, rawName, text ?? 'true'));
    else if (kind === 'boolean') {
      if (text !== undefined) fault('takes no value');
      if (name === 'help') given.help = true;
      if (name === 'log') given.log = true;
      if (name === 'print-config') given.printConfig = true;
    } else if (text === undefined || text === '' || (inlineValue !== true && text.startsWith('-')))
      fault('needs a value');
    else if (service !== undefined) values.push(readServiceValue(service, rawName, text));
    else if (name === 'fidelity') values.push({ source: rawName, path: ['fidelity'], value: text });
    else if (name === 'cors') cors.push(...text.split(','));
    else if (name === 'host') given.host = text;
    else if (name === 'seed') given.seed = text;
    else if (name === 'port' || name === 'grpc-port') {
      const port = readPort(text);
      if (port === undefined) fault('expected a port from 0 to 65535');
      else given[name === 'port' ? 'port' : 'grpcPort'] = port;
    }
  }
  const [command, ...more] = words;
  if (command !== 'mock' && given.help !== true) {
    faults.unshift({ where: command ?? 'arango-services', message: 'expected the command "mock"; see --help' });
  }
  for (const word of more) faults.push({ where: word, message: 'unexpected argument' });
  return { asked: { ...asked, ...given, cors, values }, faults };
}
