import { InvalidArgumentError } from '../../base/errors.js';
import { encodeText, toHex } from '../../base/jwt/bytes.js';
import {
  exportPublicPem,
  findSubtle,
  importPrivateKey,
  importPublicKey,
  importSecret,
  requireSubtle,
  type VerificationKey,
} from '../../base/jwt/keys.js';
import type { Bytes, WebKey } from '../../base/lib/web-types.js';

/** A key that verifies tokens and, unless it is a public key, signs them. */
export interface Key extends VerificationKey {
  /** Undefined for a public key. */
  readonly sign: WebKey | undefined;
  /** The public PEM of an ES256 key. */
  readonly publicPem: string | undefined;
  /** The bytes of the secret, or of the public PEM; for forging. */
  readonly material: Bytes;
}

/** The keys of one mock: the active one signs, all of them verify. */
export interface Keys {
  /** @throws Error if there is none, because the runtime lacks `crypto.subtle`. */
  active(): Key;
  /** All keys, the active one first. The same array until the keys change. */
  all(): readonly Key[];
  /** Generates an active key of the same algorithm; the old one becomes passive. No effect if the epoch ends first. */
  rotate(epoch: AbortSignal): Promise<void>;
  /** Restores keys that `all` returned. */
  load(keys: readonly Key[]): void;
}

/** The configured keys. */
export type KeyTexts = { readonly active: string | undefined; readonly passive: readonly string[] };

const alternatives =
  'expected a secret, or an ES256 key as PEM: "PRIVATE KEY" (PKCS 8) or "PUBLIC KEY", and nothing else';

async function importShared(text: string, field: string): Promise<Key> {
  const { bytes, ...key } = await importSecret(text, field, alternatives);
  return { ...key, sign: key.verify, publicPem: undefined, material: bytes };
}

async function describeKey(verify: WebKey, sign: WebKey | undefined): Promise<Key> {
  const publicPem = await exportPublicPem(verify);
  return { algorithm: 'ES256', verify, sign, publicPem, material: encodeText(publicPem) };
}

async function importKey(text: string, field: string): Promise<Key> {
  const [, kind] = /^\s*-----BEGIN (PRIVATE|PUBLIC) KEY-----/.exec(text) ?? [];
  if (kind === undefined) return importShared(text, field);
  if (kind === 'PUBLIC') return describeKey(await importPublicKey(text, field), undefined);
  const { verify, sign } = await importPrivateKey(text, field);
  return describeKey(verify, sign);
}

/** Generates a key of its own, not one of the mock's. */
export async function createKey(algorithm: Key['algorithm']): Promise<Key> {
  const subtle = requireSubtle();
  if (algorithm === 'HS256') return importShared(toHex(crypto.getRandomValues(new Uint8Array(32))), 'secret');
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return describeKey(pair.publicKey, pair.privateKey);
}

async function importKeys({ active, passive }: KeyTexts): Promise<readonly Key[]> {
  const field = 'authentication.keys';
  const first = await (active === undefined ? createKey('HS256') : importKey(active, `${field}.active`));
  if (first.sign === undefined) {
    throw new InvalidArgumentError(`${field}.active`, 'a public key cannot sign: expected a secret or a private key');
  }
  return [first, ...(await Promise.all(passive.map((text, i) => importKey(text, `${field}.passive[${i}]`))))];
}

/**
 * Imports the keys of a mock, with a random secret if there is no active key. Without authentication keys are not
 * `needed`: a runtime without `crypto.subtle` (Jest's jsdom) then has none, and asking for one throws.
 */
export async function createKeys(texts: KeyTexts, needed: boolean): Promise<Keys> {
  let all = needed || findSubtle() !== undefined ? await importKeys(texts) : [];
  const active = (): Key => {
    const [first] = all;
    if (first !== undefined) return first;
    requireSubtle();
    throw new Error('created without keys: crypto.subtle was missing');
  };
  return {
    active,
    all: () => all,
    async rotate(epoch) {
      const key = await createKey(active().algorithm);
      if (!epoch.aborted) all = [key, ...all];
    },
    load(keys) {
      all = keys;
    },
  };
}

/** A checksum that changes with the keys and reveals nothing of a secret. */
export async function checksum(keys: readonly Key[]): Promise<string> {
  const subtle = requireSubtle();
  const parts = await Promise.all(
    keys.map(async ({ publicPem, verify }) =>
      publicPem === undefined
        ? toHex(await subtle.sign('HMAC', verify, encodeText('arango-services: checksum of a key')))
        : publicPem,
    ),
  );
  return toHex(await subtle.digest('SHA-256', encodeText(parts.join('\n'))));
}
