import { nearest } from '../../lib/nearest.js';

/** Longer texts are not compared with every name. */
const longest = 64;

/** A suggestion of the nearest name, or an empty text. */
export function suggestion(text: string, names: Iterable<string>): string {
  const name = text.length > longest ? undefined : nearest(text, names);
  return name === undefined ? '' : ` (did you mean ${JSON.stringify(name)}?)`;
}

/** The most suggestions of one read. */
const mostSuggestions = 100;

/** Suggests names for the first problems only: thousands, compared with thousands of names, would take minutes. */
export function createSuggestions(): typeof suggestion {
  let left = mostSuggestions;
  return (text, names) => (left-- > 0 ? suggestion(text, names) : '');
}
