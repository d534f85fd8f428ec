import type { SchemaIssue } from '../errors.js';
import type { ShowText } from '../secrets/filter.js';
import { quotesValue, textsIn } from '../secrets/values.js';

/** An issue as a Standard Schema gives it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const unfit = 'does not fit';
const mostOfSchema = 100_000;

/**
 * The issues of a body that did not fit, fit for logs: each path, and the schema's own words unless they quote the
 * body. Libraries put what they received into their messages (`received "…"`).
 *
 * A schema does not say which names it knows, and those of a record are data. A name stands in a path if it stands in
 * the schema as well (as the name of a property or as a text, at any depth), or if it does not stand in the body.
 */
export function showIssues(
  issues: readonly StandardIssue[],
  body: unknown,
  show: ShowText,
  schema?: unknown,
): SchemaIssue[] {
  const known = textsIn(schema, mostOfSchema);
  const received = textsIn(body);
  // A schema that names no issue has found one all the same.
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
