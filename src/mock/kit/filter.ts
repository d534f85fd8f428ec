import { accepting, asGiven, optionsOf, type Reader, type ReadOptions, readFields } from '../../lib/readers.js';
import { describeValue } from '../../lib/values.js';
import { isMethod } from '../wire/paths.js';

/** Which requests are meant: `find`, `waitFor` and `fail` take it. */
export interface RequestFilter {
  /** In any case; any method by default. */
  readonly method?: string | undefined;
  /** The path as it is sent, or the end of it (`'/evaluate'`), or a RegExp for it; any path by default. */
  readonly path?: string | RegExp | undefined;
}

/** Whether a request is one of those that a filter means. */
export type Matches = (request: { readonly method: string; readonly path: string }) => boolean;

// A path is percent-encoded when it arrives, and its query is cut off.
const neverInPath = /[^\x21-\x7e]|[?#\\]|:\/\//;

const readPath: Reader<(path: string) => boolean> = (path, reading) => {
  if (path instanceof RegExp) {
    // A copy without `g` and `y`, which would remember where the last request matched.
    const pattern = new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
    return (sent) => pattern.test(sent);
  }
  const isFilled = typeof path === 'string' && path !== '';
  if (isFilled && !neverInPath.test(path)) return (sent) => sent.endsWith(path);
  return reading.report(
    'expected a path as it is sent (percent-encoded, without origin and query), the end of one, or a RegExp',
    { got: isFilled ? 'a text that no path ends with' : describeValue(path) },
  );
};

/** How the fields of a filter are read: the method, and what the path becomes that is looked for. */
export const filterReaders = {
  method: accepting<string>('the name of an HTTP method', (value) => typeof value === 'string' && isMethod(value)),
  path: readPath,
};

/**
 * Refuses names that are not fields.
 * @throws InvalidArgumentError naming the first one.
 */
export function refuseUnknown(value: object, fields: readonly string[], field: string): void {
  readFields(value, field, optionsOf(Object.fromEntries(fields.map((name) => [name, asGiven]))));
}

/** Whether a request is meant by a filter whose fields were read. */
export function matcherOf({ method, path }: ReadOptions<typeof filterReaders>): Matches {
  const wanted = method?.toUpperCase();
  return (request) =>
    (wanted === undefined || request.method.toUpperCase() === wanted) && (path === undefined || path(request.path));
}

/**
 * Reads method and path of a filter once.
 * @throws InvalidArgumentError for what could never match.
 */
export function readFilter(filter: RequestFilter): Matches {
  return matcherOf(readFields(filter, 'filter', optionsOf(filterReaders)));
}

/** For errors: `POST /evaluate`, `any method /evaluate`. */
export function formatFilter({ method, path }: RequestFilter): string {
  return `${method?.toUpperCase() ?? 'any method'} ${path === undefined ? 'any path' : String(path)}`;
}
