import { describe, InvalidArgumentError } from '../errors.js';

/** A body as it goes to `fetch`. */
export interface EncodedBody {
  readonly data: BodyInit;
  /** The content type to send where the caller named none; undefined leaves it to the platform. */
  readonly contentType: string | undefined;
  /** Whether it can be sent a second time. */
  readonly replayable: boolean;
}

const encoded = (data: BodyInit, contentType?: string, replayable = true): EncodedBody => ({
  data,
  contentType,
  replayable,
});

/** Encodes a caller's body; what it returns no longer depends on the caller's object. @throws InvalidArgumentError naming the place. */
export function encodeBody(value: unknown): EncodedBody | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return encoded(value, 'text/plain;charset=UTF-8');
  if (value === null) {
    throw new InvalidArgumentError('body', "null is no body: leave it out, or send the text 'null'");
  }
  if (typeof value === 'object') {
    if (value instanceof URLSearchParams) {
      return encoded(value.toString(), 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    if (value instanceof Blob) return encoded(value);
    if (value instanceof FormData) return encoded(copyForm(value));
    if (value instanceof ReadableStream) {
      if (value.locked) throw new InvalidArgumentError('body', 'the stream is locked: it was read or sent before');
      return encoded(value, undefined, false);
    }
    if (value instanceof ArrayBuffer) return encoded(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      return encoded(new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice());
    }
  }
  return encoded(encodeJson(value), 'application/json');
}

function copyForm(form: FormData): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value as string);
  return copy;
}

function encodeJson(value: unknown): string {
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

const refuse = (field: string, what: string) =>
  new InvalidArgumentError(field, `${what} cannot be sent as JSON without loss`);

/** Refuses what JSON.stringify would drop, change in silence or throw on, with the path of the value. */
function checkJson(value: unknown, field: string, ancestors: object[]): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw refuse(field, describe(value));
      return;
    case 'object':
      if (value !== null) checkObject(value, field, ancestors);
      return;
    default:
      throw refuse(field, describe(value));
  }
}

function checkObject(given: object, field: string, ancestors: object[]): void {
  let value = given;
  if ('toJSON' in given && typeof given.toJSON === 'function') {
    if (given instanceof Date && Number.isNaN(given.getTime())) throw refuse(field, describe(given));
    const stand: unknown = given.toJSON('');
    if (typeof stand !== 'object' || stand === null) {
      checkJson(stand, field, ancestors);
      return;
    }
    value = stand;
  }
  if (ancestors.includes(value)) throw refuse(field, 'a cyclic value');
  ancestors.push(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkJson(value[i], `${field}[${i}]`, ancestors);
  } else {
    // Map, Set, Promise, RegExp, typed arrays, Blob: their content is not in their properties.
    if (Object.prototype.toString.call(value) !== '[object Object]') throw refuse(field, describe(value));
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) checkJson(member, `${field}.${name}`, ancestors);
    }
  }
  ancestors.pop();
}
