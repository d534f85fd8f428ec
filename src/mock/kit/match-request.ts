import {
  accepting,
  optionsOf,
  type Reader,
  type ReadersOf,
  type ReadOptions,
  readFields,
} from '../../base/lib/readers.js';
import { describeValue } from '../../base/lib/values.js';
import type { RequestFilter } from '../options/request-filter.js';
import { isMethod, patternFault, segmentName } from '../wire/path-rules.js';

/** Tests a request against a filter. */
export type Matches = (request: { readonly method: string; readonly path: string }) => boolean;

// Paths arrive percent-encoded and without their query.
const neverInPath = /[^\x21-\x7e]|[?#\\]|:\/\//;

const readPath: Reader<(path: string) => boolean> = (path, reading) => {
  let pattern: RegExp;
  if (path instanceof RegExp) {
    // A copy without `g` and `y`, which keep state between matches.
    pattern = new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
  } else {
    const isFilled = typeof path === 'string' && path !== '';
    if (!isFilled || neverInPath.test(path)) {
      return reading.report(
        'expected a path as it is sent (percent-encoded, without origin and query), its end, or a RegExp',
        { got: isFilled ? 'a string that no path ends with' : describeValue(path) },
      );
    }
    const fault = patternFault(path[0] === '/' ? path : `/${path}`);
    if (fault !== undefined) return reading.report(fault);
    const parts = path.split('/').map(patternOf).join('/');
    pattern = new RegExp(`${parts.replace(/\/\\\*$/, '(?:/.*)?')}$`);
  }
  return (sent) => pattern.test(sent);
};

/** A segment as a pattern, for which `:name` and `{name}` stand for any. */
const patternOf = (part: string): string => (segmentName(part) === undefined ? part.replace(/\W/g, '\\$&') : '[^/]+');

/** Readers of the fields of a filter. */
export const filterReaders = {
  method: accepting<string>('the name of an HTTP method', (value) => typeof value === 'string' && isMethod(value)),
  path: readPath,
} satisfies ReadersOf<RequestFilter>;

/** Creates the matcher of a filter whose fields were read. */
export function matcherOf({ method, path }: ReadOptions<typeof filterReaders>): Matches {
  const wanted = method?.toUpperCase();
  return (request) =>
    (wanted === undefined || request.method.toUpperCase() === wanted) && (path === undefined || path(request.path));
}

/** Reads a filter; throws InvalidArgumentError for a filter that could never match. */
export function readFilter(filter: RequestFilter): Matches {
  return matcherOf(readFields(filter, 'filter', optionsOf(filterReaders)));
}

/** Formats a filter for errors: `POST /evaluate`, `any method /evaluate`. */
export function formatFilter({ method, path }: RequestFilter): string {
  return `${method?.toUpperCase() ?? 'any method'} ${path === undefined ? 'any path' : String(path)}`;
}
