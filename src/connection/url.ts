import { InvalidArgumentError } from '../errors.js';
import { expected, type Reader, readArgument, refuse } from '../lib/readers.js';
import { isPlainObject, loneSurrogate } from '../lib/values.js';

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

/** A path made of data: each element is one segment, encoded whole, `/`, `?` and `%` included. */
export type PathSegments = readonly (string | number | bigint)[];

/** A value of a query pair. `undefined` leaves the pair out, `null` sends it empty. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined;
/**
 * Accepted forms of a query. An array repeats its key; Dates are sent as ISO 8601. A string is used as it is.
 *
 * TypeScript compares no interface with an index signature. The last member takes interfaces, and nothing with a
 * symbol as a key, which functions, iterables and Dates have; the values of an interface are checked when the call is
 * made.
 *
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

// Most paths hold nothing to refuse or to encode; to know it at once shows in the cost of a call.
const plainPath = /^\/?\w[\w/-]*$/;

/** Characters that a path must not hold, with their names in messages. */
type Refusals = readonly (readonly [pattern: RegExp, what: string])[];

// Some decoding servers take a backslash for a separator.
const dotSegment = /(^|[/\\])\.{1,2}($|[/\\])/;

const inTexts: Refusals = [[loneSurrogate, 'a lone surrogate']];
const inNames: Refusals = [...inTexts, [/\0/, 'NUL'], [dotSegment, '"." or ".." between slashes']];
const inQueries: Refusals = [...inTexts, [/\p{Cc}/u, 'control characters']];
const inPaths: Refusals = [
  ...inQueries,
  [/\\/, 'a backslash; write %5C for a literal one'],
  [/^(\/\/|(https?|wss?|ftp|file):|[a-z][a-z\d+.-]*:\/\/)/i, 'a URL'],
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

const encodeName = (text: string, field: string) => encodeURIComponent(checked(text, field, inTexts));

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
  if (typeof value !== 'string') return refuse(reading, 'a name', value);
  // A name like `../x` would walk up on a server that decodes before it resolves.
  const problem = value === '' ? 'must not be empty' : findRefused(value, inNames);
  return problem === undefined ? encodeURIComponent(value) : reading.report(problem);
};

/** Encodes what a URL cannot hold. A caller's valid escapes stay as they were, and a `#` never cuts. */
const escapeText = (text: string) =>
  encodeURI(text).replace(/%25(?=[\da-f]{2})|#/gi, (found) => (found === '#' ? '%23' : '%'));

// A URL can hold brackets in its query, and people use them (`filter[open]=1`).
const encodeQueryText = (text: string, field: string) =>
  checked(text, field, inQueries).replace(/[^[\]]+/g, escapeText);

/** Joins two encoded queries in their order. */
export const joinQueries = (first: string, second: string): string =>
  first && second ? `${first}&${second}` : first + second;

/** Joins two paths with exactly one slash. */
const joinPaths = (first: string, second: string) =>
  `${first.endsWith('/') ? first.slice(0, -1) : first}${second.startsWith('/') ? '' : '/'}${second}`;

/**
 * A caller's path below another one, joined with exactly one slash, and the query that is written behind it.
 * @throws InvalidArgumentError when it could leave what it is below: dot segments, a URL, `//` in front, a backslash,
 * control characters.
 */
export function below(parent: EncodedPath, given: unknown): EncodedPath {
  if (Array.isArray(given)) return belowSegments(parent, given);
  if (typeof given !== 'string') throw expected('path', 'a string or an array of segments', given);
  const { path, query } = plainPath.test(given) ? { path: given, query: '' } : encodePath(given);
  return {
    path: path === '' ? parent.path : joinPaths(parent.path, path),
    query: joinQueries(parent.query, query),
  };
}

/**
 * A text with its percent-escapes undone until there is none left; each byte becomes one character. Takes linear
 * time.
 */
function decodeWholly(text: string): string {
  const chars: string[] = [];
  for (const char of text) {
    chars.push(char);
    // An escape may be made of characters that were escapes.
    while (chars.at(-3) === '%' && /^%[\da-f]{2}$/i.test(chars.slice(-3).join(''))) {
      chars.push(String.fromCharCode(Number.parseInt(chars.splice(-3).join('').slice(1), 16)));
    }
  }
  // Lenient decoders also take the longer forms of UTF-8 for ASCII.
  return chars.join('').replace(/(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81])([\x80-\xbf])/g, (form) => {
    const high = form.charCodeAt(form.length - 2) & 1;
    return String.fromCharCode((high << 6) | (form.charCodeAt(form.length - 1) & 0x3f));
  });
}

/** True if some server or proxy may take a segment for `.` or `..`, or cut the path at a NUL. */
function walks(path: string): boolean {
  if (!/%|\./.test(path)) return false;
  const plain = decodeWholly(path);
  return plain.includes('\0') || plain.split(/[/\\]/).some((segment) => /^\.{1,2}(;|$)/.test(segment));
}

/** Data as a path: each element is one segment, encoded whole. */
function belowSegments(parent: EncodedPath, given: readonly unknown[]): EncodedPath {
  if (given.length === 0) throw new InvalidArgumentError('path', 'must not be an empty array');
  const segments = given.map((element, index) => {
    const text = typeof element === 'bigint' || Number.isFinite(element) ? String(element) : element;
    if (typeof text === 'string') return readArgument(text, `path[${index}]`, readSegment);
    throw expected(`path[${index}]`, 'a string, a finite number or a bigint', element);
  });
  return { ...parent, path: joinPaths(parent.path, segments.join('/')) };
}

function encodePath(given: string): EncodedPath {
  const cut = `${given}?`.indexOf('?');
  const path = escapeText(checked(given.slice(0, cut), 'path', inPaths));
  if (walks(path)) throw new InvalidArgumentError('path', 'must not hold "." or ".." segments or NUL, in any encoding');
  return {
    path,
    query: encodeQueryText(given.slice(cut + 1), 'path'),
  };
}

/**
 * Encodes a caller's query, without `?`.
 * @throws InvalidArgumentError naming the pair.
 */
export function encodeQuery(query: unknown): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return encodeQueryText(query.replace(/^\?/, ''), 'qs');
  if (query instanceof URLSearchParams) return query.toString();
  if (!isPlainObject(query)) throw expected('qs', 'a plain object, a string or URLSearchParams', query);
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) pairs.push(`${encodeName(name, 'qs')}=${queryValue(one, `qs.${name}`)}`);
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

// To parse a URL is a good part of what a call costs; there is nothing in these paths that it could change.
const literalPath = /^\/[\w/-]*$/;

/** The whole URL of a call. Parsed once more, so that nothing but the expected origin and path can come out. */
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
