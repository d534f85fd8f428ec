import { nearest } from '../../base/lib/nearest.js';

/** Longer texts get no suggestion, to bound the time. */
const longest = 64;

/** A suggestion of the nearest name; empty if none is near. */
export function suggestion(text: string, names: Iterable<string>): string {
  const name = text.length > longest ? undefined : nearest(text, names);
  return name === undefined ? '' : ` (did you mean ${JSON.stringify(name)}?)`;
}

/** The maximum number of suggestions per file. */
const mostSuggestions = 100;

/**
 * Limits suggestions to the first problems: comparing thousands of misspelt names with thousands of names would take
 * minutes.
 */
export function createSuggestions(): typeof suggestion {
  let left = mostSuggestions;
  return (text, names) => (left-- > 0 ? suggestion(text, names) : '');
}
