import { quoteGo } from '../../policy/decisions/go-quoted.js';

// Formats lines as the services' library, zerolog 1.34, does.

/** The levels, least first. */
export const levels = ['debug', 'info', 'warn'] as const;
type Level = (typeof levels)[number];

/** The value of a field: text, a number, a list of texts, or other JSON that is formatted already. */
type FieldValue = string | number | readonly string[] | { readonly json: string };

/** A field of a line. Two fields may have the same name. */
export type Field = readonly [name: string, value: FieldValue];

/** A line of a log. */
export interface Line {
  readonly level: Level;
  /** The time (RFC 3339, without a fraction). */
  readonly time: string;
  readonly fields: readonly Field[];
  readonly message: string;
}

/** A text in JSON: all characters beyond ASCII as they are, except DEL. */
const jsonOf = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f');

function jsonValue(value: FieldValue): string {
  if (typeof value === 'string') return jsonOf(value);
  if (typeof value === 'number') return String(value);
  return 'json' in value ? value.json : `[${value.map(jsonOf).join()}]`;
}

/** Writes a line, unless its level is too low. */
export type Log = (level: Level, fields: readonly Field[], message: string) => void;

/** Formats a line as JSON. A field named `message` comes before the line's own message. */
export function formatJson({ level, time, fields, message }: Line): string {
  const all: readonly Field[] = [['level', level], ...fields, ['time', time], ['message', message]];
  return `{${all.map(([name, value]) => `${jsonOf(name)}:${jsonValue(value)}`).join()}}\n`;
}

const shortLevels: Readonly<Record<Level, string>> = { debug: 'DBG', info: 'INF', warn: 'WRN' };

/** True for a value that needs no quotes. */
const isPlain = /^[!#-[\]-~]*$/;

/** A list as Go's encoder has it. */
const listOf = (texts: readonly string[]): string =>
  JSON.stringify(texts.map((text) => text.toWellFormed())).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );

function prettyValue(value: FieldValue): string {
  if (typeof value === 'string') return isPlain.test(value) ? value : quoteGo(value);
  if (typeof value === 'number') return String(value);
  return 'json' in value ? value.json : listOf(value);
}

const inOrder = ([a]: Field, [b]: Field): number =>
  // The error comes first.
  Number(b === 'error') - Number(a === 'error') || (a < b ? -1 : 1);

/** Formats a line for people: the fields in alphabetical order, and of equal names the last one alone. */
export function formatPretty({ level, time, fields, message }: Line): string {
  const last = new Map(fields);
  last.delete('message');
  const parts = [...last].sort(inOrder).map(([name, value]) => ` ${name}=${prettyValue(value)}`);
  return `${time} ${shortLevels[level]} ${message}${parts.join('')}\n`;
}
