import { type Flag, type FlagKind, flagRows, variableOf } from './flags.js';

/** What a flag or a variable says, or what is wrong with it. */
export type FlagReading = { readonly value: FlagValue } | { readonly problem: string };
export type FlagValue = string | number | boolean | readonly string[];

/** A value from a flag or a variable on its way into the configuration; `source` is the name that the caller wrote. */
export interface ConfigValue {
  readonly source: string;
  readonly path: string;
  readonly value: FlagValue;
}

function readPort(text: string): FlagReading {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? { value: port } : { problem: 'expected a port from 0 to 65535' };
}

const readers: Readonly<Record<FlagKind, (text: string) => FlagReading>> = {
  nothing: () => ({ problem: 'takes no value' }),
  text: (text) => ({ value: text }),
  texts: (text) => ({ value: text.split(',') }),
  port: readPort,
  // What is neither true nor false stays text, and the check of the configuration names it.
  switch: (text) => ({ value: text === 'true' ? true : text === 'false' ? false : text }),
};

/** Reads what stands behind a flag, or in its variable; nothing stands behind a flag that is given alone. */
export function readFlagValue({ takes, removed }: Flag, text: string | undefined): FlagReading {
  if (removed !== undefined) return { problem: removed };
  if (text === undefined && (takes === 'nothing' || takes === 'switch')) return { value: true };
  if (text === undefined || (text === '' && takes !== 'nothing')) return { problem: 'needs a value' };
  return readers[takes](text);
}

/** What the variables say of the configuration, and what is wrong with them. An empty variable counts as not set. */
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

/**
 * Puts a value into a copy of the configuration. What is no object on the way there stays, for the check to name it.
 */
function put(config: unknown, [name, ...rest]: readonly string[], value: FlagValue): unknown {
  if (name === undefined) return value;
  if (config !== undefined && (typeof config !== 'object' || config === null || Array.isArray(config))) return config;
  const fields: { readonly [name: string]: unknown } = { ...config };
  return { ...fields, [name]: put(fields[name], rest, value) };
}

/** A configuration with these values over it; later ones win. It is not checked. */
export function applyValues(config: unknown, values: readonly ConfigValue[]): unknown {
  return values.reduce((all, { path, value }) => put(all, path.split('.'), value), config);
}
