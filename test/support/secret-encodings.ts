/** A token as used in headers. */
export const jwt =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJwcmVmZXJyZWRfdXNlcm5hbWUiOiJhbGljZSIsImV4cCI6MTc2MzY0MDAwMH0.c2lnbmF0dXJlLWNhbmFyeQ';

/** Passwords with characters that encodings change. */
export const passwords = [
  'correct horse',
  'pä$$wörd&<>"\'',
  'a+b/c=d%41',
  'back\\slash\\u0041',
  'ünïcödé-😀-pass',
  'plainpassword',
];

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const byUnits = (text: string, write: (unit: string) => string) =>
  Array.from({ length: text.length }, (_, i) => write(text.charAt(i))).join('');
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const hex4 = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');

/** Encodings in which a server may write a received value. */
export const encodings: Readonly<Record<string, (secret: string) => string>> = {
  raw: (s) => s,
  percent: encodeURIComponent,
  'percent, lower case': (s) => encodeURIComponent(s).replace(/%[\dA-F]{2}/g, (found) => found.toLowerCase()),
  'percent, every byte': (s) => [...Buffer.from(s)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  form: (s) => new URLSearchParams([['', s]]).toString().slice(1),
  'HTML, named': (s) =>
    s.replace(/[&<>"']/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[found] ?? '&#39;'),
  'HTML, decimal': (s) => [...s].map((char) => `&#${char.codePointAt(0)};`).join(''),
  'HTML, hexadecimal': (s) => [...s].map((char) => `&#x${char.codePointAt(0)?.toString(16)};`).join(''),
  JSON: json,
  'JSON, twice': (s) => json(json(s)),
  'JSON, every unit': (s) => byUnits(s, (unit) => `\\u${hex4(unit)}`),
  'JSON for HTML': (s) => json(s).replace(/[&<>]/g, (unit) => `\\u${hex4(unit)}`),
  'bytes in escapes': (s) =>
    s.replace(/[^\0-[\]-\x7f]/gu, (char) => [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16)}`).join('')),
  'percent in JSON': (s) => json(encodeURIComponent(s)),
  base64,
  'base64, one byte behind': (s) => base64(`:${s}`),
  'base64, two bytes behind': (s) => base64(`u:${s}!`),
  base64url: (s) => Buffer.from(s).toString('base64url'),
  'base64 in a URL': (s) => encodeURIComponent(base64(s)),
};

/** Positions in a text. */
export const places: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `User ${text} was refused`,
  (text) => `bad header "Authorization: Bearer ${text}"`,
  (text) => `token=${text}&state=1`,
  (text) => `x${text}y`,
  (text) => `${'long '.repeat(80)}${text}`,
];
