import { quietly } from './quietly.js';
import type { ByteStream } from './web-types.js';

/**
 * Reads the body of a request, which may come from anyone; undefined if it is longer than `most` bytes. A stream is
 * read no further.
 */
export async function readUpTo(request: Request, most: number): Promise<Uint8Array | undefined> {
  // A Request of Firefox has no `body`, and its methods read all of it. The cast: lib dom and Node declare different
  // classes.
  const body = (request.body ?? (await request.blob()).stream()) as ByteStream;
  // One buffer that doubles: a sender of single bytes must not make this process hold a million chunks.
  let bytes = new Uint8Array(1_024);
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, size);
    const start = size;
    size += value.byteLength;
    if (size > most) {
      void quietly(() => reader.cancel());
      return undefined;
    }
    if (size > bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * bytes.byteLength));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(value, start);
  }
}
