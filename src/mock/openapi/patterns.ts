import { InvalidArgumentError } from '../../errors.js';

const compiles = (pattern: string): boolean => {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
};

/**
 * A pattern as the validator compiles it, with the flag `u`, which takes fewer escapes than other engines do: `\_` and
 * `[\w-.]` are errors with it.
 */
export function toUnicodePattern(pattern: string): string {
  if (compiles(pattern)) return pattern;
  const strict = pattern
    .replace(/\\([\s\S])/g, (pair, one: string) => (/[a-z\d^$\\.*+?()[\]{}|/-]/i.test(one) ? pair : one))
    .replace(/\\([\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]/g, (part) =>
      part.startsWith('[') ? part.replace(/(\\[dswDSW])-(?!\])/g, '$1\\-') : part.replace(/^\\-$/, '-'),
    );
  if (compiles(strict)) return strict;
  throw new InvalidArgumentError('document', 'holds a pattern that is not a regular expression of JavaScript');
}
