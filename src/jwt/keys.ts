import { InvalidArgumentError } from '../errors.js';
import type { Bytes, Subtle, WebKey } from '../lib/web-types.js';
import { readSecret } from './secret.js';

/** A key that verifies tokens. The algorithm is the key's, never the token's. */
export interface VerificationKey {
  readonly algorithm: 'HS256' | 'ES256';
  readonly verify: WebKey;
}

/** The platform's cryptography, or undefined where there is none. */
export const findSubtle = (): Subtle | undefined => globalThis.crypto?.subtle;

/**
 * The platform's cryptography. Whoever needs a key asks here first, so that its absence is what is said.
 * @throws Error where there is none.
 */
export function requireSubtle(): Subtle {
  const subtle = findSubtle();
  if (subtle === undefined) {
    throw new Error(
      'crypto.subtle is missing, which the keys of tokens need: jest-environment-jsdom hides it (use the test environment ' +
        'node), and browsers have it on https and localhost only',
    );
  }
  return subtle;
}

/**
 * Imports a shared secret.
 * @throws InvalidArgumentError as `readSecret` does.
 */
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

/**
 * Imports a public ES256 key.
 * @throws InvalidArgumentError that says what is accepted and what the platform says.
 */
export async function importPublicKey(pem: string, field: string): Promise<WebKey> {
  requireSubtle();
  const { importSPKI } = await import('jose/key/import');
  try {
    return await importSPKI(pem.trim(), 'ES256', { extractable: true });
  } catch (error) {
    throw refuseKey(field, 'a public ES256 key as PEM ("BEGIN PUBLIC KEY")', pem, error);
  }
}

/**
 * Imports a private ES256 key and makes the public one of it.
 * @throws InvalidArgumentError as `importPublicKey` does.
 */
export async function importPrivateKey(pem: string, field: string): Promise<{ sign: WebKey; verify: WebKey }> {
  requireSubtle();
  const [{ importJWK, importPKCS8 }, { exportJWK }] = await Promise.all([
    import('jose/key/import'),
    import('jose/key/export'),
  ]);
  try {
    const sign = await importPKCS8(pem.trim(), 'ES256', { extractable: true });
    const { d: _, ...publicPart } = await exportJWK(sign);
    const verify = await importJWK(publicPart, 'ES256', { extractable: true });
    if (ArrayBuffer.isView(verify)) throw new TypeError('it is no key pair');
    return { sign, verify };
  } catch (error) {
    throw refuseKey(field, 'a private ES256 key as PEM ("BEGIN PRIVATE KEY", PKCS 8)', pem, error);
  }
}

/** A public key as PEM. */
export async function exportPublicPem(key: WebKey): Promise<string> {
  const { exportSPKI } = await import('jose/key/export');
  return `${await exportSPKI(key)}\n`;
}

/** The refusal of a key, with the platform's reason unless that quotes the key. */
function refuseKey(field: string, accepted: string, key: string, error: unknown): InvalidArgumentError {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: '' };
  const words = message.match(/[\w+/=]{8,}/g) ?? [];
  const said = message === '' || words.some((word) => key.includes(word)) ? name : message;
  return new InvalidArgumentError(field, `expected ${accepted}; the platform says: ${said}`);
}
