import { type Flag, type FlagName, flags } from './flags.js';
import { type Subcommand, subcommands } from './subcommands.js';

const rows = (all: readonly (readonly [left: string, right: string])[]): string => {
  const width = Math.max(...all.map(([left]) => left.length));
  return all.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

function describeFlag(name: FlagName, own: string | undefined): readonly [string, string] {
  const { short, value, help }: Flag = flags[name];
  const letter = short === undefined ? '' : `-${short}, `;
  return [`${letter}--${name}${value === undefined ? '' : ` ${value}`}`, own ?? help];
}

/** The text of `permissions --help`. */
export const formatHelp = (): string => `arango-services permissions: policies, roles and bindings in files

Usage: arango-services permissions <subcommand> [flags]

${rows([...subcommands].map(([name, { summary }]) => [name, summary]))}

arango-services permissions <subcommand> --help lists its flags.
Exit code: 0 when done or with nothing to do, 1 if it failed or was refused, 2 if there are changes or findings,
64 for wrong flags or a file that cannot be read.`;

/** The text of `permissions <subcommand> --help`. */
export function formatSubcommandHelp(
  name: string,
  {
    whole = `arango-services permissions ${name}`,
    summary,
    operands,
    flags,
    helps = {},
    exits,
  }: Omit<Subcommand, 'load'>,
): string {
  const usage = [whole, ...operands, '[flags]'].join(' ');
  const all: readonly FlagName[] = [...flags, 'help'];
  return `${whole}: ${summary}

Usage: ${usage}

${rows(all.map((flag) => describeFlag(flag, helps[flag])))}
${exits === undefined ? '' : `\n${exits}\n`}`;
}
