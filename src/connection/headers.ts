import { type Reader, refuse } from '../lib/readers.js';
import { isPlainObject } from '../lib/values.js';

/** What headers can be given as. `undefined` or `null` removes an inherited header. */
export type HeadersInput = Headers | { readonly [name: string]: string | number | null | undefined };
/** Checked headers by lower-case name; `null` removes what an outer layer set. */
export type HeaderLayer = ReadonlyMap<string, string | null>;

const noHeaders: HeaderLayer = new Map();

// The platform sets these from the body and the connection; fetch would fail on them or ignore them, `__proto__` too.
const platformOnly =
  /^(__proto__|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** A caller's headers. Its issues name the header, never its value. */
export const readHeaders: Reader<HeaderLayer> = (input, reading) => {
  if (!isPlainObject(input) && !(input instanceof Headers)) return refuse(reading, 'a plain object or Headers', input);
  const layer = new Map<string, string | null>();
  for (const [name, value] of input instanceof Headers ? input : Object.entries(input)) {
    const key = name.toLowerCase();
    if (!isValidHeader(name, '')) return reading.report('holds a name that is not a valid header name');
    layer.set(key, reading.at(key, value, readHeader(key)));
  }
  return layer;
};

/** Whether a header can be sent: the platform's own check, and no control characters, which servers refuse or cut at. */
export function isValidHeader(name: string, value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x01-\x08\x0a-\x1f\x7f]/.test(value.trim())) return false;
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

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
