import { systemCode } from '../../base/lib/system-errors.js';

const mostDecoded = 64 * 1_024 * 1_024;

/** The text of bytes in UTF-8, with a byte order mark; undefined if they are not. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; undefined if it is not one. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undoes a `Content-Encoding`; undefined if that is not possible, and null if more than `most` bytes come out. */
export function decodeContent(bytes: Buffer, encoding: string, most = mostDecoded): Buffer | null | undefined {
  if (bytes.length === 0) return bytes;
  // The last of them is newer than the oldest Node that is supported.
  const { gunzipSync, inflateSync, brotliDecompressSync, zstdDecompressSync } = process.getBuiltinModule('node:zlib');
  const options = { maxOutputLength: most };
  let decoded = bytes;
  try {
    // The last one was applied last.
    for (const name of encoding
      .toLowerCase()
      .split(/[\s,]+/)
      .reverse()) {
      if (name === '' || name === 'identity') continue;
      if (name === 'gzip' || name === 'x-gzip') decoded = gunzipSync(decoded, options);
      else if (name === 'deflate') decoded = inflateSync(decoded, options);
      else if (name === 'br') decoded = brotliDecompressSync(decoded, options);
      else if (name === 'zstd' && zstdDecompressSync !== undefined) decoded = zstdDecompressSync(decoded, options);
      else return undefined;
    }
    return decoded;
  } catch (error) {
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? null : undefined;
  }
}

const beginnings: readonly (readonly [format: string, hex: RegExp])[] = [
  ['gzip', /^1f8b/],
  ['deflate', /^.8/],
  ['zstd', /^28b52ffd/],
];

/** The contents of compressed bytes, of brotli only if `isFile`, which has no mark; null if too long. */
export const unpackedForms = (bytes: Buffer, most: number, isFile: boolean): (Buffer | null)[] => {
  const begin = bytes.toString('hex', 0, 4);
  const formats = beginnings.flatMap(([format, pattern]) => (pattern.test(begin) ? format : []));
  return [...formats, ...(isFile ? ['br'] : [])].flatMap((format) => {
    const content = decodeContent(bytes, format, most);
    return content === undefined || content?.length === 0 ? [] : content;
  });
};

/** The digest of bytes, in hex. */
export const sha256 = (bytes: Buffer): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
