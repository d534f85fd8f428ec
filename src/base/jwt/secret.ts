import { InvalidArgumentError } from '../errors.js';
import { wrongKind } from '../lib/values.js';
import type { Bytes } from '../lib/web-types.js';
import { encodeText, ownBytes } from './bytes.js';

/** The number of bytes of a secret that are used. */
const secretBytes = 64;

/** True for the white space that the services trim from the start of a secret. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Decodes each byte to one character. */
const toLatin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

// DER: an outer SEQUENCE whose first element is a one-byte INTEGER (the version of a private key), a large INTEGER (an
// RSA key), or an inner SEQUENCE. The inner one begins with an OBJECT IDENTIFIER (a public key), a version (a
// certificate) or an INTEGER.
const derLength = '(?:[\\x00-\\x7f]|\\x81[^]|\\x82[^]{2}|\\x83[^]{3})';
const der = /* @__PURE__ */ new RegExp(
  `^\\s*\\x30${derLength}(?:\\x02\\x01[\\x00-\\x03]|\\x02[\\x81\\x82]|\\x30${derLength}(?:\\x06|\\xa0\\x03|\\x02))`,
);
const pem = /---- ?BEGIN /i;
const jwk = /"(?:kty|keys)"\s*:/;
const ssh =
  /\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) AAAA/;
const putty = /PuTTY-User-Key-File/;
// A run of base64 or hexadecimal digits, long enough for the start of a key.
const encodedRun = /[A-Za-z0-9+/_-]{24,}/g;
const hexRun = /^(?:[0-9a-f]{2})+$/i;

const looksLikeKey = (text: string): boolean => [pem, jwk, ssh, putty, der].some((form) => form.test(text));

/** Decodes a run of base64 (either alphabet) or hexadecimal digits, each byte to one character. */
function decodings(run: string): string[] {
  const whole = run.slice(0, run.length - (run.length % 4 === 1 ? 1 : 0));
  const base64 = atob(whole.replaceAll('-', '+').replaceAll('_', '/'));
  if (!hexRun.test(run)) return [base64];
  return [base64, run.replace(/../g, (digits) => String.fromCharCode(Number.parseInt(digits, 16)))];
}

/** True if bytes hold a key of another kind (PEM, DER, JWK or SSH), plain or as base64 or hexadecimal digits. */
function holdsOtherKey(bytes: Uint8Array): boolean {
  // Strips the zeros of UTF-16 text; DER may contain zeros.
  const raw = toLatin1(bytes);
  const text = raw.replaceAll('\0', '');
  if (looksLikeKey(text) || der.test(raw)) return true;
  // Searches each line, and then all lines joined, for a key that is broken into short lines.
  const runs = [text, text.replace(/\s/g, '')].flatMap((spelling) => spelling.match(encodedRun) ?? []);
  return runs.some((run) => decodings(run).some(looksLikeKey));
}

/**
 * Converts a shared secret to a key as the services do: trims leading ASCII white space, then truncates or pads with
 * zeros to 64 bytes.
 * @throws InvalidArgumentError for a guessable secret: an empty one, one whose key has only white space and
 * zeros, or one that is or contains a key of another kind, which may be public. The secret is never quoted.
 */
export function readSecret(secret: unknown, field: string, otherKeys: string): Bytes {
  const bytes =
    typeof secret === 'string' ? encodeText(secret) : ArrayBuffer.isView(secret) ? ownBytes(secret) : undefined;
  if (bytes === undefined || bytes.length === 0) {
    // Never quotes the value: it may be the secret in another form.
    throw new InvalidArgumentError(field, wrongKind('non-empty text or bytes', secret));
  }
  if (holdsOtherKey(bytes)) {
    throw new InvalidArgumentError(field, `is or holds another kind of key, not a shared secret; ${otherKeys}`);
  }
  const key = new Uint8Array(secretBytes);
  const start = bytes.findIndex((byte) => !isBlank(byte));
  if (start >= 0) key.set(bytes.subarray(start, start + secretBytes));
  if (/^[\s\0]*$/.test(new TextDecoder().decode(key))) {
    throw new InvalidArgumentError(field, 'has only white space and zeros: easy to guess');
  }
  return key;
}
