import { InvalidArgumentError } from '../base/errors.js';
import { asGiven, optionsOf, type ReadersOf, readFlag } from '../base/lib/readers.js';
import { type EncodedPath, encodeQuery, joinQueries } from '../base/lib/url.js';
import { isObject } from '../base/lib/values.js';
import { callReaders } from './connection/call.js';
import { readHeaders } from './connection/headers.js';
import type { RequestOptions, RouteOptions } from './route-types.js';

const routeReaders = { headers: readHeaders, ...callReaders } satisfies ReadersOf<RouteOptions>;
export const readRouteOptions = optionsOf(routeReaders);
export const readRequestOptions = optionsOf({
  ...routeReaders,
  method: asGiven,
  path: asGiven,
  absolutePath: readFlag,
  body: asGiven,
  qs: asGiven,
} satisfies ReadersOf<RequestOptions>);

/** Returns the method in the options of a request, for errors; undefined if it cannot be read. */
export function methodOf(options: unknown): unknown {
  try {
    return isObject(options) ? (options.method ?? 'GET') : undefined;
  } catch {
    return undefined;
  }
}

/** Builds the target of a call: the route's target, with the caller's query appended. */
export const placed = ({ path, query }: EncodedPath, qs: unknown) => ({
  path,
  query: joinQueries(query, encodeQuery(qs)),
});

/** True for a value that can be one segment in a path array. */
const isSegment = (value: unknown) => /^(string|number|bigint)$/.test(typeof value);

/**
 * Normalizes arguments so that the path is first: if it was omitted, the first one is a body, a query or headers.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for more than `most` arguments.
 */
export function pathFirst(args: unknown[], most: number): unknown[] {
  const [first, second] = args;
  const isList = Array.isArray(first);
  if (most === 3 && isList && first.length > 0 && second !== undefined && first.every(isSegment)) {
    throw new InvalidArgumentError('arguments', 'a list is the body: use request({ path })');
  }
  const hasPath = most === 2 ? isList || Object(first) !== first : first === undefined || typeof first === 'string';
  const all = hasPath ? args : [undefined, ...args];
  if (all.slice(most).some((value) => value !== undefined)) {
    throw new InvalidArgumentError('arguments', `more than ${most}: use request({ path })`);
  }
  return all;
}
