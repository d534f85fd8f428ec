import type { FlagName, Flags } from '../shared/flags.js';

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The line that runs a subcommand with the flags that it takes of those given. Secrets are in no flag. */
export function commandLine(
  subcommand: string,
  given: Flags,
  isTaken: (name: FlagName) => boolean = () => true,
  operands: readonly string[] = [],
): string {
  // The cast: flags are known by their names.
  const flags = (Object.entries(given) as [FlagName, Flags[FlagName]][]).flatMap(([name, value]) => {
    if (value === undefined || value === false || !isTaken(name)) return [];
    return value === true ? [`--${name}`] : [`--${name}`, Array.isArray(value) ? value.join(',') : String(value)];
  });
  return ['arango-services', 'permissions', subcommand, ...operands, ...flags].map(quote).join(' ');
}
