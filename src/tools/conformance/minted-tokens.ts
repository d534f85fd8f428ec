import { encodeText } from '../../base/jwt/bytes.js';
import { importPrivateKey, requireSubtle } from '../../base/jwt/keys.js';
import { encodePem } from '../../base/jwt/pem.js';
import { readSecret } from '../../base/jwt/secret.js';
import { claimsOf } from '../../base/jwt/token-text.js';
import { decodeBase64 } from '../../base/lib/text/base64.js';
import type { Bytes, WebKey } from '../../base/lib/web-types.js';

/** A key that signs tokens, and its text as a mock's configuration has it. */
export type SigningKey = { readonly text: string; sign(header: object, claims: string): Promise<string> };

type Algorithm = 'HS256' | 'HS512' | 'ES256';

const hmac = (hash: string) => ({ name: 'HMAC', hash });
const es256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Encodes bytes as base64url. Not by jose, which needs a TextEncoder when it is imported. */
const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const part = (text: string): string => encode(encodeText(text));

async function signWith(algorithm: Algorithm, key: WebKey, header: object, claims: string): Promise<string> {
  const signed = `${part(JSON.stringify({ alg: algorithm, typ: 'JWT', ...header }))}.${part(claims)}`;
  const how = algorithm === 'ES256' ? es256 : 'HMAC';
  const signature = await requireSubtle().sign(how, key, encodeText(signed));
  return `${signed}.${encode(new Uint8Array(signature))}`;
}

const importHmac = (bytes: Bytes, hash: string): Promise<WebKey> =>
  requireSubtle().importKey('raw', bytes, hmac(hash), false, ['sign']);

const field = 'secret';
const otherKeys = 'give an ES256 key as PEM ("BEGIN PRIVATE KEY", PKCS 8)';

/** Imports a shared secret (HS256) or a private ES256 key as PEM; throws InvalidArgumentError without the key. */
export async function importKey(text: string): Promise<SigningKey> {
  if (/^\s*-----BEGIN PRIVATE KEY-----/.test(text)) {
    const { sign } = await importPrivateKey(text, field);
    return { text, sign: (header, claims) => signWith('ES256', sign, header, claims) };
  }
  const bytes = readSecret(text, field, otherKeys);
  const [short, long] = [await importHmac(bytes, 'SHA-256'), await importHmac(bytes, 'SHA-512')];
  return {
    text,
    sign: (header, claims) =>
      (header as { alg?: string }).alg === 'HS512'
        ? signWith('HS512', long, header, claims)
        : signWith('HS256', short, header, claims),
  };
}

/** Makes a key that no deployment has, of the algorithm of its tokens. */
export async function randomKey(algorithm: string): Promise<SigningKey> {
  if (algorithm !== 'ES256') return importKey(`${crypto.randomUUID()}${crypto.randomUUID()}`);
  const subtle = requireSubtle();
  const { privateKey } = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return importKey(encodePem(await subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY'));
}

type Claims = Readonly<Record<string, unknown>>;

/** The algorithm and the claims of a token, unverified; undefined for one that is malformed. */
export function readToken(token: string): { readonly algorithm: string; readonly claims: Claims } | undefined {
  try {
    const header = (token.split('.')[0] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return { algorithm: String(JSON.parse(decodeBase64(header)).alg), claims: claimsOf(token) };
  } catch {
    return undefined;
  }
}

/** Exchanges the claims of a token, and leaves its signature. */
export function forge(token: string): string {
  const [header = '', , signature = ''] = token.split('.');
  const forged = { ...claimsOf(token), preferred_username: 'arango-services-conformance-forged' };
  return `${header}.${part(JSON.stringify(forged))}.${signature}`;
}

const minute = 60;
const hour = 3_600;

/** The claims of tokens by their names in checks; those of a user have the name `stranger`, who has no bindings. */
function claimsAt(nowMs: number, stranger: string): Readonly<Record<string, object>> {
  const now = Math.floor(nowMs / 1_000);
  // The deployment's clock may be behind this machine's.
  const times = { iat: now - minute, exp: now + hour };
  const base = { iss: 'arangodb', ...times, preferred_username: stranger, groups: [] };
  return {
    user: base,
    groups: { ...base, groups: ['verify-nothing', 'verify'] },
    superuser: { iss: 'arangodb', ...times },
    expired: { ...base, iat: now - 2 * hour, exp: now - hour },
    'just-expired': { ...base, iat: now - hour, exp: now - 10 },
    future: { ...base, iat: now + hour, exp: now + 2 * hour },
    'not-yet': { ...base, nbf: now + hour },
    'without-exp': { ...base, exp: undefined },
    'exp-zero': { ...base, exp: 0 },
    'text-exp': { ...base, exp: String(now + hour) },
    issuer: { ...base, iss: 'verify' },
    'odd-user': { iss: 'arangodb', ...times, preferred_username: 5 },
    'odd-groups': { ...base, groups: ['a', 5] },
    'far-nbf': { ...base, nbf: 1e19 },
    crit: base,
    'other-algorithm': base,
  };
}

const headers: Readonly<Record<string, object>> = {
  crit: { crit: ['verify'], verify: true },
  'other-algorithm': { alg: 'HS512' },
};

/** Tokens that a key signs, by their names in checks. */
export async function signTokens(key: SigningKey, nowMs: number, stranger: string): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const [name, claims] of Object.entries(claimsAt(nowMs, stranger))) {
    tokens.set(name, await key.sign(headers[name] ?? {}, JSON.stringify(claims)));
  }
  return tokens;
}

/** Tokens that need no key of the deployment. */
export async function keylessTokens(algorithm: string, nowMs: number, stranger: string): Promise<Map<string, string>> {
  const claims = JSON.stringify(claimsAt(nowMs, stranger).user);
  const foreign = await randomKey(algorithm);
  return new Map([
    ['foreign', await foreign.sign({}, claims)],
    ['unsigned', `${part(JSON.stringify({ alg: 'none', typ: 'JWT' }))}.${part(claims)}.`],
    ['malformed', 'arango-services-conformance'],
  ]);
}
