import type { SchemaIssue } from '../errors.js';
import type { ShowText } from './secret-filter.js';

/** An issue as a Standard Schema gives it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const unfit = 'does not fit';
// Shorter texts stand in many a message by chance.
const shortestText = 4;
const mostTexts = 10_000;

/** The value at a path; undefined where there is none. */
function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}

/** Whether a message quotes a value, a text of four and more characters in it, or one of its keys. */
function quotesValue(message: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    const text = String(value);
    return value !== undefined && text !== '' && holds(message, text);
  }
  const open: unknown[] = [value];
  for (let looked = 0; open.length > 0; looked++) {
    // Too much to look through: the message is not worth it.
    if (looked > mostTexts) return true;
    const next = open.pop();
    if (typeof next === 'object' && next !== null) {
      for (const [key, below] of Object.entries(next)) open.push(Array.isArray(next) ? undefined : key, below);
    } else if (typeof next === 'string' && next.length >= shortestText && holds(message, next)) return true;
  }
  return Object.keys(value).some((key) => message.includes(`"${key}"`) || message.includes(`'${key}'`));
}

/** As it is, or as JSON writes it. */
const holds = (message: string, text: string): boolean =>
  message.includes(text) || message.includes(JSON.stringify(text).slice(1, -1));

/**
 * The issues of a body that did not fit, fit for logs: each path, and the schema's own words unless they quote the
 * body. Libraries put what they received into their messages (`received "…"`).
 */
export function showIssues(issues: readonly StandardIssue[], body: unknown, show: ShowText): SchemaIssue[] {
  return issues.map(({ message, path: given }) => {
    const path = (given ?? []).map((part) => (typeof part === 'object' ? part.key : part));
    const text = quotesValue(message, valueAt(body, path)) ? '' : show(message);
    return {
      message: text === '' ? unfit : text,
      path: path.map((key) => (typeof key === 'string' && show(key) !== key ? '…' : key)),
    };
  });
}
