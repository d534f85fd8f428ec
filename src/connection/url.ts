import { expected, InvalidArgumentError } from '../errors.js';

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

const plainPath = /^[\w\-.~!$&'()*+,;=:@/]*$/;
const plainQuery = /^[\w\-.~!$&()*+,;=:@/?%[\]]*$/;
// A server may decode %2F and %5C before it resolves dots, so they count as separators here.
const dotSegment = /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|%5c)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x1f\x7f]/;
const absoluteUrl = /^(?:(?:https?|wss?|ftp|file):|[a-z][a-z\d+.-]*:\/\/)/i;

/** Reads a configured base URL. @throws InvalidArgumentError naming `field`. */
export function parseBase(value: unknown, field: string): Base {
  const text = value instanceof URL ? value.href : value;
  // A browser resolves "host" and "/x" against the page, and `http:x` against its origin.
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw expected(field, 'an absolute http: or https: URL like "http://localhost:8529"', value);
  }
  const { origin, pathname, search, username, password, hash } = new URL(text);
  if (username || password) {
    throw new InvalidArgumentError(field, 'must not hold a user or password; use credentials.basic(user, password)');
  }
  if (hash) throw new InvalidArgumentError(field, 'must not have a fragment (#…)');
  return { origin, prefix: pathname.replace(/\/$/, ''), query: search.slice(1) };
}

/** One path segment from a name. @throws InvalidArgumentError naming `field` for an empty name, `.` and `..`. */
export function encodeSegment(name: unknown, field: string): string {
  const segment = typeof name === 'string' ? wellFormed(encodeURIComponent, name, field) : '';
  // A name like `../x` would walk up on a server that decodes before it resolves.
  if (segment === '' || dotSegment.test(segment)) {
    throw expected(field, 'a name that is not empty and holds no "." or ".." between slashes', name);
  }
  return segment;
}

function wellFormed(encode: (text: string) => string, text: string, field: string): string {
  try {
    return encode(text);
  } catch {
    throw new InvalidArgumentError(field, 'is not well-formed Unicode (a lone surrogate)');
  }
}

/** After encodeURI: a caller's valid escapes stay as they were, and a `#` never cuts. */
const keepEscapes = (encoded: string) => encoded.replace(/%25([\da-f]{2})/gi, '%$1').replaceAll('#', '%23');

/**
 * Encodes a caller's path below a base, and splits off its query.
 * @throws InvalidArgumentError when it could leave the base: dot segments, a URL, `//` in front, a backslash, control characters.
 */
export function encodePath(value: unknown, field: string): EncodedPath {
  if (typeof value !== 'string') throw expected(field, `a string`, value);
  const refuse = (problem: string) => new InvalidArgumentError(field, problem);
  if (control.test(value)) throw refuse('must not hold control characters (CR, LF, TAB, NUL)');
  const cut = value.indexOf('?');
  const path = cut < 0 ? value : value.slice(0, cut);
  if (path.includes('\\')) throw refuse('must not hold a backslash; write %5C for a literal one');
  if (path.startsWith('//') || absoluteUrl.test(path)) throw refuse('expected a path, got a URL');
  if (dotSegment.test(path)) throw refuse('must not hold "." or ".." segments');
  return {
    path: plainPath.test(path) ? path : keepEscapes(wellFormed(encodeURI, path, field)),
    query: cut < 0 ? '' : encodeQueryText(value.slice(cut + 1), field),
  };
}

/** Joins two encoded paths with exactly one slash; an empty one adds nothing. */
export function joinPaths(parent: string, child: string): string {
  if (child === '') return parent;
  if (!child.startsWith('/')) return parent.endsWith('/') ? parent + child : `${parent}/${child}`;
  return parent.endsWith('/') ? parent + child.slice(1) : parent + child;
}

/** Joins encoded queries in their order. */
export function joinQueries(first: string, second: string): string {
  if (first === '') return second;
  return second === '' ? first : `${first}&${second}`;
}

function encodeQueryText(text: string, field: string): string {
  if (control.test(text)) throw new InvalidArgumentError(field, 'must not hold control characters (CR, LF, TAB, NUL)');
  if (plainQuery.test(text) && !/%(?![\da-f]{2})/i.test(text)) return text;
  // A URL can hold brackets in its query, and people use them (`filter[open]=1`).
  return keepEscapes(wellFormed(encodeURI, text, field).replaceAll('%5B', '[').replaceAll('%5D', ']'));
}

/** Encodes a caller's query, without `?`. @throws InvalidArgumentError naming the pair. */
export function encodeQuery(query: unknown, field = 'qs'): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return encodeQueryText(query.startsWith('?') ? query.slice(1) : query, field);
  if (query instanceof URLSearchParams) return query.toString();
  const prototype = typeof query === 'object' && query !== null ? Object.getPrototypeOf(query) : undefined;
  const plain = prototype === null || (prototype !== undefined && Object.getPrototypeOf(prototype) === null);
  if (!plain || Array.isArray(query)) {
    throw expected(field, 'a plain object, a string or URLSearchParams', query);
  }
  let text = '';
  for (const [name, value] of Object.entries(query as object)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      const pair = `${wellFormed(encodeURIComponent, name, field)}=${queryValue(one, `${field}.${name}`)}`;
      text = text === '' ? pair : `${text}&${pair}`;
    }
  }
  return text;
}

function queryValue(value: unknown, field: string): string {
  if (value === null) return '';
  if (typeof value === 'string') return wellFormed(encodeURIComponent, value, field);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return encodeURIComponent(String(value));
  if (value instanceof Date && !Number.isNaN(value.getTime())) return encodeURIComponent(value.toISOString());
  throw expected(
    field,
    'a string, a finite number, a bigint, a boolean, a valid Date, null, or an array of these',
    value,
  );
}

/** The whole URL of a call. Parsed once more, so that nothing but the expected origin and path can come out. */
export function buildUrl(base: Base, path: string, query: string): string {
  const all = joinQueries(base.query, query);
  const url = `${base.origin}${path}${all === '' ? '' : `?${all}`}`;
  const parsed = new URL(url);
  if (parsed.origin !== base.origin || parsed.pathname !== path) {
    throw new InvalidArgumentError('path', 'would leave the configured URL');
  }
  return url;
}
