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
 * Finds the operation of a request, or the reason why no operation is certain.
 * @param paths the paths of a document, the most specific first
 * @param query the query as it was sent, without its `?`
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
  const needs = new Map<string, RequiredPermission>();
  for (const { path, values, operations } of near) {
    // The router takes the more specific path of two that match exactly. Of HEAD it may run another path's GET.
    const isLess = values !== undefined && isMoreSpecific(template, path.template);
    if (isLess && name !== 'head') continue;
    if (path !== matched.path && !isLess) {
      const lacksMethod = operations.length === 0 && isMoreSpecific(path.template, template);
      if (lacksMethod || !operations.every((rival) => needSame(operation, rival))) return ambiguous;
    }
    for (const { permission } of operations) {
      const found = requiredBy(permission, values ?? matched.values, query);
      if (typeof found === 'string') return found;
      for (const need of found) needs.set(`${need.action}\n${need.resource}`, need);
    }
  }
  const values = [...matched.values].map(([name, text]) => [name, decodeText(text) ?? text] as const);
  return { operation, values: new Map(values), needs: [...needs.values()] };
}
