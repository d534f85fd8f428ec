import { InvalidArgumentError } from '../../errors.js';
import { expected } from '../../lib/readers.js';
import { describeValue } from '../../lib/values.js';

/** Which requests are meant: `find`, `waitFor` and `fail` take it. */
export interface RequestFilter {
  /** In any case; any method by default. */
  readonly method?: string | undefined;
  /** The path as it is sent, or the end of it (`'/evaluate'`), or a RegExp for it; any path by default. */
  readonly path?: string | RegExp | undefined;
}

/** Whether a request is one of those that a filter means. */
export type Matches = (request: { readonly method: string; readonly path: string }) => boolean;

// CONNECT opens a tunnel: it never arrives as a request.
const methodName = /^(?!connect$)[!#$%&'*+\-.^_`|~\w]+$/i;
// A path is percent-encoded when it arrives, and its query is cut off.
const neverInPath = /[^\x21-\x7e]|[?#\\]|:\/\//;

function readMethod(method: string | undefined): string | undefined {
  if (method === undefined) return undefined;
  if (typeof method !== 'string' || !methodName.test(method)) {
    throw expected('method', 'the name of an HTTP method', method);
  }
  return method.toUpperCase();
}

function readPath(path: string | RegExp | undefined): (path: string) => boolean {
  if (path === undefined) return () => true;
  if (path instanceof RegExp) {
    // A copy without `g` and `y`, which would remember where the last request matched.
    const pattern = new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
    return (sent) => pattern.test(sent);
  }
  if (typeof path === 'string' && path !== '' && !neverInPath.test(path)) return (sent) => sent.endsWith(path);
  const got = typeof path === 'string' && path !== '' ? 'a text that no path ends with' : describeValue(path);
  throw new InvalidArgumentError(
    'path',
    `expected a path as it is sent (percent-encoded, without origin and query), the end of one, or a RegExp, got ${got}`,
  );
}

/**
 * Refuses names that are not fields.
 * @throws InvalidArgumentError naming the first one.
 */
export function refuseUnknown(value: object, fields: readonly string[], field: string): void {
  if (typeof value !== 'object' || value === null) throw expected(field, 'an object', value);
  for (const name of Object.keys(value)) {
    if (!fields.includes(name)) throw new InvalidArgumentError(name, `unknown field: expected ${fields.join(', ')}`);
  }
}

/**
 * Reads method and path of a filter once.
 * @throws InvalidArgumentError for what could never match.
 */
export function readFilter({ method, path }: RequestFilter): Matches {
  const wanted = readMethod(method);
  const matchesPath = readPath(path);
  return (request) => (wanted === undefined || request.method.toUpperCase() === wanted) && matchesPath(request.path);
}

/** For errors: `POST /evaluate`, `any method /evaluate`. */
export function formatFilter({ method, path }: RequestFilter): string {
  return `${method?.toUpperCase() ?? 'any method'} ${path === undefined ? 'any path' : String(path)}`;
}
