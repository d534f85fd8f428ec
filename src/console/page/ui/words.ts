import { printable } from '../../../base/lib/text/printable.js';

/** The names of a line, with commas between them. */
export const listed = (line: string): string[] =>
  line
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** Text without case and accents, for searches: "lucia" finds "Lucía", however its accent is encoded. */
export const folded = (text: string): string =>
  // Most names are ASCII, and a log has many.
  (/^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')).toLowerCase();

/** The items whose text contains one of the words. */
export function containing<T>(items: readonly T[], text: string, textOf: (item: T) => string): readonly T[] {
  const words = folded(text)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((item) => {
    const own = folded(textOf(item));
    return words.some((word) => own.includes(word));
  });
}

const longest = 160;

/** Letters without ink. */
const blanks = /[\u115f\u1160\u2800\u3164\uffa0]/g;

/** Spaces that a page would not show: two names that differ in them would look alike. */
const showSpaces = (spaces: string, at: number, whole: string): string => {
  const isInside = at > 0 && at + spaces.length < whole.length;
  return isInside && spaces === ' ' ? spaces : '\u2423'.repeat(spaces.length);
};

/**
 * Makes foreign text fit for a line: no control characters, no hidden or reversed text, no endless name, no marks that
 * pile up over other lines, and spaces that can be seen.
 * @param most the number of characters before the text is cut.
 */
export function shown(text: string, most = longest): string {
  if (text === '') return '(empty)';
  const short = text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
  return printable(short)
    .replace(blanks, '\ufffd')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1\ufffd')
    .replace(/\p{Zs}+/gu, showSpaces);
}

const numbers = new Intl.NumberFormat('en');

export const number = (count: number): string => numbers.format(count);

/** A number with its noun: `1 user`, `2,000 users`. */
export const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
