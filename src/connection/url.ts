import { InvalidArgumentError } from '../errors.js';
import { expected, type Reader, refuse } from '../lib/readers.js';
import { isPlainObject } from '../lib/values.js';

/** A configured base URL, taken apart. */
export interface Base {
  readonly origin: string;
  /** The path without a trailing slash; empty for the root. */
  readonly prefix: string;
  /** The query of the base URL, without `?`. */
  readonly query: string;
}

/** A path and the query that was written behind it, both encoded. */
export interface EncodedPath {
  readonly path: string;
  readonly query: string;
}

/** A value of a query pair. `undefined` leaves the pair out, `null` sends it empty. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined;
/** What a query can be given as. An array repeats its key; Dates are sent as ISO 8601. A string is used as it is. */
export type Query = string | URLSearchParams | { readonly [name: string]: QueryValue | readonly QueryValue[] };

// Most paths hold nothing to refuse or to encode; to know it at once shows in the cost of a call.
const plainPath = /^\/?\w[\w/-]*$/;

/** What a text must not hold, and how a message names it. */
type Refusals = readonly (readonly [pattern: RegExp, what: string])[];

// A server may decode %2F and %5C before it resolves dots, so they count as separators here.
const dotSegment = /(^|\/|%2f|%5c)(\.|%2e){1,2}($|\/|%2f|%5c)/i;

const inNames: Refusals = [[/\p{Surrogate}/u, 'a lone surrogate']];
const inQueries: Refusals = [...inNames, [/\p{Cc}/u, 'control characters']];
const inPaths: Refusals = [
  ...inQueries,
  [/\\/, 'a backslash; write %5C for a literal one'],
  [/^(\/\/|(https?|wss?|ftp|file):|[a-z][a-z\d+.-]*:\/\/)/i, 'a URL'],
  [dotSegment, '"." or ".." segments'],
];

function findRefused(text: string, refusals: Refusals): string | undefined {
  const found = refusals.find(([pattern]) => pattern.test(text));
  return found && `must not hold ${found[1]}`;
}

/** The text, which holds nothing that is refused. */
function checked(text: string, field: string, refusals: Refusals): string {
  const problem = findRefused(text, refusals);
  if (problem !== undefined) throw new InvalidArgumentError(field, problem);
  return text;
}

const encodeName = (text: string, field: string) => encodeURIComponent(checked(text, field, inNames));

/** A configured base URL. */
export const readBase: Reader<Base> = (value, reading) => {
  const text = value instanceof URL ? value.href : value;
  // A browser resolves "host" and "/x" against the page, and `http:x` against its origin.
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return refuse(reading, 'an absolute http: or https: URL like "http://localhost:8529"', value);
  }
  const { origin, pathname, search, username, password, hash } = new URL(text);
  if (username || password || hash) {
    const hint = 'use credentials.basic(user, password)';
    return reading.report(`must not hold a user, password or fragment (#…); ${hint}`);
  }
  return { origin, prefix: pathname.replace(/\/$/, ''), query: search.slice(1) };
};

/** A name as one path segment, encoded. */
export const readSegment: Reader<string> = (value, reading) => {
  const name = typeof value === 'string' ? value : '';
  const problem = findRefused(name, inNames);
  if (problem !== undefined) return reading.report(problem);
  // A name like `../x` would walk up on a server that decodes before it resolves.
  const segment = encodeURIComponent(name);
  if (segment !== '' && !dotSegment.test(segment)) return segment;
  return refuse(reading, 'a name that is not empty and holds no "." or ".." between slashes', value);
};

/** Encodes what a URL cannot hold. A caller's valid escapes stay as they were, and a `#` never cuts. */
const encodeText = (text: string) =>
  encodeURI(text).replace(/%25(?=[\da-f]{2})|#/gi, (found) => (found === '#' ? '%23' : '%'));

// A URL can hold brackets in its query, and people use them (`filter[open]=1`).
const encodeQueryText = (text: string, field: string) =>
  checked(text, field, inQueries).replace(/[^[\]]+/g, encodeText);

/** Joins encoded queries in their order. */
export const joinQueries = (...queries: readonly string[]): string => queries.filter(Boolean).join('&');

/**
 * A caller's path below another one, joined with exactly one slash, and the query that is written behind it.
 * @throws InvalidArgumentError when it could leave what it is below: dot segments, a URL, `//` in front, a backslash, control characters.
 */
export function below(parent: EncodedPath, given: unknown, field: string): EncodedPath {
  if (typeof given !== 'string') throw expected(field, 'a string', given);
  const { path, query } = plainPath.test(given) ? { path: given, query: '' } : encodePath(given, field);
  return {
    path: path === '' ? parent.path : `${parent.path.replace(/\/$/, '')}/${path.replace(/^\//, '')}`,
    query: joinQueries(parent.query, query),
  };
}

function encodePath(given: string, field: string): EncodedPath {
  const cut = `${given}?`.indexOf('?');
  return {
    path: encodeText(checked(given.slice(0, cut), field, inPaths)),
    query: encodeQueryText(given.slice(cut + 1), field),
  };
}

/** Encodes a caller's query, without `?`. @throws InvalidArgumentError naming the pair. */
export function encodeQuery(query: unknown, field = 'qs'): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return encodeQueryText(query.replace(/^\?/, ''), field);
  if (query instanceof URLSearchParams) return query.toString();
  if (!isPlainObject(query)) throw expected(field, 'a plain object, a string or URLSearchParams', query);
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) pairs.push(`${encodeName(name, field)}=${queryValue(one, `${field}.${name}`)}`);
    }
  }
  return pairs.join('&');
}

function queryValue(value: unknown, field: string): string {
  if (value === null) return '';
  // An invalid Date is null in JSON.
  const plain = value instanceof Date ? value.toJSON() : value;
  const type = typeof plain;
  if (type === 'string' || type === 'boolean' || type === 'bigint' || Number.isFinite(plain)) {
    return encodeName(String(plain), field);
  }
  throw expected(
    field,
    'a string, a finite number, a bigint, a boolean, a valid Date, null, or an array of these',
    value,
  );
}

/** The whole URL of a call. Parsed once more, so that nothing but the expected origin and path can come out. */
export function buildUrl(base: Base, path: string, query: string): string {
  const all = joinQueries(base.query, query);
  const url = base.origin + path + (all && `?${all}`);
  const parsed = new URL(url);
  if (parsed.origin !== base.origin || parsed.pathname !== path) {
    throw new InvalidArgumentError('path', 'would leave the configured URL');
  }
  return url;
}
