import { hasMethod } from '../../base/lib/values.js';
import type { Bytes } from '../../base/lib/web-types.js';

// Bodies are recognized by their methods, not by `instanceof`: under jsdom and happy-dom, FormData and Blob come from
// another realm than fetch.

interface BlobLike {
  readonly size: number;
  readonly type: string;
  /** The name of a file. */
  readonly name?: string;
  slice(start: number, end: number): BlobLike;
  arrayBuffer?(): Promise<ArrayBuffer>;
}

/** A body for the mock, with the content type that fetch would set. */
export interface FetchBody {
  readonly body: string | Bytes | undefined;
  readonly type?: string | undefined;
}

function concat(chunks: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

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

/** Reads a Blob. Older versions of jsdom lack `arrayBuffer` but have a FileReader. */
async function readBlob(blob: BlobLike): Promise<Bytes> {
  if (blob.arrayBuffer !== undefined) return new Uint8Array(await blob.arrayBuffer());
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob as Blob); // A Blob of the FileReader's own realm.
  });
  return new Uint8Array(reader.result as ArrayBuffer); // readAsArrayBuffer sets an ArrayBuffer.
}

const crlf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n');
const quote = (name: string): string => name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');

/** Encodes a form as `multipart/form-data`, as the HTML standard specifies. */
async function encodeForm(form: Iterable<readonly [string, string | BlobLike]>): Promise<FetchBody> {
  const random = (): string => Math.random().toString(36).slice(2);
  const boundary = `----formdata-${random()}${random()}`;
  const utf8 = new TextEncoder();
  const chunks: Uint8Array[] = [];
  for (const [name, part] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quote(crlf(name))}"`;
    if (typeof part === 'string') {
      chunks.push(utf8.encode(`${head}\r\n\r\n${crlf(part)}\r\n`));
    } else {
      const type = part.type || 'application/octet-stream';
      const file = `; filename="${quote(part.name ?? 'blob')}"\r\nContent-Type: ${type}`;
      chunks.push(utf8.encode(`${head}${file}\r\n\r\n`), await readBlob(part), utf8.encode('\r\n'));
    }
  }
  chunks.push(utf8.encode(`--${boundary}--\r\n`));
  return { body: concat(chunks), type: `multipart/form-data; boundary=${boundary}` };
}

/** Reads fetch's `body`; of a Blob or a stream, little more than `cap` bytes. */
export async function readFetchBody(source: unknown, cap: number): Promise<FetchBody> {
  if (ArrayBuffer.isView(source)) {
    return { body: new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice() };
  }
  if (hasMethod(source, 'getReader')) return { body: await readCapped(source as ReadableStream<Uint8Array>, cap) };
  if (hasMethod(source, 'getAll')) {
    // FormData and URLSearchParams both have `getAll`, but only the latter has `sort`. The casts rely on that.
    if (!hasMethod(source, 'sort')) return encodeForm(source as Iterable<readonly [string, string | BlobLike]>);
    return { body: String(source), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  }
  const { byteLength, size } = Object(source) as { readonly byteLength?: unknown; readonly size?: unknown };
  if (typeof byteLength === 'number') return { body: new Uint8Array(source as ArrayBuffer).slice() };
  if (typeof size === 'number' && hasMethod(source, 'slice')) {
    const blob = source as BlobLike;
    const body = await readBlob(blob.size > cap ? blob.slice(0, cap + 1) : blob);
    return blob.type === '' ? { body } : { body, type: blob.type };
  }
  return encodeTextBody(String(source));
}

/** Encodes text as fetch does: lone surrogates become U+FFFD. */
export function encodeTextBody(text: string): FetchBody {
  return { body: text.toWellFormed(), type: 'text/plain;charset=UTF-8' };
}

/** Reads the body of a Request, whole if the engine has no `Request.body` (Firefox). */
export async function readRequestBody(request: Request, cap: number): Promise<Bytes | undefined> {
  const { body } = request as { readonly body?: ReadableStream<Uint8Array> | null };
  if (body === null) return undefined;
  if (body !== undefined) return readCapped(body, cap);
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}
