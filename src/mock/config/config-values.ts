import { type FlagKind, flagRows, type MockFlag, variableOf } from './mock-flags.js';

/** The value of a flag or a variable, or the problem with it. */
export type FlagReading = { readonly value: FlagValue } | { readonly problem: string };
export type FlagValue = string | number | boolean | readonly string[];

/** A configuration value from a flag or a variable; `source` is its name as the caller wrote it. */
export type ConfigValue = { readonly source: string; readonly path: string; readonly value: FlagValue };

function readPort(text: string): FlagReading {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? { value: port } : { problem: 'expected a port from 0 to 65535' };
}

function readChoice(text: string, { among = [] }: MockFlag): FlagReading {
  const word = text.toLowerCase();
  return among.includes(word) ? { value: word } : { problem: `expected ${among.join(' or ')}` };
}

const readers: Readonly<Record<FlagKind, (text: string, flag: MockFlag) => FlagReading>> = {
  nothing: () => ({ problem: 'takes no value' }),
  text: (text) => ({ value: text }),
  texts: (text) => ({ value: text.split(',') }),
  files: (text) => ({ value: [text] }),
  port: readPort,
  choice: readChoice,
  // Other text is kept, so that the check of the configuration reports it.
  switch: (text) => ({ value: text === 'true' ? true : text === 'false' ? false : text }),
};

/** Reads the value of a flag or of its variable; `undefined` if a flag has none. */
export function readFlagValue(flag: MockFlag, text: string | undefined): FlagReading {
  const { takes } = flag;
  if (text === undefined && (takes === 'nothing' || takes === 'switch')) return { value: true };
  if (text === undefined || (text === '' && takes !== 'nothing')) return { problem: 'needs a value' };
  return readers[takes](text, flag);
}

/** Reads the configuration values in environment variables. An empty variable counts as not set. */
export function readVariables(env: Readonly<Record<string, string | undefined>>): {
  readonly values: readonly ConfigValue[];
  readonly problems: readonly { readonly where: string; readonly message: string }[];
} {
  const values: ConfigValue[] = [];
  const problems: { where: string; message: string }[] = [];
  for (const [name, flag] of flagRows) {
    const source = variableOf(name);
    const text = flag.variable === true ? (env[source] ?? '') : '';
    if (text === '') continue;
    const reading = readFlagValue(flag, text);
    if ('problem' in reading) problems.push({ where: source, message: reading.problem });
    else if (flag.path !== undefined) values.push({ source, path: flag.path, value: reading.value });
  }
  return { values, problems };
}

/** Sets a value in a copy of the configuration. A parent that is not an object stays, so that the check reports it. */
function put(config: unknown, [name, ...rest]: readonly string[], value: FlagValue): unknown {
  if (name === undefined) return value;
  if (config !== undefined && (typeof config !== 'object' || config === null || Array.isArray(config))) return config;
  const fields: { readonly [name: string]: unknown } = { ...config };
  return { ...fields, [name]: put(fields[name], rest, value) };
}

/** Sets values in a copy of a configuration, unchecked. Later ones win. */
export function applyValues(config: unknown, values: readonly ConfigValue[]): unknown {
  return values.reduce((all, { path, value }) => put(all, path.split('.'), value), config);
}
