import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.js';
import { otherForm, otherLastCharacter } from '../../base/jwt/tokens.js';
import { bearer, call, es256, validate } from '../../support/calls.js';

const at = '2026-11-20T12:00:00Z';

describe('tokens of the mock', () => {
  it('issues and expires tokens by the mock clock', async () => {
    const mock = await createMock({ now: at });
    const token = await mock.tokens.issue({ user: 'alice', groups: ['a'], lifetime: '90m' });
    expect(await validate(mock, token)).toEqual({
      isValid: true,
      message: '',
      details: { lifetime: '5400s', user: 'alice', groups: ['a'] },
    });
    mock.clock.advance('89m59s');
    expect(await validate(mock, token)).toMatchObject({ isValid: true, details: { lifetime: '1s' } });
    mock.clock.advance('1s');
    expect(await validate(mock, token)).toEqual({ isValid: false, message: 'token is expired' });
    mock.clock.set(at);
    expect(await validate(mock, token)).toMatchObject({ isValid: true });
    mock.clock.set('2026-11-20T11:59:59Z');
    expect(await validate(mock, token)).toEqual({ isValid: false, message: 'token used before issued' });
  });

  it.each<[string, Parameters<Mock['tokens']['forge']>[0], string]>([
    ['expired', { expired: true }, 'token is expired'],
    ['not yet valid', { notYetValid: true }, 'token is not valid yet'],
    ['by another key', { wrongKey: true }, 'signature is invalid'],
    ['expired and by another key', { expired: true, wrongKey: true }, 'signature is invalid'],
    ['without a signature', { none: true }, 'signature is invalid'],
    ['HS384', { algorithm: 'HS384' }, 'signature is invalid'],
    ['HS512', { algorithm: 'HS512' }, 'signature is invalid'],
    ['ES256', { algorithm: 'ES256' }, 'signature is invalid'],
    ['exp is text', { claims: { exp: 'soon' } }, 'exp is invalid'],
  ])('tells why it refuses a token: %s', async (_, forgery, message) => {
    const mock = await createMock();
    const token = await mock.tokens.forge({ user: 'alice', ...forgery });
    expect(await validate(mock, token)).toEqual({ isValid: false, message });
    const observed = await createMock({ fidelity: 'sidecar' });
    const other = await observed.tokens.forge({ user: 'alice', ...forgery });
    expect(await validate(observed, other)).toEqual({ isValid: false, message: 'signature is invalid' });
  });

  it.each([
    ['', 'token is malformed: token contains an invalid number of segments'],
    ['garbage', 'token is malformed: token contains an invalid number of segments'],
    ['a.b.c', 'token is malformed: could not base64 decode header'],
    ['e30.e30. c', 'token is unverifiable: signing method (alg) is unspecified'],
    [`${'a'.repeat(20_000)}.b.c`, 'token is malformed: longer than 16384 bytes'],
  ])('calls text that is not a token malformed (%#)', async (token, message) => {
    expect(await validate(await createMock(), token)).toEqual({ isValid: false, message });
  });

  it('refuses a public key used as a secret', async () => {
    const { privatePem } = await es256();
    const mock = await createMock({ authentication: { keys: { active: privatePem } } });
    for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
      expect(await validate(mock, await mock.tokens.forge({ algorithm }))).toMatchObject({ isValid: false });
    }
    expect(await validate(mock, await mock.tokens.forge({ wrongKey: true }))).toMatchObject({ isValid: false });
    expect(await validate(mock, await mock.tokens.issue())).toMatchObject({ isValid: true });
  });

  it('refuses to forge a token that would be valid', async () => {
    const mock = await createMock();
    await expect(mock.tokens.forge({ user: 'alice' })).rejects.toThrow(/expected one of expired/);
  });

  it('overrides claims of a forged token, and omits undefined ones', async () => {
    const mock = await createMock({ now: at });
    const endless = await mock.tokens.forge({ user: 'a', claims: { exp: undefined, groups: 'x' } });
    expect(await validate(mock, endless)).toMatchObject({ details: { lifetime: '3600s', user: 'a', groups: [] } });
    const far = await mock.tokens.forge({ user: 'a', claims: { exp: 9e15 } });
    expect(await validate(mock, far)).toMatchObject({ details: { lifetime: '9223372036s' } });
  });

  it('refuses a revoked token, even if its signature is cached', async () => {
    const mock = await createMock();
    const [token, other] = [await mock.tokens.issue(), await mock.tokens.issue({ user: 'b' })];
    expect(await validate(mock, token)).toMatchObject({ isValid: true });
    mock.tokens.revoke(token);
    expect(await validate(mock, token)).toEqual({ isValid: false, message: 'token is revoked' });
    expect((await call(mock, 'GET', '/_api/version', undefined, bearer(token))).status).toBe(401);
    expect(await validate(mock, other)).toMatchObject({ isValid: true });
  });

  it.each(['HS256', 'ES256'] as const)(
    'refuses a revoked %s token however its signature is written',
    async (algorithm) => {
      const config = algorithm === 'ES256' ? { authentication: { keys: { active: (await es256()).privatePem } } } : {};
      const mock = await createMock(config);
      const [byKit, byLogout] = [await mock.tokens.issue({ user: 'a' }), await mock.tokens.issue({ user: 'b' })];
      const spellings = (token: string) => [
        token,
        otherLastCharacter(token),
        ...(algorithm === 'ES256' ? [otherForm(token), otherLastCharacter(otherForm(token))] : []),
      ];
      for (const token of [byKit, byLogout].flatMap(spellings)) {
        expect(await validate(mock, token)).toMatchObject({ isValid: true });
      }
      mock.tokens.revoke(spellings(byKit).at(-1) ?? '');
      const cookie = `X-ArangoDB-Token-JWT=${otherLastCharacter(byLogout)}`;
      await call(mock, 'GET', '/_logout', undefined, { cookie });
      for (const token of [byKit, byLogout].flatMap(spellings)) {
        expect(await validate(mock, token)).toEqual({ isValid: false, message: 'token is revoked' });
        expect((await call(mock, 'GET', '/_api/version', undefined, bearer(token))).status).toBe(401);
      }
      expect(await validate(mock, await mock.tokens.issue({ user: 'c' }))).toMatchObject({ isValid: true });
    },
  );

  it.each(['HS256', 'ES256'])('rotates %s keys: the old key still verifies, the new one signs', async (algorithm) => {
    const config: MockConfig =
      algorithm === 'ES256' ? { authentication: { keys: { active: (await es256()).privatePem } } } : {};
    const mock = await createMock(config);
    const keys = async () =>
      (await call(mock, 'GET', '/_management/authentication/keys', undefined, bearer(await mock.tokens.issue()))).body;
    const before = await keys();
    const old = await mock.tokens.issue();
    await mock.keys.rotate();
    const young = await mock.tokens.issue();
    expect(await validate(mock, old)).toMatchObject({ isValid: true });
    expect(await validate(mock, young)).toMatchObject({ isValid: true });
    const after = await keys();
    expect(after.checksum).not.toBe(before.checksum);
    const published = algorithm === 'ES256' ? 1 : 0;
    expect([before.keys, after.keys]).toMatchObject([{ length: published }, { length: published * 2 }]);
    expect(old.split('.')[0]).toBe(young.split('.')[0]);
  });

  it('verifies with a public key, but does not sign with it', async () => {
    const { privatePem, publicPem } = await es256();
    const issuer = await createMock({ authentication: { keys: { active: privatePem } } });
    const mock = await createMock({ authentication: { keys: { active: 'secret', passive: [publicPem] } } });
    expect(await validate(mock, await issuer.tokens.issue({ user: 'x' }))).toMatchObject({ details: { user: 'x' } });
    await expect(createMock({ authentication: { keys: { active: publicPem } } })).rejects.toThrow(
      /authentication\.keys\.active/,
    );
  });

  it('names an unreadable key without quoting it', async () => {
    const broken = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';
    for (const keys of [{ active: broken }, { active: 'x', passive: ['y', broken] }]) {
      const error = await createMock({ authentication: { keys } }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'INVALID_ARGUMENT',
        field: 'passive' in keys ? 'authentication.keys.passive[1]' : 'authentication.keys.active',
      });
      expect(String(error)).not.toContain('c2VjcmV0');
    }
  });

  it('drops cached signatures of a key that a restore removes', async () => {
    const mock = await createMock();
    const snapshot = mock.snapshot();
    await mock.keys.rotate();
    const token = await mock.tokens.issue();
    expect(await validate(mock, token)).toMatchObject({ isValid: true });
    mock.restore(snapshot);
    expect(await validate(mock, token)).toEqual({ isValid: false, message: 'signature is invalid' });
  });

  it('caches the signatures of the last thousand tokens', async () => {
    const mock = await createMock();
    const verify = vi.spyOn(crypto.subtle, 'verify');
    onTestFinished(() => verify.mockRestore());
    const tokens: string[] = [];
    for (let i = 0; i <= 1_000; i += 1) tokens.push(await mock.tokens.issue({ user: `u${i}` }));
    const verified = async (some: readonly string[]) => {
      verify.mockClear();
      for (const token of some) expect((await validate(mock, token)).isValid).toBe(true);
      return verify.mock.calls.length;
    };
    expect(await verified(tokens)).toBe(1_001);
    expect(await verified(tokens.slice(1))).toBe(0);
    expect(await verified(tokens.slice(0, 1))).toBe(1);
  });
});

