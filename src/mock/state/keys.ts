import { InvalidArgumentError } from '../../errors.js';

/** A key that checks tokens, and signs them where it can. The algorithm is the key's, never the token's. */
export interface Key {
  readonly algorithm: 'HS256' | 'ES256';
  readonly verify: CryptoKey;
  /** Not there for a public key. */
  readonly sign: CryptoKey | undefined;
  /** The public PEM of an ES256 key. */
  readonly publicPem: string | undefined;
  /** The bytes of the secret, or of the public PEM; for forging. */
  readonly material: Uint8Array;
}

/** The keys of one mock: the active one signs, all of them check. */
export interface Keys {
  active(): Key;
  /** The active key first. The same array until the keys change. */
  all(): readonly Key[];
  /** Makes a new active key of the same algorithm; the old one stays as a passive key. Once the epoch is over it changes nothing. */
  rotate(epoch: AbortSignal): Promise<void>;
  /** Brings back keys that `all` gave. */
  load(keys: readonly Key[]): void;
}

const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** A secret as the services read it: without white space in front, then cut or zero-padded to 64 bytes. */
async function importSecret(text: string): Promise<Key> {
  const bytes = new Uint8Array(64);
  bytes.set(new TextEncoder().encode(text.replace(/^\s+/, '')).subarray(0, 64));
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify']);
  return { algorithm: 'HS256', verify: key, sign: key, publicPem: undefined, material: bytes };
}

async function describeKey(verify: CryptoKey, sign: CryptoKey | undefined): Promise<Key> {
  const { exportSPKI } = await import('jose');
  const publicPem = `${await exportSPKI(verify)}\n`;
  return { algorithm: 'ES256', verify, sign, publicPem, material: new TextEncoder().encode(publicPem) };
}

async function importPrivate(pem: string): Promise<Key> {
  const { importPKCS8, importJWK, exportJWK } = await import('jose');
  const sign = await importPKCS8(pem, 'ES256', { extractable: true });
  const { d: _, ...publicPart } = await exportJWK(sign);
  const verify = await importJWK(publicPart, 'ES256', { extractable: true });
  if (!(verify instanceof CryptoKey)) throw new TypeError('not a key pair');
  return describeKey(verify, sign);
}

async function importPublic(pem: string): Promise<Key> {
  const { importSPKI } = await import('jose');
  return describeKey(await importSPKI(pem, 'ES256', { extractable: true }), undefined);
}

async function importKey(text: string, field: string): Promise<Key> {
  const kind = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1];
  if (kind === undefined) return importSecret(text);
  try {
    if (kind === 'PRIVATE KEY') return await importPrivate(text.trim());
    if (kind === 'PUBLIC KEY') return await importPublic(text.trim());
  } catch {
    // The engine's message may quote the key.
  }
  throw new InvalidArgumentError(
    field,
    'expected a secret, or an ES256 key as PEM: "PRIVATE KEY" (PKCS 8) or "PUBLIC KEY"',
  );
}

function randomSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Imports the keys of a mock, once. A random secret when there is no active key. */
export async function createKeys(texts: { active: string | undefined; passive: readonly string[] }): Promise<Keys> {
  const first = await importKey(texts.active ?? randomSecret(), 'authentication.keys.active');
  if (first.sign === undefined) {
    throw new InvalidArgumentError(
      'authentication.keys.active',
      'a public key cannot sign: expected a secret or a private key',
    );
  }
  let all: readonly Key[] = [
    first,
    ...(await Promise.all(texts.passive.map((text, i) => importKey(text, `authentication.keys.passive[${i}]`)))),
  ];
  const active = (): Key => all[0] ?? first;
  return {
    active,
    all: () => all,
    async rotate(epoch) {
      const key =
        active().algorithm === 'HS256'
          ? await importSecret(randomSecret())
          : await crypto.subtle
              .generateKey(ecdsa, true, ['sign', 'verify'])
              .then(({ publicKey, privateKey }) => describeKey(publicKey, privateKey));
      if (!epoch.aborted) all = [key, ...all];
    },
    load(keys) {
      all = keys;
    },
  };
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** What changes when the keys change, and tells nothing of a secret. */
export async function checksum(keys: readonly Key[]): Promise<string> {
  const parts = await Promise.all(
    keys.map(async ({ publicPem, verify }) =>
      publicPem === undefined
        ? hex(await crypto.subtle.sign(hmac, verify, new TextEncoder().encode('arango-services: checksum of a key')))
        : publicPem,
    ),
  );
  return hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(parts.join('\n'))));
}
