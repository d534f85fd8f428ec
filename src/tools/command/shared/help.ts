import { type Flag, type FlagName, flags } from './flags.js';
import type { Subcommand } from './subcommand.js';

/** Aligns two columns of text. */
export const rows = (all: readonly (readonly [left: string, right: string])[]): string => {
  const width = Math.max(...all.map(([left]) => left.length));
  return all.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

/** The words about a flag that may be repeated. */
const repeated = (takes: Flag['takes']): string =>
  takes === 'texts' ? '; repeat it or use commas' : takes === 'files' ? '; may be repeated' : '';

function describeFlag(name: FlagName, override: string | undefined): readonly [string, string] {
  const { short, value, help, takes }: Flag = flags[name];
  const letter = short === undefined ? '' : `-${short}, `;
  return [`${letter}--${name}${value === undefined ? '' : ` ${value}`}`, (override ?? help) + repeated(takes)];
}

/** The text of `permissions <subcommand> --help`. */
export function formatSubcommandHelp(
  name: string,
  { whole = `arango-services permissions ${name}`, summary, operands, flags, helps = {}, exits }: Subcommand,
): string {
  const usage = [whole, ...operands, '[flags]'].join(' ');
  const all: readonly FlagName[] = [...flags, 'help'];
  return `${whole}: ${summary}

Usage: ${usage}

${rows(all.map((flag) => describeFlag(flag, helps[flag])))}
${exits === undefined ? '' : `\n${exits}\n`}`;
}
