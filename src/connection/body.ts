import { describe, has, InvalidArgumentError } from '../errors.js';
import type { TransportBody } from './transport.js';

/**
 * Encodes a caller's body; what it returns no longer depends on the caller's object. JSON has its type set in `headers`; the
 * platform names the type of everything else. @throws InvalidArgumentError naming the place.
 */
export function encodeBody(value: unknown, headers: Record<string, string>): TransportBody | undefined {
  if (value === null) {
    throw new InvalidArgumentError('body', "null is no body: leave it out, or send the text 'null'");
  }
  if (value === undefined || typeof value === 'string' || value instanceof Blob) return value;
  if (value instanceof URLSearchParams) return new URLSearchParams(value);
  if (value instanceof FormData) {
    const copy = new FormData();
    for (const [name, part] of value) copy.append(name, part as string);
    return copy;
  }
  if (value instanceof ReadableStream) {
    if (value.locked) throw new InvalidArgumentError('body', 'the stream is locked: it was read or sent before');
    return value;
  }
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  headers['content-type'] ??= 'application/json';
  try {
    checkJson(value, 'body', []);
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    // A toJSON or a getter of the caller threw, or the nesting exceeds the stack. Its message may quote the value.
    const why = error instanceof RangeError ? 'it is nested too deeply' : 'reading it threw';
    throw new InvalidArgumentError('body', `cannot be encoded as JSON: ${why}`);
  }
}

/** Refuses what JSON.stringify would drop, change in silence or throw on, with the path of the value. */
function checkJson(given: unknown, field: string, ancestors: unknown[]): void {
  const refuse = (what: string) => new InvalidArgumentError(field, `${what} cannot be sent as JSON without loss`);
  const value =
    typeof given === 'object' && has(given, 'toJSON') ? (given as { toJSON(key: string): unknown }).toJSON('') : given;
  // An invalid Date would be sent as null.
  if (value === null && given instanceof Date) throw refuse(describe(given));
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)) return;
  const list = Array.isArray(value);
  // Map, Set, Promise, RegExp, typed arrays, Blob: their content is not in their properties.
  if (!list && Object.prototype.toString.call(value) !== '[object Object]') throw refuse(describe(value));
  if (ancestors.includes(value)) throw refuse('a cyclic value');
  ancestors.push(value);
  for (const [name, member] of list ? value.entries() : Object.entries(value as object)) {
    if (list) checkJson(member, `${field}[${name}]`, ancestors);
    else if (member !== undefined) checkJson(member, `${field}.${name}`, ancestors);
  }
  ancestors.pop();
}
