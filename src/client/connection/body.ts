import { InvalidArgumentError } from '../../base/errors.js';
import { pullStream } from '../../base/lib/pull-stream.js';
import { formatPath } from '../../base/lib/text/paths.js';
import { describeValue, hasMethod, holdsFields, loneSurrogate } from '../../base/lib/values.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import { copyBytes, streamOf } from './stream.js';
import type { TransportBody } from './transport.js';

const wasRead = 'the stream was already read or sent';
const refusal = (problem: string) => new InvalidArgumentError('body', problem);

/**
 * True if `fetch` may be able to send a stream. Firefox would send its name as text. Some runtimes accept the stream,
 * and fail only when it is sent.
 */
function takesStreams(): boolean {
  const init = { method: 'POST', body: new ReadableStream(), duplex: 'half' };
  // A runtime that does not support streams as bodies converts it to text and sets its type, or ignores it.
  const { body, headers } = new Request('http://localhost', init);
  return body != null && !headers.has('content-type');
}

/** Returns the stream of one attempt. */
export type BodySource = () => ByteStream;

/** Wraps a caller's `body: () => stream`, which is called on the first read; if it throws, the stream fails. */
function reopened(open: () => unknown, ownFetch: boolean | undefined): BodySource {
  let last: unknown;
  const start = async () => {
    const result = await open();
    const body = encodeBody(result, {}, ownFetch);
    if (!hasMethod(body, 'getReader')) throw refusal('the function returned no stream');
    // A generator that was already read would look like an empty body.
    if (result === last) throw refusal(wasRead);
    last = result;
    return (body as ByteStream).getReader();
  };
  return () => {
    let reader: Promise<ReadableStreamDefaultReader<Bytes>> | undefined;
    return pullStream({
      async next() {
        reader ??= start();
        return (await reader).read();
      },
      cancel: async (reason) => (await reader)?.cancel(reason),
    });
  };
}

/**
 * Encodes a caller's body; the result no longer depends on the caller's object. The type of text and JSON is set in
 * `headers`; the runtime sets the type of everything else. Bodies are recognized by their methods, to support objects
 * of other realms. `ownFetch` is true if the caller's own `fetch` or transport sends it.
 * @throws InvalidArgumentError naming the field.
 */
export function encodeBody(
  value: unknown,
  headers: Record<string, string>,
  ownFetch?: boolean,
): TransportBody | BodySource | undefined {
  if (value === null) throw refusal("null is not a body: omit it, or send 'null'");
  if (typeof value === 'string') {
    if (loneSurrogate.test(value)) throw refusal('holds a lone surrogate');
    headers['content-type'] ??= 'text/plain;charset=UTF-8';
    return value;
  }
  if (typeof value === 'function') return reopened(value as () => unknown, ownFetch);
  if (value === undefined || (hasMethod(value, 'arrayBuffer') && hasMethod(value, 'slice')))
    return value as Blob | undefined;
  if (hasMethod(value, 'getAll') && hasMethod(value, 'append')) {
    // FormData and URLSearchParams both have `getAll`; only URLSearchParams can be sorted.
    if (hasMethod(value, 'sort')) return new URLSearchParams(value as URLSearchParams);
    const copy = new FormData();
    for (const [name, part] of value as FormData) copy.append(name, part as string);
    return copy;
  }
  const isStream = hasMethod(value, 'getReader');
  if (isStream || hasMethod(value, Symbol.asyncIterator)) {
    // The cast: a web stream has the first of these, a Node stream the other.
    const { locked, readableEnded } = value as { locked?: boolean; readableEnded?: boolean };
    if (locked || readableEnded) throw refusal(wasRead);
    if (!ownFetch && !takesStreams()) throw refusal('cannot send a stream; see uploadWithProgress');
    return isStream ? (value as ReadableStream) : streamOf(value as AsyncIterable<Uint8Array>);
  }
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return copyBytes(value);
  headers['content-type'] ??= 'application/json';
  try {
    return encodeJson(value);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    // The caller's toJSON or getter threw, or the nesting exceeds the stack. The error's message may quote the value.
    throw refusal('reading it threw, or too deep');
  }
}

/** Encodes a body as JSON, -0 as 0; throws InvalidArgumentError with the path of a part that JSON cannot hold. */
export function encodeJson(value: unknown): string {
  const holders: unknown[] = [];
  const path: (string | number)[] = [];
  const refuse = (what: string): never => {
    throw new InvalidArgumentError(formatPath(['body', ...path]), `${what} cannot be sent as JSON without loss`);
  };
  // The replacer gets no path. Its `this` is the object that holds the key: leave the objects that are complete.
  return JSON.stringify(value, function (this: unknown, key: string, plain: unknown) {
    while (holders.length > 0 && holders.at(-1) !== this) {
      holders.pop();
      path.pop();
    }
    if (holders.length > 0) path[holders.length - 1] = Array.isArray(this) ? Number(key) : key;
    if (plain === undefined) return holders.length > 0 && !Array.isArray(this) ? plain : refuse('undefined');
    // JSON would send an invalid Date as null.
    if (plain === null) {
      const source = (this as Record<string, unknown>)[key];
      return source instanceof Date ? refuse('an invalid Date') : null;
    }
    if (typeof plain === 'string' || typeof plain === 'boolean' || Number.isFinite(plain)) return plain;
    if (typeof plain !== 'object' || !(Array.isArray(plain) || holdsFields(plain))) return refuse(describeValue(plain));
    if (holders.includes(plain)) return refuse('a cyclic value');
    holders.push(plain);
    return plain;
  });
}
