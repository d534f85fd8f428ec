/** A text in hex digits of its UTF-8 bytes, in lower case. */
export const inHex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The usual spellings of a secret, the longest first: as it is, in URLs, in JSON, in base64 and in hex. */
export function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const plain = base64.replaceAll('=', '');
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const hex = inHex(secret);
  const all = [
    secret,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    base64,
    plain,
    plain.replaceAll('+', '-').replaceAll('/', '_'),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}
