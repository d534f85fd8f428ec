import { parseArgs } from 'node:util';
import { type ConfigValue, type FlagValue, readFlagValue } from '../../../mock/config/config-values.js';
import { type CommandOptions, flagRows, type MockFlag } from '../../../mock/config/mock-flags.js';
import type { UsageProblem } from '../shared/usage-error.js';

/** The parsed command line. */
export interface Arguments {
  /** The options of the command itself. */
  readonly options: CommandOptions;
  /** Values of the configuration, in the order given. */
  readonly values: readonly ConfigValue[];
  readonly problems: readonly UsageProblem[];
}

function defaultOptions(): Map<string, FlagValue> {
  return new Map(
    flagRows.flatMap(([name, { takes, otherwise, path }]) => {
      if (path !== undefined) return [];
      const value = takes === 'nothing' ? false : takes === 'texts' || takes === 'files' ? [] : otherwise;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Joins a choice that may stand alone with the word behind it: `--log platform`. */
function joinChoices(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const [, { among, alone }] = flagRows.find(([name]) => arg === `--${name}`) ?? ['', {}];
    const next = args[index + 1]?.toLowerCase() ?? '';
    if (alone === undefined) joined.push(arg);
    else if (among?.includes(next) !== true) joined.push(`${arg}=${alone}`);
    else {
      joined.push(`${arg}=${next}`);
      index += 1;
    }
  }
  return joined;
}

/** Parses `mock --port …` and collects all problems. */
export function readArguments(args: readonly string[]): Arguments {
  const aliases = flagRows.flatMap(([name, { alias }]) => (alias === undefined ? [] : [[alias, name] as const]));
  const names = new Map<string, string>(aliases);
  const flagsByName: ReadonlyMap<string, MockFlag> = new Map(flagRows);
  const kinds = flagRows.flatMap(([name, { takes, short, alias = name }]) => {
    const type = takes === 'nothing' || takes === 'switch' ? 'boolean' : 'string';
    return [name, alias].map((spelling) => [spelling, { type, ...(short && { short }) }] as const);
  });
  // Not strict: that would stop at the first problem.
  const spellings = Object.fromEntries(kinds);
  const { tokens } = parseArgs({ args: joinChoices(args), options: spellings, strict: false, tokens: true });

  const problems: UsageProblem[] = [];
  const values: ConfigValue[] = [];
  const options = defaultOptions();
  const usedNames = new Set<string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { rawName: source, value: text, inlineValue } = token;
    const name = names.get(token.name) ?? token.name;
    const flag = flagsByName.get(name);
    // A separate word that begins with a dash is the next flag.
    const value = inlineValue === false && text.startsWith('-') ? undefined : text;
    const reading = flag === undefined ? unknownFlag : readFlagValue(flag, value);
    const isAgain = usedNames.has(name);
    usedNames.add(name);
    const before = options.get(name);
    if ('problem' in reading) problems.push({ where: source, message: reading.problem });
    else if (typeof before === 'object' && typeof reading.value === 'object') {
      options.set(name, [...before, ...reading.value]);
    } else if (isAgain) problems.push({ where: source, message: 'is given twice' });
    else if (flag?.path !== undefined) values.push({ source, path: flag.path, value: reading.value });
    else options.set(name, reading.value);
  }
  const [command, ...more] = words;
  if (command !== 'mock' && options.get('help') !== true) {
    problems.unshift({ where: command ?? 'arango-services', message: 'expected the command "mock"; see --help' });
  }
  for (const [index, word] of more.entries()) {
    const hint = index === 0 ? '; a program that the mock runs stands behind "--", like "-- npm test"' : '';
    problems.push({ where: word, message: `unexpected argument${hint}` });
  }
  // The cast: each value was read by the kind of its flag, which also determines the type.
  return { options: Object.fromEntries(options) as unknown as CommandOptions, values, problems };
}

const unknownFlag = { problem: 'unknown flag; see arango-services mock --help' };
