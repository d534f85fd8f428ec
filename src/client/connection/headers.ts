import type { CallInfo } from '../../base/arango-services-error.js';
import { InvalidArgumentError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { type Reader, readArgument, refuse } from '../../base/lib/readers.js';
import { isPlainObject } from '../../base/lib/values.js';

/** Accepted forms of headers. `undefined` or `null` removes an inherited header. */
export type HeadersInput = Headers | { readonly [name: string]: string | number | boolean | null | undefined };
/** An attempt to send a call. */
export interface AttemptInfo extends CallInfo {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}
/** Headers, or a function called for fresh headers on each attempt (a trace, a request id). */
export type HeadersSource = HeadersInput | ((info: AttemptInfo) => HeadersInput);

/** Checked headers by lower-case name; `null` removes a header of an outer layer. */
export type FixedHeaders = ReadonlyMap<string, string | null>;
/** Fixed headers, or a function that is called on each attempt. */
export type HeaderPart = FixedHeaders | ((info: AttemptInfo) => unknown);
/** Layers of headers, outermost first; adjacent fixed ones are merged. */
export type HeaderLayer = FixedHeaders | readonly HeaderPart[];

const noHeaders: FixedHeaders = new Map();

// The runtime sets these from the body and the connection; fetch would fail on them or ignore them, `__proto__` too.
const fetchOnly = /^(__proto__|connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** Reads a caller's headers or headers function. Issues name the header, never its value. */
export const readHeaders: Reader<HeaderLayer> = (input, reading) =>
  typeof input === 'function' ? [input as HeaderPart] : readFixedHeaders(input, reading);

const readFixedHeaders: Reader<FixedHeaders> = (input, reading) => {
  // Recognizes `Headers` of any realm by name: accessing the class would load all of fetch in Node.
  const list = Object.prototype.toString.call(input) === '[object Headers]';
  if (!list && !isPlainObject(input)) return refuse(reading, 'a plain object or Headers', input);
  const layer = new Map<string, string | null>();
  for (const [name, value] of list ? (input as Headers) : Object.entries(input as object)) {
    const key = name.toLowerCase();
    if (!isValidHeader(name, '')) return reading.report('holds an invalid header name');
    layer.set(key, reading.at(key, value, readHeader(key)));
  }
  return layer;
};

/** True if a header can be sent. `Headers` could tell, but would load all of fetch in Node. */
export const isValidHeader = (name: string, value: string): boolean =>
  /^[\w!#$%&'*+\-.^`|~]+$/.test(name) && /^[\t -~\x80-\xff]*$/.test(value);

/** Reads the value of a header that must have one. */
export const readHeaderText: Reader<string> = (value, reading) =>
  typeof value === 'string' && value !== '' && isValidHeader('x', value)
    ? value
    : refuse(reading, 'a string of Latin-1 without control characters, not empty', value);

const readHeader =
  (name: string): Reader<string | null> =>
  (value, reading) => {
    if (fetchOnly.test(name)) return reading.report('cannot be set over fetch');
    if (value == null) return null;
    const text = /^[nb]/.test(typeof value) ? `${value}` : value;
    if (typeof text === 'string' && isValidHeader('x', text)) return text.trim();
    return refuse(reading, 'a string of Latin-1 without control characters', value);
  };

/** Merges an inner layer over an outer one. */
export function mergeHeaders(outer: HeaderLayer = noHeaders, inner: HeaderLayer = noHeaders): HeaderLayer {
  if (!(outer instanceof Map && inner instanceof Map)) return [outer as HeaderPart, inner as HeaderPart].flat();
  if (inner.size === 0) return outer;
  return outer.size === 0 ? inner : new Map([...outer, ...inner]);
}

/**
 * Returns the headers of an attempt.
 * @param sendsLength true if a `content-length` is sent.
 * @throws InvalidArgumentError if a function throws or returns invalid headers, and for an invalid or unsupported
 * `content-length`.
 */
export function headersOf(
  layer: HeaderLayer,
  call: Omit<AttemptInfo, 'attempt'>,
  attempt: number,
  sendsLength: boolean | undefined,
): FixedHeaders {
  let all = layer as Map<string, string | null>;
  if (!(layer instanceof Map)) {
    all = new Map();
    for (const part of layer as readonly HeaderPart[]) {
      const entries = typeof part === 'function' ? ask(part, { ...call, attempt }) : part;
      for (const [name, value] of entries) all.set(name, value);
    }
  }
  const length = all.get('content-length');
  if (length != null && !(sendsLength && /^\d{1,15}$/.test(length))) {
    throw new InvalidArgumentError('headers.content-length', 'only for a stream over nodeTransport');
  }
  return all;
}

function ask(part: (info: AttemptInfo) => unknown, info: AttemptInfo): FixedHeaders {
  let result: unknown;
  try {
    result = part(info);
    // Asks its getters, which may throw, too.
    if (isPlainObject(result)) result = { ...result };
  } catch {
    throw new InvalidArgumentError('headers', 'the function threw');
  }
  // A promise is rejected as a value, so its own rejection must not go unhandled.
  quietly(() => result);
  return readArgument(result, 'headers', readFixedHeaders);
}
