import { InvalidArgumentError } from '../errors.js';
import type { Bytes, Subtle, WebKey } from '../lib/web-types.js';
import { decodePem, encodePem, type PemLabel } from './pem.js';
import { readSecret } from './secret.js';

/** A key that verifies tokens. The algorithm is the key's, never the token's. */
export type VerificationKey = { readonly algorithm: 'HS256' | 'ES256'; readonly verify: WebKey };

/** The runtime's Web Crypto; undefined if there is none. */
export const findSubtle = (): Subtle | undefined => globalThis.crypto?.subtle;

/** Returns Web Crypto; throws Error if the runtime has none, before a key is imported. */
export function requireSubtle(): Subtle {
  const subtle = findSubtle();
  if (subtle === undefined) {
    throw new Error(
      'token keys need crypto.subtle: jest-environment-jsdom hides it ' +
        '(use the test environment node), and browsers have it on https and localhost only',
    );
  }
  return subtle;
}

/** Imports a shared secret; throws InvalidArgumentError as `readSecret` does. */
export async function importSecret(
  secret: unknown,
  field: string,
  otherKeys: string,
): Promise<VerificationKey & { readonly algorithm: 'HS256'; readonly bytes: Bytes }> {
  const subtle = requireSubtle();
  const bytes = readSecret(secret, field, otherKeys);
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  return { algorithm: 'HS256', verify: key, bytes };
}

const es256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Imports a public ES256 key; throws InvalidArgumentError with what is accepted and the runtime's reason. */
export async function importPublicKey(pem: string, field: string): Promise<WebKey> {
  const subtle = requireSubtle();
  return importPem(pem, 'PUBLIC KEY', { field, accepted: 'a public ES256 key as PEM ("BEGIN PUBLIC KEY")' }, (bytes) =>
    subtle.importKey('spki', bytes, es256, true, ['verify']),
  );
}

/** Imports a private ES256 key and derives the public one; throws InvalidArgumentError as `importPublicKey` does. */
export async function importPrivateKey(pem: string, field: string): Promise<{ sign: WebKey; verify: WebKey }> {
  const subtle = requireSubtle();
  const accepted = 'a private ES256 key as PEM ("BEGIN PRIVATE KEY", PKCS 8)';
  return importPem(pem, 'PRIVATE KEY', { field, accepted }, async (bytes) => {
    const sign = await subtle.importKey('pkcs8', bytes, es256, true, ['sign']);
    const { d: _, key_ops: _usages, ...publicPart } = await subtle.exportKey('jwk', sign);
    return { sign, verify: await subtle.importKey('jwk', publicPart, es256, true, ['verify']) };
  });
}

export async function exportPublicPem(key: WebKey): Promise<string> {
  return encodePem(await requireSubtle().exportKey('spki', key), 'PUBLIC KEY');
}

/** Imports a key from PEM; throws InvalidArgumentError with what is accepted, and the runtime's reason. */
async function importPem<T>(
  pem: string,
  label: PemLabel,
  { field, accepted }: { readonly field: string; readonly accepted: string },
  importKey: (bytes: Bytes) => Promise<T>,
): Promise<T> {
  try {
    const bytes = decodePem(pem, label);
    if (bytes !== undefined) return await importKey(bytes);
  } catch (error) {
    throw refuseKey(field, accepted, pem, error);
  }
  throw new InvalidArgumentError(field, `expected ${accepted}`);
}

/** Creates the error for a rejected key, with the runtime's reason unless that quotes the key. */
function refuseKey(field: string, accepted: string, key: string, error: unknown): InvalidArgumentError {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: '' };
  const words = message.match(/[\w+/=]{8,}/g) ?? [];
  const said = message === '' || words.some((word) => key.includes(word)) ? name : message;
  return new InvalidArgumentError(field, `expected ${accepted}; the runtime says: ${said}`);
}
