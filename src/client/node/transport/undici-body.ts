import type { ByteStream } from '../../../base/lib/web-types.js';
import type { TransportBody } from '../../connection/transport.js';
import { multipart } from '../../runtimes/multipart.js';

/** A body for undici, with the content type that `fetch` would set. */
type EncodedBody = { readonly body: string | Uint8Array | Blob | AsyncIterable<Uint8Array>; readonly type: string };

/** Encodes a body as `fetch` would. */
export function encodeForWire(body: TransportBody): EncodedBody {
  if (typeof body === 'string') return { body, type: 'text/plain;charset=UTF-8' };
  if (body instanceof Uint8Array) return { body, type: '' };
  if (body instanceof ArrayBuffer) return { body: new Uint8Array(body), type: '' };
  if ('sort' in body) return { body: body.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  if ('getReader' in body) return { body: chunksOf(body), type: '' };
  if (!('slice' in body) && 'Bun' in globalThis) {
    // Bun drops the files of a Blob that is made of several parts, and forgets the type once the body was asked for.
    const response = new Response(body);
    const type = response.headers.get('content-type') ?? '';
    // The cast: a response with a form has a body.
    return { body: chunksOf(response.body as ByteStream), type };
  }
  const blob = 'slice' in body ? body : multipart(body);
  return { body: blob, type: blob.type };
}

const partBytes = 65_536;

/** Splits a large body, so that `onTaken` is called for each part the socket takes; undefined for one part. */
export function inParts(
  { body }: EncodedBody,
  onTaken: () => void,
): { readonly body: AsyncIterable<Uint8Array>; readonly size: number } | undefined {
  if (typeof body !== 'string' && !('slice' in body)) return undefined;
  const whole = typeof body === 'string' ? Buffer.from(body) : body;
  const size = 'size' in whole ? whole.size : whole.byteLength;
  if (size <= partBytes) return undefined;
  async function* parts() {
    for (let at = 0; at < size; at += partBytes) {
      if (at > 0) onTaken();
      const part = whole.slice(at, at + partBytes);
      yield 'size' in part ? new Uint8Array(await part.arrayBuffer()) : part;
    }
  }
  return { body: parts(), size };
}

/** Reads the chunks of a stream. undici hangs on a body that fails with a falsy value. */
async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw error || new Error('the body failed');
  }
}
