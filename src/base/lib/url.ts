import { InvalidArgumentError } from '../errors.js';
import { expected, type Reader, readArgument, refuse } from './readers.js';
import { isPlainObject, loneSurrogate } from './values.js';

/** The parts of a configured base URL. */
export interface Base {
  readonly origin: string;
  /** The path without a trailing slash; empty for the root. */
  readonly prefix: string;
  /** The query of the base URL, without `?`. */
  readonly query: string;
}

/** A path and the query after it, both encoded. */
export type EncodedPath = { readonly path: string; readonly query: string };

/** A path from data: each element is one segment and is fully encoded, including `/`, `?` and `%`. */
export type PathSegments = readonly (string | number | bigint)[];

/** A value of a query pair. `undefined` omits the pair, `null` sends an empty value. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined;
/**
 * Accepted forms of a query. An array repeats its key; Dates are sent as ISO 8601. A string is used unchanged.
 *
 * An interface is not assignable to an index signature in TypeScript. The last member accepts interfaces, and rejects
 * anything with symbol keys, such as functions, iterables and Dates; the values of an interface are checked at run
 * time.
 * @example
 * ```ts
 * import type { Query } from 'arango-services';
 *
 * interface Filter {
 *   readonly state?: 'open' | 'closed';
 *   readonly limit?: number;
 * }
 * export const queryOf = (filter: Filter): Query => filter;
 * ```
 */
export type Query =
  | string
  | URLSearchParams
  | { readonly [name: string]: QueryValue | readonly QueryValue[] }
  | (object & {
      readonly [Key in
        | typeof Symbol.hasInstance
        | typeof Symbol.iterator
        | typeof Symbol.toPrimitive
        | typeof Symbol.toStringTag]?: never;
    });

// Most paths need no check or encoding; a fast test for that makes calls measurably cheaper.
const plainPath = /^\/?\w[\w/-]*$/;

/** Characters that a path must not contain, with their names in messages. */
type Refusals = readonly (readonly [pattern: RegExp, what: string])[];

// Some servers decode a backslash as a separator.
const dotSegment = /(^|[/\\])\.{1,2}($|[/\\])/;

const inTexts: Refusals = [[loneSurrogate, 'a lone surrogate']];
const inNames: Refusals = [...inTexts, [/\0/, 'NUL'], [dotSegment, '"." or ".." between slashes']];
const inQueries: Refusals = [...inTexts, [/\p{Cc}/u, 'control characters']];
const inPaths: Refusals = [
  ...inQueries,
  [/\\/, 'a backslash: write %5C'],
  [/^(\/\/|(https?|wss?|ftp|file):|[a-z][a-z\d+.-]*:\/\/)/i, 'a URL'],
];

function findRefused(text: string, refusals: Refusals): string | undefined {
  const refusal = refusals.find(([pattern]) => pattern.test(text));
  return refusal && `must not hold ${refusal[1]}`;
}

/** Returns the text, or rejects it. */
function checked(text: string, field: string, refusals: Refusals): string {
  const problem = findRefused(text, refusals);
  if (problem !== undefined) throw new InvalidArgumentError(field, problem);
  return text;
}

const encodeName = (text: string, field: string) => encodeURIComponent(checked(text, field, inTexts));

/** Reads a configured base URL. */
export const readBase: Reader<Base> = (value, reading) => {
  const text = value instanceof URL ? value.href : value;
  // Browsers resolve "host" and "/x" relative to the page, and `http:x` relative to its origin.
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return refuse(reading, 'a URL like "http://localhost:8529"', value);
  }
  const { origin, pathname, search, username, password, hash } = new URL(text);
  if (username || password || hash) {
    return reading.report('must not hold a user, password or fragment; see credentials.basic');
  }
  return { origin, prefix: pathname.replace(/\/$/, ''), query: search.slice(1) };
};

/** Encodes a name as one path segment. */
export const readSegment: Reader<string> = (value, reading) => {
  if (typeof value !== 'string') return refuse(reading, 'a name', value);
  // A name like `../x` would leave its parent on a server that decodes first.
  const problem = value === '' ? 'must not be empty' : findRefused(value, inNames);
  return problem === undefined ? encodeURIComponent(value) : reading.report(problem);
};

/** Encodes characters that a URL cannot contain. A caller's valid escapes are kept, and a `#` never truncates. */
const escapeText = (text: string) =>
  encodeURI(text)
    .replace(/%25(?=[\da-f]{2})/gi, '%')
    .replaceAll('#', '%23');

// Brackets are allowed in a query, and common (`filter[open]=1`).
const encodeQueryText = (text: string, field: string) =>
  checked(text, field, inQueries).replace(/[^[\]]+/g, escapeText);

