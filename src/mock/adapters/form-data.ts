import type { Bytes } from '../../base/lib/web-types.js';
import { type BlobLike, concat, readBlob } from './blob.js';

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
