import type { DocumentOperation, DocumentPath } from './operations.js';
import { isWithin, matchTemplate, mayMatch, type SentSegment } from './template.js';

/** An operation with the values of its path parameters, decoded. */
export interface FoundOperation {
  readonly operation: DocumentOperation;
  readonly values: ReadonlyMap<string, string>;
}

/** The operation of a method; HEAD counts as GET. */
const ofMethod = ({ operations }: DocumentPath, method: string): DocumentOperation | undefined =>
  (method === 'head' ? operations.get('get') : undefined) ?? operations.get(method);

/** A path without the parts that its router may ignore. */
const loosely = (path: string) => path.toLowerCase().replace(/\/$/, '');

/** True if both operations need the same permission on the same resource. */
function needSame(a: DocumentOperation, b: DocumentOperation): boolean {
  const [one, other] = [a.permission, b.permission];
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  const isSame = one.action === other.action && one.resource === other.resource;
  return isSame && (loosely(a.path) === loosely(b.path) || one.parts.every((part) => typeof part === 'string'));
}

/**
 * Finds the operation of a request, or the reason why no operation is certain.
 * @param paths the paths of a document, the most specific first
 */
export function findOperation(
  paths: readonly DocumentPath[],
  method: string,
  sent: readonly SentSegment[],
): FoundOperation | string {
  const name = method.toLowerCase();
  for (const path of paths) {
    const { template } = path;
    const values = matchTemplate(template, sent);
    if (values === undefined) {
      // A router that compares more loosely would run this more specific operation.
      if (template.segments.length === sent.length && mayMatch(template, sent)) {
        return 'the path nearly matches another operation';
      }
      continue;
    }
    const operation = ofMethod(path, name);
    if (operation === undefined) return 'the path has no operation of this method';
    const own = path.operations.get(name);
    if (own?.permission !== undefined && !needSame(operation, own)) return 'HEAD and GET need different permissions';
    // Another path is less specific if its parameters only take more; otherwise routers differ on which one to run.
    const rivals = paths
      .filter((other) => other !== path && mayMatch(other.template, sent))
      .flatMap((other) => {
        const isLess = isWithin(template, other.template) && !isWithin(other.template, template);
        return (isLess ? undefined : ofMethod(other, name)) ?? [];
      });
    return rivals.every((rival) => needSame(operation, rival))
      ? { operation, values }
      : 'the path also matches an operation that needs another permission';
  }
  return 'no path of the document matches';
}
