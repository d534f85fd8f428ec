import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../src/index.ts';
import { createMock, type MockConfig } from '../../src/mock/index.ts';
import { verifyToken } from '../../src/token/index.ts';
import { failureOf } from '../support/failure.ts';
import { readVectors } from '../support/replay.ts';

const vectors = readVectors('vectors');
const es256 = vectors.find(({ name }) => name === 'authn/es256');
const pem = String(es256?.config.authentication?.keys?.active);

/** A mock with an asymmetric key, a client that may ask for its keys, and how often it did. */
async function openMock(config: MockConfig = {}) {
  const mock = await createMock({ authentication: { keys: { active: pem } }, ...config });
  let ms = 0;
  const asked = { keys: 0 };
  const token = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const client = createClient({
    ...mock.connection,
    fetch: (url, init) => {
      if (url.endsWith('/keys')) asked.keys++;
      return mock.fetch(url, init);
    },
    clock: { now: () => ms },
    credentials: credentials.bearer(token),
  });
  const advance = (by: number) => {
    ms += by;
  };
  return { mock, client, asked, advance };
}

describe('the rules of the service', () => {
  test.each(
    vectors
      .filter(
        ({ config }) => config.authentication?.enabled !== false && config.authentication?.keys?.passive === undefined,
      )
      .map((vector) => [vector.name, vector] as const),
  )('%s', async (_name, { steps, config, at }) => {
    const secret = String(config.authentication?.keys?.active);
    for (const { request, response } of steps) {
      const { token } = (request.body ?? {}) as { token?: unknown };
      if (!request.path.endsWith('/validate') || !request.path.includes('authn') || typeof token !== 'string') continue;
      if (token === '' || token.includes('{{') || response.status !== 200) continue;
      const said = response.body as {
        isValid: boolean;
        details?: { user?: string; groups: string[]; lifetime: string };
      };
      const verified = secret.includes('BEGIN') ? undefined : await verifyToken(token, { secret, now: new Date(at) });
      if (verified === undefined) continue;
      expect(verified.valid, token).toBe(said.isValid);
      if (!verified.valid || said.details === undefined) continue;
      expect(verified.groups).toEqual(said.details.groups);
      expect(verified.user).toBe(said.details.user);
    }
  });

  test('the recorded tokens are many', () => {
    const tokens = vectors.flatMap(({ steps }) =>
      steps.filter(({ request }) => request.path.endsWith('/authn/v1/validate')),
    );
    expect(tokens.length).toBeGreaterThan(60);
  });

  test('agrees with the mock on forged tokens', async () => {
    const { mock, client } = await openMock();
    const good = await mock.tokens.issue({ user: 'alice', groups: ['a'] });
    const forged = await Promise.all([
      mock.tokens.forge({ expired: true }),
      mock.tokens.forge({ notYetValid: true }),
      mock.tokens.forge({ wrongKey: true }),
      mock.tokens.forge({ none: true }),
      mock.tokens.forge({ algorithm: 'HS256' }),
      mock.tokens.forge({ claims: { preferred_username: 5, groups: ['x', 5] } }),
      mock.tokens.forge({ claims: { groups: 'x', nbf: 32_503_680_000 } }),
      mock.tokens.forge({ claims: { nbf: null } }),
      mock.tokens.forge({ claims: { iat: 32_503_680_000 } }),
      mock.tokens.forge({ claims: { exp: '32503680000' } }),
    ]);
    for (const token of [good, ...forged, `${good}x`, 'a.b.c', 'abc']) {
      const [local, remote] = [await verifyToken(token, { client }), await client.authentication.validate(token)];
      expect(local.valid, token).toBe(remote.valid);
      if (local.valid && remote.valid) {
        expect([local.user, local.groups]).toEqual([remote.user, remote.groups]);
        expect(Math.abs(local.lifetimeMs - remote.lifetimeMs)).toBeLessThan(5_000);
      }
    }
    expect(await verifyToken(good, { client })).toMatchObject({ valid: true, user: 'alice', groups: ['a'] });
    expect(await verifyToken(String(forged[0]), { client })).toEqual({
      valid: false,
      reason: 'token has invalid claims: token is expired',
    });
  });
});

