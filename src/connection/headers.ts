import { type Reader, refuse } from '../lib/readers.js';
import { isPlainObject } from '../lib/values.js';

/** What headers can be given as. `undefined` or `null` removes an inherited header. */
export type HeadersInput = Headers | { readonly [name: string]: string | number | null | undefined };
/** Checked headers by lower-case name; `null` removes what an outer layer set. */
export type HeaderLayer = ReadonlyMap<string, string | null>;

const noHeaders: HeaderLayer = new Map();

// The platform sets these from the body and the connection; fetch would fail on them or ignore them, `__proto__` too.
const platformOnly = /^(__proto__|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** A caller's headers. Its issues name the header, never its value. */
export const readHeaders: Reader<HeaderLayer> = (input, reading) => {
  // `Headers` of whatever realm, by its name: to touch the class would load all of fetch in Node.
  const list = Object.prototype.toString.call(input) === '[object Headers]';
  if (!list && !isPlainObject(input)) return refuse(reading, 'a plain object or Headers', input);
  const layer = new Map<string, string | null>();
  for (const [name, value] of list ? (input as Headers) : Object.entries(input as object)) {
    const key = name.toLowerCase();
    if (!isValidHeader(name, '')) return reading.report('holds a name that is not a valid header name');
    layer.set(key, reading.at(key, value, readHeader(key)));
  }
  return layer;
};

/** Whether a header can be sent. `Headers` knows as well, but in Node it would load all of fetch. */
export const isValidHeader = (name: string, value: string): boolean =>
  /^[\w!#$%&'*+\-.^`|~]+$/.test(name) && /^[\t -~\x80-\xff]*$/.test(value);

const readHeader =
  (name: string): Reader<string | null> =>
  (value, reading) => {
    if (platformOnly.test(name)) return reading.report('cannot be set through fetch');
    if (value === undefined || value === null) return null;
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && isValidHeader('x', text)) return text.trim();
    return refuse(reading, 'a string of Latin-1 without control characters', value);
  };

/** The inner layer over the outer one. */
export function mergeHeaders(outer: HeaderLayer = noHeaders, inner: HeaderLayer = noHeaders): HeaderLayer {
  if (inner.size === 0) return outer;
  return outer.size === 0 ? inner : new Map([...outer, ...inner]);
}
