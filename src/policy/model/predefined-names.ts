import { resourceFault } from './pattern.js';

const longestName = 1_024;

/** The prefix of names that belong to the platform. */
export const predefined = 'managed:predefined:';

/** The prefix of names that the operator creates from custom resources. */
export const operatorPrefix = 'managed:operator:';

/** Names the program that owns a name and reverts changes to it; undefined if there is none. */
export const keeperOf = (name: string): string | undefined =>
  name.startsWith(predefined) ? 'the platform' : name.startsWith(operatorPrefix) ? 'the operator' : undefined;

/** Describes the problem of a name that the services cannot store or find again; undefined if it is valid. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > longestName) return `is longer than ${longestName} characters`;
  if (name.includes('/')) return 'must not hold a "/": the services answer 404 to it';
  if (name.includes('\0')) return 'must not hold NUL';
  if (name === '.' || name === '..') return 'must not be "." or "..": they are steps of a path';
  // Some servers decode a backslash as a path separator, so the client does not send such names.
  if (/(?:^|\\)\.{1,2}(?:\\|$)/.test(name))
    return 'must not hold "." or ".." beside a backslash: they are steps of a path';
  return resourceFault(name, true) === 'holds a lone surrogate' ? 'holds a lone surrogate' : undefined;
}

/** Describes the problem of a user's name in a binding, which the services store as `user:role`. */
export const userFault = (user: string): string | undefined =>
  user.includes(':') ? 'holds a ":": users named by its prefixes would get the role, too' : undefined;
