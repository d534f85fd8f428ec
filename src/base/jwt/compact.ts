import { decode } from 'jose/base64url';
import type { Bytes } from '../lib/web-types.js';
import { encodeText, ownBytes } from './bytes.js';
import type { Claims } from './claims.js';
import { requireSubtle, type VerificationKey } from './keys.js';
import { badSignature, malformed, type Refusal, unverifiable } from './refusal.js';
import { signedPart } from './token-text.js';

/** A parsed token. None of it can be trusted before its signature is verified. */
export interface CompactToken {
  readonly algorithm: string;
  readonly claims: Claims;
  /** The signed bytes: header and claims. */
  readonly signed: Bytes;
  readonly signature: Bytes;
}

// The algorithms of the services' library. It treats a token with any other as unverifiable, regardless of the key.
const algorithms = /^(?:(?:HS|RS|PS|ES)(?:256|384|512)|EdDSA|none)$/;

/**
 * Decodes a part; undefined if it is not unpadded base64url. Checked here because decoders are more lenient than the
 * services, which ignore line breaks only.
 */
function readBase64(text: string, skipsBreaks: boolean): Bytes | undefined {
  const part = skipsBreaks ? text.replace(/[\r\n]/g, '') : text;
  return /^[\w-]*$/.test(part) && part.length % 4 !== 1 ? ownBytes(decode(part)) : undefined;
}

/** Rejects a number beyond a 64-bit float (`1e400`), as the services do at any depth. */
function finite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError();
  return value;
}

// Only a number with an exponent or with more digits than this can be too large.
const mostDigits = 300;
const exponent = /\d[eE]/;

/** Parses a part as a JSON object in UTF-8; undefined if it is not one. */
function readJsonObject(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text, text.length > mostDigits || exponent.test(text) ? finite : undefined);
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
 * Parses a token with the checks in the services' order; malformed tokens fail regardless of the key.
 * @param lenientFor the keys for verification, to be as lenient as the observed services: line breaks in base64url and
 * `crit` are ignored, and a token with none of the keys' algorithms has a bad signature, even if the signature is also
 * malformed.
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
    // RFC 7515: a token with unsupported critical headers must be rejected.
    return unverifiable('critical header parameters (crit) are not supported');
  }
  const signature = readBase64(tail, lenient);
  if (signature === undefined) return malformed('could not base64 decode signature');
  return { algorithm, claims, signed: encodeText(signedPart(text)), signature };
}

const verifications = { HS256: 'HMAC', ES256: { name: 'ECDSA', hash: 'SHA-256' } } as const;

/** Verifies that a key signed a token. The algorithm is the key's, never the token's. */
export async function isSignedBy(token: CompactToken, { algorithm, verify }: VerificationKey): Promise<boolean> {
  if (token.algorithm !== algorithm) return false;
  return requireSubtle().verify(verifications[algorithm], verify, token.signature, token.signed);
}
