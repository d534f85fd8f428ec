import { importPublicKey, importSecret, type VerificationKey } from '../../base/jwt/keys.js';
import type { KeySource } from './key-source.js';

/** Keys given by the caller, imported lazily and then kept. */
export class GivenKeys implements KeySource {
  readonly loads = 0;
  readonly #import: () => Promise<readonly VerificationKey[]>;
  #keys: readonly VerificationKey[] | undefined;

  constructor(importAll: () => Promise<readonly VerificationKey[]>) {
    this.#import = importAll;
  }

  /** Public ES256 keys as PEM. */
  static of(keys: readonly string[]): GivenKeys {
    return new GivenKeys(() => importPublicKeys(keys, 'keys'));
  }

  /** A shared secret. */
  static ofSecret(secret: unknown): GivenKeys {
    return new GivenKeys(async () => [await importSecret(secret, 'secret', 'give public keys as { keys }')]);
  }

  /** Returns the keys; throws InvalidArgumentError for a text that is not a valid key. */
  async current(): Promise<readonly VerificationKey[]> {
    // Concurrent first callers each import the keys: in Workers no request can wait for another.
    this.#keys ??= await this.#import();
    return this.#keys;
  }

  async newer(): Promise<undefined> {
    return undefined;
  }
}

/** Imports public keys; throws InvalidArgumentError naming the key. */
export function importPublicKeys(keys: readonly string[], field: string): Promise<readonly VerificationKey[]> {
  return Promise.all(
    keys.map(async (pem, index) => ({
      algorithm: 'ES256' as const,
      verify: await importPublicKey(pem, `${field}[${index}]`),
    })),
  );
}
