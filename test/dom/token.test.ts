import { describe, expect, test } from 'vitest';
import { verifyToken } from '../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { failureOf } from '../support/failure.ts';

/** A new ES256 key as PEM, without Node's Buffer. */
async function es256() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const pem = async (format: 'pkcs8' | 'spki', key: CryptoKey, kind: string) => {
    const bytes = new Uint8Array(await crypto.subtle.exportKey(format, key));
    return `-----BEGIN ${kind} KEY-----\n${btoa(String.fromCharCode(...bytes))}\n-----END ${kind} KEY-----\n`;
  };
  return {
    privatePem: await pem('pkcs8', pair.privateKey, 'PRIVATE'),
    publicPem: await pem('spki', pair.publicKey, 'PUBLIC'),
  };
}

describe('tokens', () => {
  test('verify with a secret as text, and as bytes of either realm', async () => {
    const mock = await createMock({ authentication: { keys: { active: 'sécret' } } });
    const token = await mock.tokens.issue({ user: 'alice' });
    const nodes = new TextEncoder().encode('sécret');
    const views = [nodes, Uint8Array.from(nodes), new Uint8Array(nodes), new DataView(nodes.buffer.slice(0))];
    for (const secret of ['sécret', ...views]) {
      // The cast: a DataView is not in the type, but holds bytes as well.
      expect(await verifyToken(token, { secret: secret as Uint8Array })).toMatchObject({ valid: true, user: 'alice' });
    }
    expect((await verifyToken(token, { secret: 'secret' })).valid).toBe(false);
  });

  test('verify with keys as PEM and with the keys of a client; the mock signs, rotates and publishes them', async () => {
    const { privatePem, publicPem } = await es256();
    const mock = await createMock({ authentication: { keys: { active: privatePem } } });
    const client = createClient({
      ...mock.connection,
      credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
    });
    const token = await mock.tokens.issue({ user: 'alice' });
    expect(await verifyToken(token, { keys: [publicPem] })).toMatchObject({ valid: true, user: 'alice' });
    await mock.keys.rotate();
    expect(await verifyToken(token, { client })).toMatchObject({ valid: true, user: 'alice' });
    expect(await verifyToken(await mock.tokens.issue({ user: 'bob' }), { client })).toMatchObject({ user: 'bob' });
    expect((await client.authentication.keys()).keys).toHaveLength(2);
    expect((await verifyToken(token, { keys: [(await es256()).publicPem] })).valid).toBe(false);
  });

  test('rejects an unreadable key with the runtime’s reason', async () => {
    const { message } = await failureOf(
      verifyToken('a.b.c', { keys: ['-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----'] }),
    );
    expect(message).toMatch(/^keys\[0\]: expected a public ES256 key as PEM .*; the runtime says: \S+/);
  });
});
