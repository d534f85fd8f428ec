import { printable } from './printable.js';

/** The place of something in a value: `['policies', 'read-only', 'statements', 0]`. */
export type IssuePath = readonly (string | number)[];

/**
 * Formats a path for people: `policies.read-only.statements[0].actions[1]`. Names are quoted if they need it.
 * @example
 * ```ts
 * for (const { path, message } of validatePolicy({ statements: 'none' })) console.log(formatPath(path), message);
 * ```
 */
export function formatPath(path: IssuePath): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_$…-]+$/u.test(key)) text += `[${printable(JSON.stringify(key))}]`;
    else text += (text && '.') + key;
  }
  return text;
}

/** @internal Formats the path of a schema's issue, whose indices may be text: `rows[0].id`, `headers["x y"]`. */
export const formatIssuePath = (path: readonly PropertyKey[]): string =>
  formatPath(path.map((key) => (/^\d+$/.test(String(key)) ? Number(key) : String(key))));
