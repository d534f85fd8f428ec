import { escapeUnprintable } from './text/printable.js';

/** Formats a value as JSON. Characters that a terminal would interpret are escaped, not removed. */
export const jsonText = (value: unknown, indent?: string | number): string =>
  escapeUnprintable(JSON.stringify(value, undefined, indent));