describe('authentication', () => {
  const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const login = (mock: Mock) =>
    call(mock, 'POST', '/_login', { credentials: { username: 'root' }, options: { cookies: true } });

  it('accepts the session cookie in mode SSO, and ends the session at logout', async () => {
    const mock = await createMock({ authentication: { mode: 'SSO' } });
    const { headers } = await login(mock);
    const cookie = { cookie: `other=1; ${cookieOf(headers)}` };
    const paths = ['/_identity', '/_api/version', '/_management/permissions/policy'];
    const statuses = async () => {
      const answers = await Promise.all(paths.map((path) => call(mock, 'GET', path, undefined, cookie)));
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200, 403]);
    const out = await call(mock, 'GET', '/_logout?location=%2Fa%0D%0Ab%C3%BC', undefined, cookie);
    expect([out.status, out.headers.get('location')]).toEqual([302, '/a  bÃ¼']);
    expect(out.headers.getSetCookie()).toEqual([expect.stringMatching(/^X-ArangoDB-Token-JWT=ey[^;]+; Max-Age=0$/)]);
    expect(await statuses()).toEqual([401, 307, 307]);
  });

  it('starts a new session at every login, even if its token equals that of an ended one', async () => {
    const mock = await createMock({ now: at, authentication: { mode: 'SSO' } });
    const openAuth = async () =>
      String((await call(mock, 'POST', '/_open/auth', { username: 'root', password: '' })).body.jwt);
    const first = await openAuth();
    await call(mock, 'GET', '/_logout', undefined, { cookie: `X-ArangoDB-Token-JWT=${first}` });
    expect((await call(mock, 'GET', '/_identity', undefined, bearer(first))).status).toBe(401);
    const second = await openAuth();
    expect(second).toBe(first);
    expect((await call(mock, 'GET', '/_api/version', undefined, bearer(second))).status).toBe(200);
    const issued = await mock.tokens.issue();
    mock.tokens.revoke(issued);
    expect(await mock.tokens.issue()).toBe(issued);
    expect(await validate(mock, issued)).toMatchObject({ isValid: true });
  });

  it('stores nothing for a logout whose cookie is not a valid token', async () => {
    const mock = await createMock({ now: at });
    const later = await mock.tokens.forge({ notYetValid: true, lifetime: '2h' });
    for (const value of ['garbage', later]) {
      const cookie = `X-ArangoDB-Token-JWT=${value}`;
      const { status, headers } = await call(mock, 'GET', '/_logout', undefined, { cookie });
      expect([status, headers.getSetCookie()]).toEqual([200, [`${cookie}; Max-Age=0`]]);
    }
    mock.clock.advance('1h');
    expect(await validate(mock, later)).toMatchObject({ isValid: true });
  });

  it('accepts the cookie in mode Native as the gateway does, but not at a sidecar', async () => {
    const mock = await createMock();
    const cookie = { cookie: cookieOf((await login(mock)).headers) };
    expect((await call(mock, 'GET', '/_identity', undefined, cookie)).body).toEqual({ user: 'root' });
    expect((await call(mock, 'GET', '/_api/version', undefined, cookie)).status).toBe(200);
    expect((await call(mock, 'GET', '/_integration/authn/v1/identity', undefined, cookie)).status).toBe(401);
  });

  it.each([{ enabled: false }, { mode: 'None' as const }])(
    'requires no credentials with %j',
    async (authentication) => {
      const mock = await createMock({ authentication });
      expect((await call(mock, 'GET', '/_identity')).body).toEqual({ user: 'root' });
      expect((await call(mock, 'GET', '/_management/permissions/policy')).status).toBe(200);
      expect((await call(mock, 'POST', '/_integration/authn/v1/createToken', { user: 'a' })).body).toEqual({
        lifetime: '3600s',
        token: '',
        groups: [],
      });
    },
  );
});
