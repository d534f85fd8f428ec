import { expected, InvalidArgumentError } from '../errors.js';

/** What headers can be given as. `undefined` or `null` removes an inherited header. */
export type HeadersInput = Headers | { readonly [name: string]: string | number | null | undefined };
/** Checked headers by lower-case name; `null` removes what an outer layer set. */
export type HeaderLayer = ReadonlyMap<string, string | null>;

export const noHeaders: ReadonlyMap<string, string | null> = new Map();

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
// The platform sets these from the body and the connection; fetch would fail or ignore them. It loses `__proto__` in silence.
const platformOnly: ReadonlySet<string> = new Set([
  '__proto__',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header can carry it. */
export const isHeaderValue = (value: unknown): value is string => typeof value === 'string' && fieldValue.test(value);

/** Reads a caller's headers. @throws InvalidArgumentError naming the header, never its value. */
export function readHeaders(input: unknown, field = 'headers'): HeaderLayer {
  if (input === undefined) return noHeaders;
  if (typeof input !== 'object' || input === null || Array.isArray(input) || input instanceof Map) {
    throw expected(field, `a plain object or Headers`, input);
  }
  const layer = new Map<string, string | null>();
  // Headers of another realm or package are no instance of this one, but they iterate.
  const pairs = Symbol.iterator in input ? (input as Headers) : Object.entries(input);
  for (const [name, value] of pairs) {
    if (!token.test(name)) throw new InvalidArgumentError(field, 'holds a name that is not a valid header name');
    const key = name.toLowerCase();
    if (platformOnly.has(key)) throw new InvalidArgumentError(`${field}.${key}`, 'cannot be set through fetch');
    layer.set(key, value === undefined || value === null ? null : readValue(value, `${field}.${key}`));
  }
  return layer;
}

function readValue(value: unknown, field: string): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw expected(field, `a string`, value);
  }
  const text = String(value);
  if (!fieldValue.test(text)) {
    throw new InvalidArgumentError(field, 'holds a character that a header cannot carry (control or beyond Latin-1)');
  }
  return text.trim();
}

/** The inner layer over the outer one. */
export function mergeHeaders(outer: HeaderLayer, inner: HeaderLayer): HeaderLayer {
  if (inner.size === 0) return outer;
  return outer.size === 0 ? inner : new Map([...outer, ...inner]);
}
