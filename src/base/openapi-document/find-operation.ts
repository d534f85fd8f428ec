import type { DocumentOperation, DocumentPath } from './document-paths.js';
import { decodeText } from './path-text.js';
import { type RequiredPermission, requiredBy } from './permission.js';
import { isMoreSpecific, matchTemplate, mayMatch, type SentSegment } from './template.js';

/** The operation of a request. */
export interface FoundOperation {
  readonly operation: DocumentOperation;
  /** The values of the path parameters, decoded. */
  readonly values: ReadonlyMap<string, string>;
  /** All that the caller needs; empty if the operation is public. */
  readonly needs: readonly RequiredPermission[];
}

/** The operations that a router may run for a method, the usual one first: for HEAD, many run GET. */
const operationsOf = ({ operations }: DocumentPath, method: string): DocumentOperation[] =>
  (method === 'head' ? ['get', 'head'] : [method]).flatMap((name) => operations.get(name) ?? []);

/** A path without the parts that its router may ignore. */
const loosely = (path: string) => path.toLowerCase().replace(/\/$/, '');

/** True if both operations need the same permission on the same resource. */
function needSame(a: DocumentOperation, b: DocumentOperation): boolean {
  const [permission, other] = [a.permission, b.permission];
  if (typeof permission !== 'object' || typeof other !== 'object') return permission === other;
  const isSame = permission.action === other.action && permission.resource === other.resource;
  return isSame && (loosely(a.path) === loosely(b.path) || permission.parts.every((part) => typeof part === 'string'));
}

const ambiguous = 'the path nearly matches another operation';

/**
 * Finds the operation that a router would run among paths, the most specific first, and the permissions that the
 * request needs. Returns a reason instead if another operation, which needs something else, could run.
 */
export function findOperation(
  paths: readonly DocumentPath[],
  method: string,
  sent: readonly SentSegment[],
  query = '',
): FoundOperation | string {
  const name = method.toLowerCase();
  const near = paths
    .filter(({ template }) => mayMatch(template, sent))
    .map((path) => ({ path, values: matchTemplate(path.template, sent), operations: operationsOf(path, name) }));
  const matched = near.find(({ values }) => values);
  if (matched?.values === undefined) return near.length > 0 ? ambiguous : 'no path of the document matches';
  const [operation] = matched.operations;
  if (operation === undefined) return 'the path has no operation of this method';
  const { template } = matched.path;
  // The router takes the more specific path of two that match exactly.
  const likely = near.filter(({ path, values }) => values === undefined || !isMoreSpecific(template, path.template));
  for (const { path, operations } of likely) {
    if (path === matched.path) continue;
    const lacksMethod = operations.length === 0 && isMoreSpecific(path.template, template);
    if (lacksMethod || !operations.every((rival) => needSame(operation, rival))) return ambiguous;
  }
  const needs = new Map<string, RequiredPermission>();
  // For HEAD, the router may run the GET of another matching path.
  for (const { values, operations } of name === 'head' ? near : likely) {
    for (const { permission } of operations) {
      const required = requiredBy(permission, values ?? matched.values, query);
      if (typeof required === 'string') return required;
      for (const need of required) needs.set(`${need.action}\n${need.resource}`, need);
    }
  }
  const values = [...matched.values].map(([name, text]) => [name, decodeText(text) ?? text] as const);
  return { operation, values: new Map(values), needs: [...needs.values()] };
}
