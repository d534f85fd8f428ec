import { importSPKI } from 'jose';
import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import type { PublishedKeys, VerificationKeys } from '../services/authentication/messages.js';

/** A client whose published keys verify tokens; `createClient` makes one. */
export interface KeyedClient {
  readonly authentication: { keys(): Promise<PublishedKeys>; readonly verification: VerificationKeys };
}

const refetchMs = 30_000;

/** A secret as the services read it: without white space in front, then cut or zero-padded to 64 bytes. */
export function readSecret(secret: unknown): Uint8Array {
  if ((typeof secret !== 'string' && !(secret instanceof Uint8Array)) || secret.length === 0) {
    throw expected('secret', 'text or bytes that are not empty', secret);
  }
  const key = new Uint8Array(64);
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  // The first 64 bytes of a public PEM are nearly the same for all keys: whoever knows that could sign.
  if (/^\s*-----BEGIN /.test(new TextDecoder().decode(bytes.subarray(0, 256)))) {
    throw new InvalidArgumentError('secret', 'is a PEM, not a shared secret; give public keys as { keys }');
  }
  // The services trim ASCII white space of the bytes.
  const start = bytes.findIndex((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
  if (start >= 0) key.set(bytes.subarray(start, start + 64));
  return key;
}

/** Public ES256 keys as PEM. @throws InvalidArgumentError naming the key. */
export async function importKeys(keys: unknown): Promise<readonly CryptoKey[]> {
  if (!Array.isArray(keys) || keys.length === 0)
    throw expected('keys', 'an array of at least one public key (PEM)', keys);
  return Promise.all(
    keys.map(async (pem: unknown, index) => {
      const field = `keys[${index}]`;
      const accepted = 'a public ES256 key as PEM ("BEGIN PUBLIC KEY")';
      if (typeof pem !== 'string') throw expected(field, accepted, pem);
      try {
        return await importSPKI(pem.trim(), 'ES256');
      } catch {
        // The engine's message may quote the key.
        throw new InvalidArgumentError(field, `expected ${accepted}`);
      }
    }),
  );
}

/** The published keys of a client: the cached ones, or with `again` newer ones where they may be fetched; undefined where not yet. */
export async function publishedKeys(client: KeyedClient, again: boolean): Promise<readonly CryptoKey[] | undefined> {
  const cache = client.authentication.verification;
  if (cache.fetching !== undefined) return cache.fetching;
  if (cache.keys !== undefined) {
    if (!again) return cache.keys;
    if (cache.clock.now() - (cache.askedAt ?? 0) < refetchMs) return undefined;
  }
  cache.askedAt = cache.clock.now();
  cache.fetching = fetchKeys(client);
  try {
    cache.keys = await cache.fetching;
    return cache.keys;
  } finally {
    cache.fetching = undefined;
  }
}

async function fetchKeys(client: KeyedClient): Promise<readonly CryptoKey[]> {
  const { keys } = await client.authentication.keys();
  if (keys.length === 0) {
    throw new InvalidArgumentError(
      'client',
      'its deployment publishes no keys, because they are symmetric; give { secret }, or ask client.authentication.validate(token)',
    );
  }
  return importKeys(keys);
}
