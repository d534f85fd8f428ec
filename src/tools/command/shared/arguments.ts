import { parseArgs } from 'node:util';
import { nearest } from '../../../base/lib/nearest.js';
import { secretFlagOf } from '../../../base/secrets/names.js';
import { type Flag, type FlagName, type Flags, flags } from './flags.js';
import type { Subcommand } from './subcommand.js';
import { UsageError, type UsageProblem } from './usage-error.js';

/** The parsed arguments of a subcommand. */
type Arguments = { readonly flags: Flags; readonly operands: readonly string[] };

type FlagValue = boolean | number | string | readonly string[];
type Reading = { readonly value: FlagValue } | { readonly problem: string };

const flagsByName: ReadonlyMap<string, Flag> = new Map(Object.entries(flags));

/** The part of a flag that is a name. A secret may stick to it: `--tokenABC`, `--passwordhunter`. */
function nameOf(source: string): string {
  const [, dashes = '', name = ''] = /^(--?)([a-z-]*)/.exec(source) ?? [];
  return dashes + (secretFlagOf(name) ?? name);
}

function readText(flag: Flag, text: string): Reading {
  const { takes } = flag;
  if (takes === 'text' || takes === 'file') return { value: text };
  if (takes === 'files') return { value: [text] };
  if (takes === 'texts') return { value: text.split(',').filter((word) => word !== '') };
  const [least, most] = takes;
  if (typeof least === 'number' && typeof most === 'number') {
    const value = Number(text);
    const isFine = /^\d{1,16}$/.test(text) && value >= least && value <= most;
    return isFine ? { value } : { problem: `expected a whole number from ${least} to ${most}` };
  }
  // The cast: what takes neither a text nor a number takes one of these words.
  const words = takes as readonly string[];
  return words.includes(text) ? { value: text } : { problem: `expected one of ${words.join(', ')}` };
}

/** Reads the value of a flag. Problems do not quote it: it may be a secret in the wrong place. */
function readValue(flag: Flag, text: string | undefined): Reading {
  if (flag.takes === 'nothing') return text === undefined ? { value: true } : { problem: 'takes no value' };
  if (text === undefined || text === '') return { problem: `needs a value: ${flag.value}` };
  return readText(flag, text);
}

function unknownFlag(source: string, taken: readonly string[], subcommand: string, whole: string): string {
  const name = source.replace(/^-+/, '');
  if (secretFlagOf(name) !== undefined) {
    return 'secrets do not belong on a command line, which other users can read; see --token-file, --password-stdin';
  }
  const near = nearest(name, taken);
  const meant = near === undefined ? '' : ` (did you mean "--${near}"?)`;
  const elsewhere = near === undefined && flagsByName.has(name) ? ` of "${subcommand}"` : '';
  return `unknown flag${elsewhere}${meant}; see ${whole} --help`;
}

/** Checks the number of operands. The problem does not quote them, either. */
function operandProblem(count: number, { operands: names, flags }: Omit<Subcommand, 'load'>): UsageProblem | undefined {
  const least = names.filter((name) => name.startsWith('<')).length;
  const most = names.at(-1)?.includes('…') ? Number.POSITIVE_INFINITY : names.length;
  if (count >= least && count <= most) return undefined;
  const accepted = names.length === 0 ? 'no arguments' : names.join(' ');
  const file = names.length === 0 && flags.includes('file') ? '; see --file' : '';
  return { where: 'arguments', message: `expected ${accepted}, got ${count}${file}` };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** The flags and arguments that read stdin. */
function readersOfStdin(tokens: readonly Token[], { operands, readsOperands }: Omit<Subcommand, 'load'>): string[] {
  let operand = 0;
  return tokens.flatMap((token) => {
    if (token.kind === 'positional') {
      const where = operands[Math.min(operand++, operands.length - 1)] ?? 'arguments';
      return readsOperands && token.value === '-' ? [where] : [];
    }
    if (token.kind !== 'option') return [];
    const { takes } = flagsByName.get(token.name) ?? {};
    const isFile = takes === 'file' || takes === 'files';
    return token.name === 'password-stdin' || (isFile && token.value === '-') ? [token.rawName] : [];
  });
}

/** Parses the arguments of a subcommand; throws UsageError with all problems. */
export function readArguments(args: readonly string[], name: string, subcommand: Omit<Subcommand, 'load'>): Arguments {
  const taken: readonly string[] = [...subcommand.flags, 'help'];
  const kinds = taken.map((flag) => {
    const { takes, short } = flagsByName.get(flag) ?? {};
    const type = takes === 'nothing' ? 'boolean' : 'string';
    return [flag, { type, ...(short === undefined ? {} : { short }) }] as const;
  });
  // Not strict: that would stop at the first problem.
  const { tokens } = parseArgs({ args: [...args], options: Object.fromEntries(kinds), strict: false, tokens: true });
  const problems: UsageProblem[] = [];
  const values: Partial<Record<FlagName, FlagValue>> = {};
  const operands: string[] = [];
  // `-psecret` is parsed as one flag for each letter, of which only the first is named.
  const unknownAt = new Set<number>();
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option' || unknownAt.has(token.index)) continue;
    const { rawName: where, value: text, inlineValue } = token;
    const flag = taken.includes(token.name) ? flagsByName.get(token.name) : undefined;
    if (flag === undefined) {
      unknownAt.add(token.index);
      const flagName = nameOf(where);
      problems.push({
        where: flagName,
        message: unknownFlag(flagName, taken, name, subcommand.whole ?? `arango-services permissions ${name}`),
      });
      continue;
    }
    // A separate word that begins with a dash is the next flag; a dash alone is stdin.
    const isNext = inlineValue === false && text.startsWith('-') && text !== '-';
    const reading = readValue(flag, isNext ? undefined : text);
    // The cast: the name of a flag that is known.
    const key = token.name as FlagName;
    const before = values[key];
    if ('problem' in reading) problems.push({ where, message: reading.problem });
    else if (Array.isArray(before) && Array.isArray(reading.value)) values[key] = [...before, ...reading.value];
    else if (before !== undefined) problems.push({ where, message: 'is given twice' });
    else values[key] = reading.value;
  }
  if (values.help !== true) {
    const [first, second] = readersOfStdin(tokens, subcommand);
    if (second !== undefined) problems.push({ where: second, message: `stdin is read already, for ${first}` });
    // The value of an unknown flag counts as an operand, so the number would be off.
    const problem = unknownAt.size > 0 ? undefined : operandProblem(operands.length, subcommand);
    if (problem !== undefined) problems.push(problem);
    if (problems.length > 0) throw new UsageError(...problems);
  }
  // The cast: each value was read by the kind of its flag, which also determines the type.
  return { flags: values as Flags, operands };
}
