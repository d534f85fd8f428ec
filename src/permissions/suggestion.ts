import { nearest } from '../lib/nearest.js';

/** Longer texts are not compared with every name. */
const longest = 64;

/**
 * A suggestion of the nearest name, or an empty text. Short names may differ in more than a third of their characters.
 */
export function suggestion(text: string, names: Iterable<string>): string {
  const most = Math.max(2, Math.ceil(text.length / 3));
  const name = text.length > longest ? undefined : nearest(text, names, most);
  return name === undefined ? '' : ` (did you mean ${JSON.stringify(name)}?)`;
}

/** The most suggestions of one read. */
const mostSuggestions = 100;

/** Suggests names for the first problems only: thousands, compared with thousands of names, would take minutes. */
export function createSuggestions(): typeof suggestion {
  let left = mostSuggestions;
  return (text, names) => (left-- > 0 ? suggestion(text, names) : '');
}
