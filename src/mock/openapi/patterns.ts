import { InvalidArgumentError } from '../../base/errors.js';

const compiles = (pattern: string): boolean => {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
};

/**
 * Converts a pattern for the flag `u`, with which the validator compiles it. With that flag fewer escapes are valid
 * than in other engines: `\_` and `[\w-.]` are errors.
 */
export function toUnicodePattern(pattern: string): string {
  if (compiles(pattern)) return pattern;
  let inClass = false;
  let previous = '';
  const strict = pattern.replace(/\\?[\s\S]/g, (part) => {
    const [before, escaped] = [previous, part.length === 2 ? part.slice(1) : ''];
    previous = part;
    if (part === '[' || part === ']') inClass = part === '[';
    if (part === '-' && inClass && /^\\[dsw]$/i.test(before)) return '\\-';
    const isIdentity = escaped === '-' ? !inClass : !/^[a-z\d^$\\.*+?()[\]{}|/-]?$/i.test(escaped);
    return isIdentity ? escaped : part;
  });
  if (compiles(strict)) return strict;
  throw new InvalidArgumentError('document', 'holds a pattern that is not a regular expression of JavaScript');
}
