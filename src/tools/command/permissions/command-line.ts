import { type FlagName, type Flags, flags } from '../shared/flags.js';

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The line that runs a subcommand with the flags that it takes of those given. Secrets are in no flag. */
export function commandLine(
  subcommand: string,
  given: Flags,
  isTaken: (name: FlagName) => boolean = () => true,
  operands: readonly string[] = [],
): string {
  // The cast: flags are known by their names.
  const words = (Object.entries(given) as [FlagName, Flags[FlagName]][]).flatMap(([name, value]) => {
    if (value === undefined || value === false || !isTaken(name)) return [];
    if (value === true) return [`--${name}`];
    // The cast: only lists of text are arrays.
    if (flags[name].takes === 'files') return (value as readonly string[]).flatMap((one) => [`--${name}`, one]);
    return [`--${name}`, Array.isArray(value) ? value.join(',') : String(value)];
  });
  return ['arango-services', 'permissions', subcommand, ...operands, ...words].map(quote).join(' ');
}
