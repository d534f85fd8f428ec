import { createHmac, type KeyObject, sign } from 'node:crypto';

/** A secret for HMAC, or a private ES256 key. */
export type Signer = string | KeyObject;

/** Base64url of text or bytes. */
export const base64url = (part: string | Uint8Array): string => Buffer.from(part).toString('base64url');

/** A signature like the services': HMAC with the first 64 bytes of the secret, padded with zeros, or ECDSA. */
export function signRaw(signer: Signer, text: string, hash = 'sha256'): string {
  if (typeof signer !== 'string') {
    return sign(hash, Buffer.from(text), { key: signer, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  }
  const key = Buffer.alloc(64);
  Buffer.from(signer).copy(key);
  return createHmac(hash, key).update(text).digest('base64url');
}

/**
 * A token with any header and claims (text and bytes unchanged, else JSON), signed without this package and without
 * jose.
 */
export function rawToken(signer: Signer, header: unknown, claims: unknown, hash?: string): string {
  const part = (value: unknown) =>
    base64url(typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value));
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${signRaw(signer, text, hash)}`;
}
