import type { SchemaIssue } from '../errors.js';
import { quotesValue, type ShowText, textsIn } from '../secrets/filter.js';

/** An issue of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const unfit = 'does not fit';
const mostOfSchema = 100_000;

/**
 * Returns the issues of an invalid body in loggable form: each path, and the schema's message unless it quotes the
 * body. Libraries put the received value into their messages (`received "…"`).
 *
 * A schema does not tell which names it knows, and the keys of a record are data. So a path shows a name only if it
 * also occurs in the schema (as a property or a string, at any depth), or if it does not occur in the body.
 */
export function showIssues(
  issues: readonly StandardIssue[],
  body: unknown,
  show: ShowText,
  schema?: unknown,
): SchemaIssue[] {
  const known = textsIn(schema, mostOfSchema);
  const received = textsIn(body);
  // A failed validation without issues is still a failure.
  const all: readonly StandardIssue[] = issues.length > 0 ? issues : [{ message: '' }];
  return all.map(({ message, path = [] }) => {
    let value = body;
    const keys = path.map((part) => {
      const key = typeof part === 'object' ? part.key : part;
      const name = String(key);
      const isKnown = Array.isArray(value)
        ? typeof key === 'number'
        : known?.has(name) || received?.has(name) === false;
      value =
        Object(value) === value && Object.hasOwn(value as object, key) ? Reflect.get(value as object, key) : undefined;
      return isKnown && show(name) === name ? key : '…';
    });
    const text = quotesValue(message, value) ? '' : show(message);
    return { message: text || unfit, path: keys };
  });
}
