import { expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';

const options = { now: '2026-11-27T00:00:00Z', users: [{ name: 'alice', password: 'pw' }] };

async function createAsked() {
  const mock = await createMock(options);
  const ask = async (authorization: string) => {
    await mock.fetch('http://mock.test/_db/shop/_echo/x', { headers: { authorization } });
    return mock.requests.at(-1)?.claims;
  };
  return { mock, ask };
}

const iat = Date.parse(options.now) / 1000;

test('the log shows the claims of a token of the mock, on request only', async () => {
  const { mock, ask } = await createAsked();
  const token = await mock.tokens.issue({ user: 'alice', groups: ['reader'], lifetime: '10m' });
  const claims = { exp: iat + 600, groups: ['reader'], iat, iss: 'arangodb', preferred_username: 'alice' };
  expect(await ask(`bearer  ${token}`)).toEqual(claims);
  // Refused ones, too: they say why.
  mock.clock.advance('1h');
  expect(await ask(`Bearer ${token}`)).toEqual(claims);
  const [first] = mock.requests;
  expect(Object.keys(first ?? {})).not.toContain('claims');
  expect({ ...first }).not.toHaveProperty('claims');
  expect(JSON.stringify(mock.requests)).not.toContain('preferred_username');
});

test('a service of the platform and a snapshot keep the claims in the log', async () => {
  const mock = await createMock(options);
  const authorization = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  await mock.fetch('http://mock.test/_integration/authn/v1/identity', { headers: { authorization } });
  const saved = mock.snapshot();
  mock.reset();
  expect(mock.requests).toHaveLength(0);
  mock.restore(saved);
  expect(mock.requests[0]?.claims).toMatchObject({ preferred_username: 'alice' });
});

test('the log has no claims of a token of another mock, a forged token, basic credentials or none', async () => {
  const { mock, ask } = await createAsked();
  const other = await createMock(options);
  const tokens = [
    await other.tokens.issue({ user: 'alice' }),
    await mock.tokens.forge({ user: 'alice', wrongKey: true }),
    await mock.tokens.forge({ user: 'alice', none: true }),
    'x.y.z',
  ];
  for (const token of tokens) expect(await ask(`Bearer ${token}`)).toBeUndefined();
  expect(await ask(`Basic ${btoa('alice:pw')}`)).toBeUndefined();
  expect(await ask('')).toBeUndefined();
});

test('secrets in claims are concealed, and no token or signature is shown', async () => {
  const { mock, ask } = await createAsked();
  const inner = await mock.tokens.issue({ user: 'alice' });
  const token = await mock.tokens.forge({
    claims: { password: 'canary', nested: { api_key: 'canary' }, note: inner, [inner]: 1 },
  });
  const shown = JSON.stringify(await ask(`Bearer ${token}`));
  expect(shown).not.toMatch(/canary|eyJ/);
  expect(shown).not.toContain(inner.split('.')[2]);
});

test.each<[method: string, path: string, status: number]>([
  ['POST', '/_integration/authorization/v1/evaluate', 200],
  ['GET', '/nowhere', 404],
  ['GET', '/_db/shop/_echo/x', 503],
])('claims are shown where no token is checked, too: %s %s', async (method, path, status) => {
  const { mock } = await createAsked();
  mock.fail({ path: '/_echo/x', status: 503 });
  const authorization = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  await mock.fetch(`http://mock.test${path}`, { method, headers: { authorization } });
  expect(mock.requests[0]).toMatchObject({ status, claims: { preferred_username: 'alice' } });
});

test('a token longer than the limit is refused, although the mock issued it', async () => {
  const mock = await createMock({ ...options, limits: { tokenBytes: 1_024 } });
  const token = await mock.tokens.issue({ user: 'alice', groups: ['g'.repeat(1_024)] });
  const headers = { authorization: `Bearer ${token}` };
  expect((await mock.fetch('http://mock.test/_db/shop/_echo/x', { headers })).status).toBe(401);
  expect(mock.requests[0]?.claims).toBeUndefined();
});
