import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { exportPublicPem, importPrivateKey, importPublicKey, importSecret } from '../../../src/base/jwt/keys.ts';
import { readSecret } from '../../../src/base/jwt/secret.ts';
import { verifyToken } from '../../../src/enforce/guard/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { rawToken } from '../../support/raw-token.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ed = generateKeyPairSync('ed25519');
const spki = ec.publicKey.export({ type: 'spki', format: 'der' });
const pkcs8 = ec.privateKey.export({ type: 'pkcs8', format: 'der' });
const pem = ec.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const body = spki.toString('base64');
const jwk = JSON.stringify(ec.publicKey.export({ format: 'jwk' }));
const lines = (text: string) => text.replace(/.{64}/g, '$&\n');

/** Public keys: used as shared secrets, anyone with the public key could sign. */
const otherKeys: readonly (readonly [string, string | Uint8Array])[] = [
  ['PEM of another kind', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
  ['a private PEM of SEC 1', ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString()],
  ['PEM after a comment', `# the public key of the deployment\n${pem}`],
  ['PEM after Bag Attributes', `Bag Attributes\n    localKeyID: 01 02 03\nKey Attributes: <No Attributes>\n${pem}`],
  ['PEM after more text than a key has', `${'# '.repeat(200)}\n${pem}`],
  ['PEM in one line', `x ${pem.replaceAll('\n', '')}`],
  ['PEM in UTF-16', Buffer.from(`\uFEFF${pem}`, 'utf16le')],
  ['PEM in base64', Buffer.from(pem).toString('base64')],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  ['an SSH2 public key', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----'],
  ['a line of SSH', 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA= me@host'],
  ['DER of a public key', spki],
  ['DER of a private key', pkcs8],
  ['DER of SEC 1', ec.privateKey.export({ type: 'sec1', format: 'der' })],
  ['DER of RSA', rsa.publicKey.export({ type: 'spki', format: 'der' })],
  ['DER of PKCS 1', rsa.publicKey.export({ type: 'pkcs1', format: 'der' })],
  ['DER of a private PKCS 1', rsa.privateKey.export({ type: 'pkcs1', format: 'der' })],
  ['DER of Ed25519', ed.publicKey.export({ type: 'spki', format: 'der' })],
  ['DER after white space', Buffer.concat([Buffer.from('\r\n'), spki])],
  ['DER in other views', new DataView(new Uint8Array(spki).buffer) as unknown as Uint8Array],
  ['a bare base64 body', body],
  ['a bare base64 body in lines', lines(body)],
  ['a bare base64 body after a comment', `# public key\n${lines(body)}`],
  ['a bare base64 body in short lines', body.replace(/.{16}/g, '$&\r\n')],
  ['a bare base64url body', spki.toString('base64url')],
  ['the body of a private key', pkcs8.toString('base64')],
  ['the first line of a body', body.slice(0, 64)],
  ['hexadecimal DER', spki.toString('hex')],
  ['JWK', jwk],
  ['JWK after a comment', `// key\n${jwk}`],
  ['JWKS', `{ "keys" : [${jwk}] }`],
  ['JWK in base64', Buffer.from(jwk).toString('base64')],
  ['JWK as bytes', Buffer.from(jwk)],
];

/** Trivial to guess. */
const blank: readonly (readonly [string, string | Uint8Array])[] = [
  ['a line break', '\n'],
  ['spaces and tabs', ' \t  '],
  ['all white space', ' \t\r\n\v\f'],
  ['a zero', '\0'],
  ['many zeros', '\0'.repeat(200)],
  ['zeros after white space', ' \n\0\0'],
  ['white space after zeros', '\0\0 \n'],
  ['zeros as bytes', new Uint8Array(64)],
  ['zeros, and a secret beyond the key’s length', `${'\0'.repeat(64)}secret`],
  ['Unicode white space', '\u00A0\u2003\u3000'],
];

describe.each([
  ['another kind of key', otherKeys, /is or holds another kind of key/],
  ['only white space and zeros', blank, /only white space and zeros/],
] as const)('rejects %s as a secret', (_, secrets, message) => {
  test.each(secrets)('%s', async (_, secret) => {
    const error = await failureOf(verifyToken('t', { secret }));
    expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', 'secret']);
    expect(error.message).toMatch(message);
    if (typeof secret !== 'string') return;
    for (const keys of [{ active: secret }, { active: 'secret-one', passive: [secret] }]) {
      const refused = await failureOf(createMock({ authentication: { keys } }));
      expect(refused.code).toBe('INVALID_ARGUMENT');
      const field = 'passive' in keys ? 'authentication.keys.passive[0]' : 'authentication.keys.active';
      expect(refused.field).toBe(field);
      expect(refused.message).toMatch(message);
      expect(refused.message).not.toContain(secret.slice(0, 12));
    }
  });
});

test('a public key is rejected by verifyToken, and the mock cannot sign with it', async () => {
  expect((await failureOf(verifyToken('t', { secret: pem }))).message).toMatch(/give public keys as \{ keys \}/);
  const { message } = await failureOf(createMock({ authentication: { keys: { active: pem } } }));
  expect(message).toMatch(/a public key cannot sign/);
});

const claims = { preferred_username: 'alice' };
const sign = (key: string) => rawToken(key, { alg: 'HS256' }, claims);

/** A secret, and the key that the services derive from it. */
test.each([
  [' \t\r\nsecret', 'secret'],
  ['secret \n', 'secret \n'],
  ['secret\0', 'secret'],
  ['x'.repeat(80), 'x'.repeat(64)],
  [`${' '.repeat(80)}${'x'.repeat(80)}`, 'x'.repeat(64)],
  // Only this white space is trimmed, and only at the start.
  ['\u00A0secret', '\u00A0secret'],
  ['\u2003secret', '\u2003secret'],
  ['\uFEFFsecret', '\uFEFFsecret'],
  ['\vsecret', '\vsecret'],
  ['\fsecret', '\fsecret'],
  ['\0secret', '\0secret'],
  // Secrets that only look like something else.
  ['x'.repeat(25), 'x'.repeat(25)],
  ['0123456789abcdef0123456789abcdef', '0123456789abcdef0123456789abcdef'],
  ['MySecret+/MySecret+/MySecret+/MySecret', 'MySecret+/MySecret+/MySecret+/MySecret'],
  ['0Y0\u0001 BEGIN "key": {}', '0Y0\u0001 BEGIN "key": {}'],
])('%j is the key %j, to verifyToken and to the mock', async (secret, key) => {
  const [good, bad] = [sign(key), sign(`${key}x`.slice(key.length >= 64 ? 1 : 0))];
  for (const given of [secret, new TextEncoder().encode(secret)]) {
    expect(await verifyToken(good, { secret: given })).toMatchObject({ valid: true, user: 'alice' });
    if (key.length < 64) expect(await verifyToken(bad, { secret: given })).toMatchObject({ valid: false });
  }
  const mock = await createMock({ authentication: { keys: { active: 'another', passive: [secret] } } });
  const client = await mock.fetch('http://mock.test/_integration/authn/v1/validate', {
    method: 'POST',
    body: JSON.stringify({ token: good }),
  });
  expect(await client.json()).toMatchObject({ isValid: true, details: { user: 'alice' } });
});

test('accepts random secrets', async () => {
  for (let i = 0; i < 200; i++) {
    const bytes = crypto.getRandomValues(new Uint8Array(16 + (i % 64)));
    const forms = [bytes, Buffer.from(bytes).toString('base64'), Buffer.from(bytes).toString('hex')];
    for (const secret of forms) expect((await verifyToken('a.b.c', { secret })).valid).toBe(false);
  }
});

test.each([
  ['', 'an empty string'],
  [new Uint8Array(), 'a Uint8Array'],
  [5, 'a number'],
  [{ secret: 'x' }, 'an object'],
  [undefined, 'undefined'],
])('rejects %j with what is accepted and the type that came instead', (secret, got) => {
  const message = `s: expected non-empty text or bytes, got ${got}`;
  expect(() => readSecret(secret, 's', '')).toThrow(message);
});

test('the key of a secret cannot be exported', async () => {
  expect((await importSecret('secret-one', 's', '')).verify).toMatchObject({ type: 'secret', extractable: false });
});

test('allows white space around PEM texts; keeps the runtime’s words unless they quote the key', async () => {
  const text = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect((await importPrivateKey(`\n ${text} \n`, 'k')).sign).toMatchObject({ type: 'private' });
  expect(await exportPublicPem(await importPublicKey(`\n${pem}\n`, 'k'))).toBe(pem);
  const error = await failureOf(importPrivateKey('-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----', 'k'));
  expect(error.message).toMatch(
    /^k: expected a private ES256 key as PEM \("BEGIN PRIVATE KEY", PKCS 8\); the runtime says: \S/,
  );
});
