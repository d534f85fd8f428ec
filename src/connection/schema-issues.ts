import type { SchemaIssue } from '../errors.js';
import type { ShowText } from '../secrets/filter.js';
import { quotesValue } from '../secrets/values.js';

/** An issue as a Standard Schema gives it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

const unfit = 'does not fit';

/** The value at a path; undefined where there is none. */
function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}

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