describe('published keys', () => {
  test('are fetched once for many tokens', async () => {
    const { mock, client, asked } = await openMock();
    const token = await mock.tokens.issue({ user: 'alice' });
    await Promise.all(Array.from({ length: 50 }, () => verifyToken(token, { client })));
    await verifyToken(token, { client });
    expect(asked.keys).toBe(1);
  });

  test('are fetched again after a rotation, at most once in 30 s', async () => {
    const { mock, client, asked, advance } = await openMock();
    await verifyToken(await mock.tokens.issue({ user: 'a' }), { client });
    await mock.keys.rotate();
    const token = await mock.tokens.issue({ user: 'b' });
    expect(await verifyToken(token, { client })).toEqual({ valid: false, reason: 'signature is invalid' });
    expect(asked.keys).toBe(1);
    advance(30_000);
    expect(await verifyToken(token, { client })).toMatchObject({ valid: true, user: 'b' });
    expect(asked.keys).toBe(2);
    const wrong = await mock.tokens.forge({ wrongKey: true });
    for (let tries = 0; tries < 5; tries++) await verifyToken(wrong, { client });
    expect(asked.keys).toBe(2);
    advance(30_000);
    await Promise.all(Array.from({ length: 5 }, () => verifyToken(wrong, { client })));
    expect(asked.keys).toBe(3);
    // No key can verify these.
    advance(60_000);
    await verifyToken('a.b.c', { client });
    expect(asked.keys).toBe(3);
  });

  test('a deployment with symmetric keys publishes none: the error says so', async () => {
    const { mock, client } = await openMock({ authentication: { keys: { active: 'secret' } } });
    const token = await mock.tokens.issue({ user: 'alice' });
    const error = await failureOf(verifyToken(token, { client }));
    expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', 'client']);
    expect(error.message).toMatch(/symmetric/);
    expect(await verifyToken(token, { secret: 'secret' })).toMatchObject({ valid: true, user: 'alice' });
    expect(await verifyToken(token, { secret: new TextEncoder().encode(' \tsecret') })).toMatchObject({ valid: true });
    expect(await verifyToken(token, { secret: 'secret ' })).toMatchObject({ valid: false });
  });

  test('a client that may not ask for them fails as keys() does; the next call asks again', async () => {
    const { mock, client } = await openMock();
    const token = await mock.tokens.issue({ user: 'alice' });
    mock.fail({ path: '/_management/authentication/keys', status: 503, times: 1 });
    expect((await failureOf(verifyToken(token, { client }))).status).toBe(503);
    expect((await verifyToken(token, { client })).valid).toBe(true);
  });

  test('given as PEM', async () => {
    const { mock, client } = await openMock();
    const { keys } = await client.authentication.keys();
    const token = await mock.tokens.issue({ user: 'alice' });
    expect(await verifyToken(token, { keys })).toMatchObject({ valid: true, user: 'alice' });
    await mock.keys.rotate();
    expect((await verifyToken(await mock.tokens.issue({ user: 'b' }), { keys })).valid).toBe(false);
  });
});

test.each<[unknown, unknown, string]>([
  [5, { secret: 's' }, 'token'],
  ['', { secret: 's' }, 'token'],
  ['x'.repeat(16_385), { secret: 's' }, 'token'],
  ['t', undefined, 'options'],
  ['t', {}, 'options'],
  ['t', { secret: 's', keys: [] }, 'options'],
  ['t', { secret: '' }, 'secret'],
  ['t', { secret: 5 }, 'secret'],
  ['t', { secret: '\n-----BEGIN PUBLIC KEY-----\ncanary' }, 'secret'],
  ['t', { secret: new TextEncoder().encode('-----BEGIN EC PRIVATE KEY-----\ncanary') }, 'secret'],
  ['t', { keys: [] }, 'keys'],
  ['t', { keys: 'pem' }, 'keys'],
  ['t', { keys: [5] }, 'keys[0]'],
  ['t', { keys: ['canary'] }, 'keys[0]'],
  ['t', { client: {} }, 'client'],
  ['t', { client: null }, 'client'],
  ['t', { secret: 's', now: 5 }, 'now'],
  ['t', { secret: 's', now: new Date(Number.NaN) }, 'now'],
  ['t', { secret: 's', key: 's' }, 'key'],
])('%j with %j is refused', async (token, options, field) => {
  // The cast: wrong on purpose.
  const error = await failureOf(verifyToken(token as never, options as never));
  expect([error.code, error.field]).toEqual(['INVALID_ARGUMENT', field]);
  expect(error.message).not.toContain('canary');
});
