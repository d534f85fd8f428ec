import { InvalidArgumentError } from '../errors.js';
import type { Bytes } from '../lib/web-types.js';
import { encodeText, ownBytes } from './bytes.js';

/** How many bytes of a secret count. */
const secretBytes = 64;

/** The white space that the services take off the front of a secret. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Each byte as a character. */
const toLatin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

// A SEQUENCE that begins with an INTEGER of one byte (a private key, its version), with a large one (an RSA key), or
// with a SEQUENCE that begins with an OBJECT IDENTIFIER (a public key), a version (a certificate) or an INTEGER.
const derLength = '(?:[\\x00-\\x7f]|\\x81[^]|\\x82[^]{2}|\\x83[^]{3})';
const der = /* @__PURE__ */ new RegExp(
  `^\\s*\\x30${derLength}(?:\\x02\\x01[\\x00-\\x03]|\\x02[\\x81\\x82]|\\x30${derLength}(?:\\x06|\\xa0\\x03|\\x02))`,
);
const pem = /---- ?BEGIN /i;
const jwk = /"(?:kty|keys)"\s*:/;
const ssh =
  /\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) AAAA/;
const putty = /PuTTY-User-Key-File/;
// A line of base64 or hexadecimal digits that is long enough for the beginning of a key.
const encodedRun = /[A-Za-z0-9+/_-]{24,}/g;
const hexRun = /^(?:[0-9a-f]{2})+$/i;

const looksLikeKey = (text: string): boolean => [pem, jwk, ssh, putty, der].some((form) => form.test(text));

/** What a run of base64 (either alphabet) or of hexadecimal digits says, each byte as a character. */
function decodings(run: string): string[] {
  const whole = run.slice(0, run.length - (run.length % 4 === 1 ? 1 : 0));
  const base64 = atob(whole.replaceAll('-', '+').replaceAll('_', '/'));
  if (!hexRun.test(run)) return [base64];
  return [base64, run.replace(/../g, (digits) => String.fromCharCode(Number.parseInt(digits, 16)))];
}

/**
 * Whether bytes are or hold a key of another kind: as PEM, DER, JWK or a line of SSH, itself or as base64 or
 * hexadecimal digits.
 */
function holdsOtherKey(bytes: Uint8Array): boolean {
  // Without the zeros of UTF-16, for texts; DER may have them.
  const raw = toLatin1(bytes);
  const text = raw.replaceAll('\0', '');
  if (looksLikeKey(text) || der.test(raw)) return true;
  // Lines, and a body whose lines are shorter.
  const runs = [text, text.replace(/\s/g, '')].flatMap((one) => one.match(encodedRun) ?? []);
  return runs.some((run) => decodings(run).some(looksLikeKey));
}

/**
 * The key that a shared secret is to the services: without the ASCII white space in front, then cut or padded with
 * zeros to 64 bytes.
 * @throws InvalidArgumentError for a secret that anybody knows: an empty one, one whose key is nothing but white space
 * and zeros, and one that is or holds a key of another kind, which may be public. The secret is never quoted.
 */
export function readSecret(secret: unknown, field: string, otherKeys: string): Bytes {
  const bytes =
    typeof secret === 'string' ? encodeText(secret) : ArrayBuffer.isView(secret) ? ownBytes(secret) : undefined;
  if (bytes === undefined || bytes.length === 0) {
    // Never the value: it may be the secret in another form.
    const got = bytes === undefined ? typeof secret : 'none';
    throw new InvalidArgumentError(field, `expected text or bytes that are not empty, got ${got}`);
  }
  if (holdsOtherKey(bytes)) {
    throw new InvalidArgumentError(field, `is or holds a key of another kind, not a shared secret; ${otherKeys}`);
  }
  const key = new Uint8Array(secretBytes);
  const start = bytes.findIndex((byte) => !isBlank(byte));
  if (start >= 0) key.set(bytes.subarray(start, start + secretBytes));
  if (/^[\s\0]*$/.test(new TextDecoder().decode(key))) {
    throw new InvalidArgumentError(field, 'is nothing but white space and zeros: anybody could sign with it');
  }
  return key;
}
