import { printable } from '../../../lib/printable.js';

const longest = 160;

/**
 * Makes foreign text fit for a line: no control characters, no hidden or reversed text, no endless name.
 * @param most the number of characters before the text is cut.
 */
export function shown(text: string, most = longest): string {
  if (text === '') return '(empty)';
  const short = text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
  return printable(short);
}

const numbers = new Intl.NumberFormat('en');

export const number = (count: number): string => numbers.format(count);

/** A number with its noun: `1 user`, `2,000 users`. */
export const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
