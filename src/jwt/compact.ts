import { decode } from 'jose/base64url';
import { JWSSignatureVerificationFailed } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import type { Claims } from './claims.js';
import type { VerificationKey } from './keys.js';
import { malformed, type Refusal, unverifiable } from './refusal.js';

/** A token that was taken apart. Nothing of it is true before its signature is verified. */
export interface CompactToken {
  readonly text: string;
  readonly algorithm: string;
  readonly claims: Claims;
}

// What the services' library knows; a token of any other algorithm is unverifiable to it, whatever the key.
const algorithms = /^(?:(?:HS|RS|PS|ES)(?:256|384|512)|EdDSA|none)$/;

/**
 * The bytes of a part, or undefined where it is not base64url without padding. Decoders are more lenient than the
 * services.
 */
function readBase64(part: string): Uint8Array | undefined {
  return /^[\w-]*$/.test(part) && part.length % 4 !== 1 ? decode(part) : undefined;
}

/** The fields of a part that is a JSON object in UTF-8, or undefined. */
function readJsonObject(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

/** Takes a token apart, in the order in which the services do; what is malformed is so whatever the key. */
export function parseToken(text: string): CompactToken | Refusal {
  const parts = text.split('.', 4);
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3) return malformed('token contains an invalid number of segments');
  const headBytes = readBase64(head);
  if (headBytes === undefined) return malformed('could not base64 decode header');
  const header = readJsonObject(headBytes);
  if (header === undefined) return malformed('could not JSON decode header');
  const bodyBytes = readBase64(body);
  if (bodyBytes === undefined) return malformed('could not base64 decode claim');
  const claims = readJsonObject(bodyBytes);
  if (claims === undefined) return malformed('could not JSON decode claim');
  const algorithm = header.get('alg');
  if (typeof algorithm !== 'string') return unverifiable('signing method (alg) is unspecified');
  if (!algorithms.test(algorithm)) return unverifiable('signing method (alg) is unavailable');
  // Whoever does not understand what a header calls critical has to refuse the token.
  if (header.has('crit')) return unverifiable('critical header parameters (crit) are not supported');
  if (readBase64(signature) === undefined) return malformed('could not base64 decode signature');
  return { text, algorithm, claims };
}

/** Whether a key signed a token. The algorithm is the key's, never the token's. */
export async function isSignedBy({ text, algorithm }: CompactToken, key: VerificationKey): Promise<boolean> {
  if (algorithm !== key.algorithm) return false;
  try {
    await compactVerify(text, key.verify, { algorithms: [key.algorithm] });
    return true;
  } catch (error) {
    if (error instanceof JWSSignatureVerificationFailed) return false;
    throw error;
  }
}
