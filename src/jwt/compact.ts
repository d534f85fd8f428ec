import { decode } from 'jose/base64url';
import type { Bytes } from '../lib/web-types.js';
import { encodeText, ownBytes } from './bytes.js';
import type { Claims } from './claims.js';
import { requireSubtle, type VerificationKey } from './keys.js';
import { badSignature, malformed, type Refusal, unverifiable } from './refusal.js';
import { signedPart } from './token-text.js';

/** A token that was taken apart. Nothing of it is true before its signature is verified. */
export interface CompactToken {
  readonly algorithm: string;
  readonly claims: Claims;
  /** Header and claims as they were signed. */
  readonly signed: Bytes;
  readonly signature: Bytes;
}

// What the services' library knows; a token of any other algorithm is unverifiable to it, whatever the key.
const algorithms = /^(?:(?:HS|RS|PS|ES)(?:256|384|512)|EdDSA|none)$/;

/**
 * The bytes of a part, or undefined where it is not base64url without padding. Decoders are more lenient than the
 * services, which pass over line breaks only.
 */
function readBase64(given: string, skipsBreaks: boolean): Bytes | undefined {
  const part = skipsBreaks ? given.replace(/[\r\n]/g, '') : given;
  return /^[\w-]*$/.test(part) && part.length % 4 !== 1 ? ownBytes(decode(part)) : undefined;
}

/** Refuses a number that a 64-bit float does not hold (`1e400`), as the services do wherever it stands. */
function finite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError();
  return value;
}

// Only a number with an exponent or with hundreds of digits can be too large.
const mayBeInfinite = /\d[eE]|\d{300}/;

/** The fields of a part that is a JSON object in UTF-8, or undefined. */
function readJsonObject(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text, mayBeInfinite.test(text) ? finite : undefined);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

const noJson = (bytes: Uint8Array, part: string): Refusal =>
  malformed(`could not JSON decode ${part}`, bytes.length === 0 ? ': unexpected end of JSON input' : '');

/**
 * Takes a token apart, in the order in which the services do; what is malformed is so whatever the key.
 * @param lenientFor the keys that will be asked, to read it as leniently as the observed services: line breaks in
 * base64url and `crit` do not count, and a token of none of their algorithms has a bad signature, whatever else is
 * wrong with the signature.
 */
export function parseToken(text: string, lenientFor?: readonly VerificationKey[]): CompactToken | Refusal {
  const lenient = lenientFor !== undefined;
  const parts = text.split('.', 4);
  const [head = '', body = '', tail = ''] = parts;
  if (parts.length !== 3) return malformed('token contains an invalid number of segments');
  const headBytes = readBase64(head, lenient);
  if (headBytes === undefined) return malformed('could not base64 decode header');
  const header = readJsonObject(headBytes);
  if (header === undefined) return noJson(headBytes, 'header');
  const bodyBytes = readBase64(body, lenient);
  if (bodyBytes === undefined) return malformed('could not base64 decode claim');
  const claims = readJsonObject(bodyBytes);
  if (claims === undefined) return noJson(bodyBytes, 'claim');
  const algorithm = header.get('alg');
  if (typeof algorithm !== 'string') return unverifiable('signing method (alg) is unspecified');
  if (!algorithms.test(algorithm)) return unverifiable('signing method (alg) is unavailable');
  if (lenient) {
    if (!lenientFor.some((key) => key.algorithm === algorithm)) return badSignature;
  } else if (header.has('crit')) {
    // Whoever does not understand what a header calls critical has to refuse the token.
    return unverifiable('critical header parameters (crit) are not supported');
  }
  const signature = readBase64(tail, lenient);
  if (signature === undefined) return malformed('could not base64 decode signature');
  return { algorithm, claims, signed: encodeText(signedPart(text)), signature };
}

const verifications = { HS256: 'HMAC', ES256: { name: 'ECDSA', hash: 'SHA-256' } } as const;

/** Whether a key signed a token. The algorithm is the key's, never the token's. */
export async function isSignedBy(token: CompactToken, { algorithm, verify }: VerificationKey): Promise<boolean> {
  if (token.algorithm !== algorithm) return false;
  return requireSubtle().verify(verifications[algorithm], verify, token.signature, token.signed);
}
