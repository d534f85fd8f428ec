import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** Bytes as text of several encodings, unpacked if they are compressed. */
function* bytesAsText(bytes: Buffer): Generator<string> {
  for (const encoding of ['utf-8', 'latin1']) yield new TextDecoder(encoding).decode(bytes);
  for (const from of [0, 1])
    for (const encoding of ['utf-16le', 'utf-16be'])
      yield new TextDecoder(encoding).decode(Uint8Array.from(bytes.subarray(from)));
  for (const unpack of [gunzipSync, inflateSync, brotliDecompressSync, zstdDecompressSync]) {
    let unpacked: Buffer | undefined;
    try {
      unpacked = unpack(bytes);
    } catch {
      // Not packed like this.
    }
    if (unpacked !== undefined && unpacked.length > 0) yield* bytesAsText(unpacked);
  }
}

/** A text and all that it encodes: JSON strings, escapes, base64, hex, UTF-16, compressed files, pieces put together. */
function* decodings(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth > 4) return;
  try {
    const found: string[] = [];
    JSON.parse(text, (key, value) => {
      found.push(key);
      if (typeof value === 'string') found.push(value);
      return value;
    });
    for (const one of [...found, found.join('')]) if (one !== text) yield* decodings(one, depth + 1);
  } catch {
    // Not JSON.
  }
  const percent = text.replace(/(?:%[\da-f]{2})+/gi, (hex) => Buffer.from(hex.replaceAll('%', ''), 'hex').toString());
  if (percent !== text) yield* decodings(percent, depth + 1);
  const units = text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (units !== text) yield* decodings(units, depth + 1);
  if (text.includes('\0')) yield* bytesAsText(Buffer.from(text));
  for (const [word] of text.matchAll(/(?:[\da-f]{2}){8,}/gi)) yield* bytesAsText(Buffer.from(word, 'hex'));
  for (const [word] of text.matchAll(/[\w+/-]{12,}/g))
    for (const piece of new Set([word, ...word.split('/')]))
      for (const offset of [0, 1, 2, 3]) yield* bytesAsText(Buffer.from(piece.slice(offset), 'base64'));
}

/** The pieces of eight characters of the secrets that a text shows. */
export function shownPieces(text: string, secrets: readonly string[]): string[] {
  const pieces = secrets.flatMap((one) => Array.from({ length: one.length - 7 }, (_, at) => one.slice(at, at + 8)));
  return [...decodings(text)].flatMap((one) => pieces.filter((piece) => one.includes(piece)));
}
