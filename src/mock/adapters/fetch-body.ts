import { hasMethod } from '../../base/lib/values.js';
import type { Bytes } from '../../base/lib/web-types.js';
import { concat } from './concat.js';
import type { BlobLike } from './form-data.js';

// Bodies are recognized by their methods, not by `instanceof`: under jsdom and happy-dom, FormData and Blob come from
// another realm than fetch.

/** A body for the mock, with the content type that fetch would set. */
export type FetchBody = { readonly body: string | Bytes | undefined; readonly type?: string | undefined };

/** Reads a stream up to the chunk that exceeds the cap. */
async function readCapped(stream: ReadableStream<Uint8Array>, cap: number): Promise<Bytes> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= cap) {
    const { done, value } = await reader.read();
    if (done) break;
    // The error that undici throws for a stream of strings.
    if (!ArrayBuffer.isView(value)) throw new TypeError('Received non-Uint8Array chunk');
    chunks.push(value);
    size += value.byteLength;
  }
  if (size > cap) await reader.cancel();
  return concat(chunks);
}

/** Few tests send forms or Blobs. */
const rare = () => import('./form-data.js');

/** Reads fetch's `body`; of a Blob or a stream, little more than `cap` bytes. */
export async function readFetchBody(source: unknown, cap: number): Promise<FetchBody> {
  if (ArrayBuffer.isView(source)) {
    return { body: new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice() };
  }
  if (hasMethod(source, 'getReader')) return { body: await readCapped(source as ReadableStream<Uint8Array>, cap) };
  if (hasMethod(source, 'getAll')) {
    // FormData and URLSearchParams both have `getAll`, but only the latter has `sort`. The casts rely on that.
    if (!hasMethod(source, 'sort')) {
      return (await rare()).encodeForm(source as Iterable<readonly [string, string | BlobLike]>);
    }
    return { body: String(source), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  }
  const { byteLength, size } = Object(source) as { readonly byteLength?: unknown; readonly size?: unknown };
  if (typeof byteLength === 'number') return { body: new Uint8Array(source as ArrayBuffer).slice() };
  if (typeof size === 'number' && hasMethod(source, 'slice')) return (await rare()).encodeBlob(source as BlobLike, cap);
  return encodeTextBody(String(source));
}

/** Encodes text as fetch does: lone surrogates become U+FFFD. */
export function encodeTextBody(text: string): FetchBody {
  return { body: text.toWellFormed(), type: 'text/plain;charset=UTF-8' };
}

/** Reads the body of a Request, whole if the engine has no `Request.body` (Firefox). */
export async function readRequestBody(request: Request, cap: number): Promise<FetchBody> {
  const { body } = request as { readonly body?: ReadableStream<Uint8Array> | null };
  if (body) return { body: await readCapped(body, cap) };
  const bytes = body === undefined && new Uint8Array(await request.arrayBuffer());
  return { body: bytes && bytes.length > 0 ? bytes : undefined };
}