/** Joins two encoded queries in their order. */
export const joinQueries = (first: string, second: string): string =>
  first && second ? `${first}&${second}` : first + second;

/** Joins two paths with exactly one slash. */
const joinPaths = (first: string, second: string) => `${first.replace(/\/$/, '')}/${second.replace(/^\//, '')}`;

/**
 * Joins a caller's path to its parent with exactly one slash, and splits off the query after it.
 * @throws InvalidArgumentError if it could leave its parent: dot segments, a URL, a leading `//`, a backslash, control
 * characters.
 */
export function below(parent: EncodedPath, child: unknown): EncodedPath {
  if (Array.isArray(child)) return belowSegments(parent, child);
  if (typeof child !== 'string') throw expected('path', 'a string or a list of segments', child);
  const { path, query } = plainPath.test(child) ? { path: child, query: '' } : encodePath(child);
  return { path: path === '' ? parent.path : joinPaths(parent.path, path), query: joinQueries(parent.query, query) };
}

/** The maximum number of nested escapes in a path; a server that decodes so often may find anything in more. */
const mostLayers = 16;

/** Decodes percent-escapes until none are left, a chain of `%25` at once; each byte becomes one character. */
function decodeWholly(text: string, layers = mostLayers): string {
  const next = text.replace(/%(?:25)*([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  if (next !== text) return layers > 0 ? decodeWholly(next, layers - 1) : '\0';
  // Lenient decoders also accept overlong UTF-8 for ASCII.
  return text.replace(/([\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81])([\x80-\xbf])/g, (_, lead: string, last: string) =>
    String.fromCharCode(((lead.charCodeAt(lead.length - 1) & 1) << 6) | (last.charCodeAt(0) & 63)),
  );
}

/** True if some server or proxy may read a segment as `.` or `..`, or truncate the path at a NUL. */
function walks(path: string): boolean {
  const plain = decodeWholly(path);
  return plain.includes('\0') || plain.split(/[/\\]/).some((segment) => /^\.{1,2}(;|$)/.test(segment));
}

/** Builds a path from data: each element is one segment, fully encoded. */
function belowSegments(parent: EncodedPath, elements: readonly unknown[]): EncodedPath {
  if (elements.length === 0) throw new InvalidArgumentError('path', 'must not be empty');
  const segments = elements.map((element, index) => {
    const text = typeof element === 'bigint' || Number.isFinite(element) ? String(element) : element;
    if (typeof text === 'string') return readArgument(text, `path[${index}]`, readSegment);
    throw expected(`path[${index}]`, 'a string, finite number or bigint', element);
  });
  return { ...parent, path: joinPaths(parent.path, segments.join('/')) };
}

function encodePath(text: string): EncodedPath {
  const cut = `${text}?`.indexOf('?');
  const path = escapeText(checked(text.slice(0, cut), 'path', inPaths));
  if (walks(path)) throw new InvalidArgumentError('path', 'must not hold ".", ".." or NUL');
  return {
    path,
    query: encodeQueryText(text.slice(cut + 1), 'path'),
  };
}

/** Encodes a caller's query, without `?`; throws InvalidArgumentError naming the pair. */
export function encodeQuery(query: unknown): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return encodeQueryText(query.replace(/^\?/, ''), 'qs');
  if (query instanceof URLSearchParams) return query.toString();
  if (!isPlainObject(query)) throw expected('qs', 'a plain object, a string or URLSearchParams', query);
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) pairs.push(`${encodeName(name, 'qs')}=${queryValue(item, `qs.${name}`)}`);
    }
  }
  return pairs.join('&');
}

function queryValue(value: unknown, field: string): string {
  if (value === null) return '';
  // JSON would send an invalid Date as null.
  const plain = value instanceof Date ? value.toJSON() : value;
  if (/^(string|boolean|bigint)$/.test(typeof plain) || Number.isFinite(plain)) return encodeName(String(plain), field);
  throw expected(field, 'a string, finite number, bigint, boolean, valid Date, null or a list of these', value);
}

// Parsing a URL is a large part of a call's cost, and would not change these paths.
const literalPath = /^\/[\w/-]*$/;

/** Returns the whole URL of a call. It is parsed again, to ensure the expected origin and path. */
export function buildUrl(base: Base, path: string, query: string): string {
  const all = joinQueries(base.query, query);
  const url = base.origin + path + (all && `?${all}`);
  if (literalPath.test(path)) return url;
  const parsed = new URL(url);
  if (parsed.origin !== base.origin || parsed.pathname !== path) {
    throw new InvalidArgumentError('path', 'would leave the configured URL');
  }
  return url;
}
