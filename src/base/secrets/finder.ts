import { blur, decode, encodedFormsOf, fold, formsOf, part, shortest, squeeze } from './filter.js';
import { inHex } from './spellings.js';

/** True for a secret that can be searched for in texts: shorter ones appear in many texts by chance. */
export const isSearchable = (secret: string): boolean => secret.trim().length >= shortest;

/** Nested escapes, such as JSON inside JSON inside a URL; also base64 inside base64. */
const layers = 3;
/** The number of characters of a secret that are searched for. */
const longest = 8_192;
/** The distance between the parts of a secret that a search looks for: each 18 characters of the secret hold a part. */
const step = 3;

const base = 31;

/** Creates a test for texts that hold one of the parts, of one length: a rolling hash is compared first, for speed. */
function partFinder(parts: ReadonlySet<string>, length: number): (text: string) => boolean {
  const highest = Array.from({ length }).reduce<number>((power) => Math.imul(power, base), 1);
  let size = 65_536;
  while (size < parts.size * 8 && size < 16_777_216) size *= 2;
  // One bit for each slot, so that the processor's cache holds all of them.
  const marks = new Uint32Array(size / 32);
  const slot = (hash: number): number => (hash ^ (hash >>> 15)) & (size - 1);
  for (const part of parts) {
    let hash = 0;
    for (let index = 0; index < length; index += 1) hash = (Math.imul(hash, base) + part.charCodeAt(index)) | 0;
    const at = slot(hash);
    marks[at >>> 5] = (marks[at >>> 5] ?? 0) | (1 << (at & 31));
  }
  return (text) => {
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
      if (end >= length) hash = (hash - Math.imul(text.charCodeAt(end - length), highest)) | 0;
      const at = slot(hash);
      if (end < length - 1 || ((marks[at >>> 5] ?? 0) & (1 << (at & 31))) === 0) continue;
      if (parts.has(text.slice(end - length + 1, end + 1))) return true;
    }
    return false;
  };
}

/**
 * Creates a test for texts that quote one of the secrets, wholly or 18 characters of it, in any of the usual escapes,
 * in base64 or in hex. Takes linear time, however many secrets there are.
 */
export function secretFinder(secrets: Iterable<string>): (text: string) => boolean {
  const byLength = new Map<number, Set<string>>();
  for (const secret of secrets) {
    if (!isSearchable(secret)) continue;
    const start = secret.slice(0, longest);
    for (const form of [...formsOf(start), ...encodedFormsOf(start), fold(inHex(start))]) {
      const isShort = form.length < part + step;
      const set = byLength.get(isShort ? form.length : part) ?? new Set();
      byLength.set(isShort ? form.length : part, set);
      if (isShort) set.add(form);
      else for (let at = 0; at + part <= form.length; at += step) set.add(form.slice(at, at + part));
    }
  }
  const finders = [...byLength].flatMap(([length, set]) => (length === 0 ? [] : [partFinder(set, length)]));
  const quotes = (text: string, left: number): boolean => {
    const plain = squeeze(text);
    const blurred = blur(plain);
    const searched = [fold(plain), ...(blurred === plain ? [] : [fold(blurred)])];
    if (searched.some((folded) => finders.some((find) => find(folded)))) return true;
    const next = decode(text);
    return left > 0 && next !== text && quotes(next, left - 1);
  };
  return (text) => finders.length > 0 && text.length >= shortest && quotes(text, layers);
}

const base64Word = /[\w+/-]{16,1000000}={0,2}/g;
const hexWord = /[\da-f]{16,1000000}/gi;

/** The bytes that words of a text may encode in base64 or hex; of paths also their segments. */
const bytesIn = (text: string): Buffer[] => [
  ...Array.from(text.matchAll(base64Word), ([word]) => word)
    .flatMap((word) => (word.includes('/') ? [word, ...word.split('/')] : word))
    .map((word) => Buffer.from(word, 'base64')),
  ...Array.from(text.matchAll(hexWord), ([word]) => Buffer.from(word, 'hex')),
];

/** Bytes as text: UTF-8 or else Latin-1, and UTF-16 from each of two offsets. */
function textsOf(bytes: Buffer): string[] {
  const text = bytes.toString();
  const wide = [0, 1].flatMap((from) => {
    // Copies: Node reads beyond an odd length of bytes at an odd address.
    const even = Uint8Array.from(bytes.subarray(from, from + ((bytes.length - from) & ~1)));
    return ['utf-16le', 'utf-16be'].map((label) => new TextDecoder(label).decode(even));
  });
  return [text.includes('\ufffd') ? bytes.toString('latin1') : text, ...wide];
}

/**
 * Creates a test for texts and bytes that hold a secret in any of these forms, also inside of one another: escapes,
 * base64, hex, UTF-16, Latin-1, and what `unpack` undoes. Needs Node.
 * @param unpack the contents of bytes that are a file of a compressor; null if they are too long to look at;
 * `isFile` is false for a word of a text.
 */
export function deepFinder(
  secrets: Iterable<string>,
  unpack: (bytes: Buffer, isFile: boolean) => readonly (Buffer | null)[],
): (data: string | Buffer) => boolean {
  const find = secretFinder(secrets);
  const inBytes = (bytes: Buffer | null, left: number, isFile = false): boolean =>
    bytes === null ||
    (bytes.length >= shortest &&
      (textsOf(bytes).some((text) => inText(text, left)) ||
        (left > 0 && unpack(bytes, isFile).some((unpacked) => inBytes(unpacked, left - 1, isFile)))));
  const inText = (text: string, left: number): boolean => {
    if (text.length < shortest) return false;
    if (find(text)) return true;
    if (left === 0) return false;
    const plain = decode(text);
    return [text, ...(plain === text ? [] : [plain])].some(
      (form) =>
        bytesIn(form).some((bytes) => inBytes(bytes, left - 1)) ||
        // UTF-16 as if it were UTF-8.
        (form.includes('\0') && textsOf(Buffer.from(form)).some((other) => find(other))),
    );
  };
  return (data) => (typeof data === 'string' ? inText(data, layers) : inBytes(data, layers, true));
}
