import { blur, decode, encodedFormsOf, fold, formsOf, part, partsOf, shortest, squeeze } from './filter.js';
import { inHex } from './spellings.js';

/** True for a secret that can be searched for in texts: shorter ones appear in many texts by chance. */
export const isSearchable = (secret: string): boolean => secret.trim().length >= shortest;

/** Nested escapes, such as JSON inside JSON inside a URL. */
const layers = 3;

const base = 31;
/** `base` to the power of `part`, as a 32-bit number. */
const highest = (): number => Array.from({ length: part }).reduce<number>((power) => Math.imul(power, base), 1);

/**
 * Creates a test for texts that hold one of the parts. A hash that moves along the text is compared first, because
 * cutting a part out at each position takes much longer.
 */
function partFinder(parts: ReadonlySet<string>): (text: string) => boolean {
  let size = 65_536;
  while (size < parts.size * 8 && size < 16_777_216) size *= 2;
  // Bits, so that the processor's cache holds them.
  const marks = new Uint32Array(size / 32);
  const top = highest();
  const slot = (hash: number): number => (hash ^ (hash >>> 15)) & (size - 1);
  for (const one of parts) {
    let hash = 0;
    for (let index = 0; index < part; index += 1) hash = (Math.imul(hash, base) + one.charCodeAt(index)) | 0;
    const at = slot(hash);
    marks[at >>> 5] = (marks[at >>> 5] ?? 0) | (1 << (at & 31));
  }
  return (text) => {
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
      if (end >= part) hash = (hash - Math.imul(text.charCodeAt(end - part), top)) | 0;
      const at = slot(hash);
      if (end < part - 1 || ((marks[at >>> 5] ?? 0) & (1 << (at & 31))) === 0) continue;
      if (parts.has(text.slice(end - part + 1, end + 1))) return true;
    }
    return false;
  };
}

/**
 * Creates a test for texts that quote one of the secrets, wholly or 16 characters of it, in any of the usual escapes,
 * in base64 or in hex. Takes linear time, however many secrets there are.
 */
export function secretFinder(secrets: Iterable<string>): (text: string) => boolean {
  const forms = [...secrets]
    .filter(isSearchable)
    .flatMap((one) => [...formsOf(one), ...encodedFormsOf(one), fold(inHex(one))]);
  const short = [...new Set(forms.filter((form) => form !== '' && form.length < part))];
  const holdsPart = partFinder(new Set(forms.flatMap(partsOf)));
  const quotesPart = (text: string): boolean => short.some((form) => text.includes(form)) || holdsPart(text);
  const quotes = (text: string, left: number): boolean => {
    const plain = squeeze(text);
    const blurred = blur(plain);
    if (quotesPart(fold(plain)) || (blurred !== plain && quotesPart(fold(blurred)))) return true;
    const next = decode(text);
    return left > 0 && next !== text && quotes(next, left - 1);
  };
  // Callers ask for a text again after they replaced nothing in it.
  let last: readonly { readonly text: string; readonly isQuoting: boolean }[] = [];
  return (text) => {
    if (forms.length === 0 || text.length < shortest) return false;
    const known = last.find((one) => one.text === text);
    const isQuoting = known?.isQuoting ?? quotes(text, layers);
    if (known === undefined) last = [{ text, isQuoting }, ...last.slice(0, 3)];
    return isQuoting;
  };
}
