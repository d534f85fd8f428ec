import type { Bytes } from '../../base/lib/web-types.js';
import { concat } from './concat.js';

/** The part of a Blob in use. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  /** The name of a file. */
  readonly name?: string;
  slice(start: number, end: number): BlobLike;
  arrayBuffer?(): Promise<ArrayBuffer>;
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

/** Reads little more than `cap` bytes of a Blob, and its type. */
export async function encodeBlob(
  blob: BlobLike,
  cap: number,
): Promise<{ readonly body: Bytes; readonly type: string | undefined }> {
  const body = await readBlob(blob.size > cap ? blob.slice(0, cap + 1) : blob);
  return { body, type: blob.type || undefined };
}

const crlf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n');
const quote = (name: string): string => name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');

/** Encodes a form as `multipart/form-data`, as the HTML standard specifies. */
export async function encodeForm(
  form: Iterable<readonly [string, string | BlobLike]>,
): Promise<{ readonly body: Bytes; readonly type: string }> {
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
