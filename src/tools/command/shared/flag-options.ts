import type { FlagName } from './flags.js';

/**
 * The flag of each option of a function that a subcommand calls; undefined for an option that the command sets itself.
 * It has to name every option: a new one without its line does not compile.
 */
export type FlagsOf<T, Names = FlagName> = { readonly [Name in keyof Required<T>]: Names | undefined };

/** The options that flags set, with the values of the flags. */
type OptionsOf<F, T> = {
  readonly [Name in keyof T as T[Name] extends keyof F ? Name : never]: T[Name] extends keyof F ? F[T[Name]] : never;
};

/** Reads options from the flags that a table names for them. */
export function readOptions<F extends object, T extends Readonly<Record<string, keyof F | undefined>>>(
  flags: F,
  table: T,
): OptionsOf<F, T> {
  const named = Object.entries(table).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flags[flag]]]));
  // The cast: an option for each entry of the table, with the value of its flag.
  return Object.fromEntries(named) as OptionsOf<F, T>;
}
