import { blur, decode, encodedFormsOf, fold, formsOf, part, partsOf, shortest, squeeze } from './filter.js';

/** True for a secret that can be searched for in texts: shorter ones appear in many texts by chance. */
export const isSearchable = (secret: string): boolean => secret.trim().length >= shortest;

/** Nested escapes, such as JSON inside JSON inside a URL. */
const layers = 3;

/**
 * Creates a test for texts that quote one of the secrets, wholly or 16 characters of it, in any of the usual escapes or
 * in base64. Takes linear time, however many secrets there are.
 */
export function secretFinder(secrets: Iterable<string>): (text: string) => boolean {
  const forms = [...secrets].filter(isSearchable).flatMap((one) => [...formsOf(one), ...encodedFormsOf(one)]);
  const short = [...new Set(forms.filter((form) => form !== '' && form.length < part))];
  const parts = new Set(forms.flatMap(partsOf));
  const quotesPart = (text: string): boolean => {
    if (short.some((form) => text.includes(form))) return true;
    for (let at = 0; at + part <= text.length; at += 1) if (parts.has(text.slice(at, at + part))) return true;
    return false;
  };
  const quotes = (text: string, left: number): boolean => {
    const plain = squeeze(text);
    const blurred = blur(plain);
    if (quotesPart(fold(plain)) || (blurred !== plain && quotesPart(fold(blurred)))) return true;
    const next = decode(text);
    return left > 0 && next !== text && quotes(next, left - 1);
  };
  return (text) => forms.length > 0 && text.length >= shortest && quotes(text, layers);
}

/** The usual spellings of a secret, the longest first: as it is, in URLs, in JSON and in base64. */
export function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const all = [
    secret,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(secret).toString('base64url'),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}
