import { describe, expect, test } from 'vitest';
import type { MockConfig } from '../../../src/mock/index.ts';
import { es256 } from '../../support/calls.ts';
import { addProbe, claimsOf, config, probe, signIn, ways } from './support.ts';

describe.each(ways)('the tokens that services get, through %s', (_, open) => {
  test('a new token is reused for a minute, for one user with the same groups', async () => {
    const { mock, send } = await open({ ...config('Native'), now: '2026-11-20T12:00:00Z' });
    const seen = addProbe(mock);
    const tokenFor = async (request: { user: string; groups?: string[] }) => {
      const authorization = `bearer ${await mock.tokens.issue(request)}`;
      await send(probe, { authorization });
      return seen.headers?.authorization;
    };
    const first = await tokenFor({ user: 'alice' });
    mock.clock.advance('59s');
    expect(await tokenFor({ user: 'alice' })).toBe(first);
    expect(await tokenFor({ user: 'alice', groups: ['a'] })).not.toBe(first);
    expect(await tokenFor({ user: 'bob' })).not.toBe(first);
    mock.clock.advance('1s');
    const second = await tokenFor({ user: 'alice' });
    expect(second).not.toBe(first);
    const at = Date.parse('2026-11-20T12:01:00Z') / 1000;
    expect(claimsOf(second)).toMatchObject({ iss: 'arangodb', iat: at, exp: at + 300, groups: [] });
  });

  test('the new token is valid for the services, and part of the state', async () => {
    const { mock, send } = await open(config('Native'));
    const seen = addProbe(mock);
    const authorization = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
    await send(probe, { authorization });
    const first = seen.headers?.authorization ?? '';
    expect((await send('/_identity', { authorization: first })).status).toBe(200);
    const start = mock.snapshot();
    await mock.keys.rotate();
    mock.restore(start);
    await send(probe, { authorization });
    expect(seen.headers?.authorization).toBe(first);
  });

  test('a new token that was revoked is not reused', async () => {
    const { mock, send } = await open(config('Native'));
    const seen = addProbe(mock);
    const authorization = `bearer ${await mock.tokens.issue({ user: 'alice', lifetime: '10m' })}`;
    await send(probe, { authorization });
    const first = seen.headers?.authorization?.slice(7) ?? '';
    mock.tokens.revoke(first);
    mock.clock.advance('1s');
    await send(probe, { authorization });
    expect(seen.headers?.authorization).not.toContain(first);
  });

  test('a superuser’s token becomes one for the user ""', async () => {
    const { mock, send } = await open(config('Native'));
    const seen = addProbe(mock);
    const token = await mock.tokens.issue({ user: null });
    await send(probe, { authorization: `bearer ${token}` });
    expect([claimsOf(seen.headers?.authorization).preferred_username, seen.user]).toEqual(['', '']);
  });

  test('treats an expired or revoked token as anonymous', async () => {
    const { mock, send } = await open(config('Native'));
    addProbe(mock);
    const expired = await mock.tokens.forge({ user: 'alice', expired: true });
    const revoked = await mock.tokens.issue({ user: 'alice' });
    mock.tokens.revoke(revoked);
    for (const token of [expired, revoked]) {
      expect((await send(probe, { authorization: `bearer ${token}` })).status).toBe(401);
    }
  });
});

describe.each(ways)('where creating tokens needs a permission, through %s', (_, open) => {
  const minting = { statements: [{ effect: 'Allow', actions: ['authentication:*'], resources: ['*'] }] } as const;
  const gated = async (mode: 'Native' | 'SSO'): Promise<MockConfig> => ({
    ...config(mode),
    authentication: { mode, keys: { active: (await es256()).privatePem } },
    central: true,
    users: [{ name: 'alice' }, { name: 'bob' }],
    policies: { minting },
    roles: { minter: { policies: ['minting'] } },
    bindings: [{ user: 'bob', role: 'minter', scope: minting }],
  });

  test.each(['override', 'pass', 'remove'] as const)('%s', async (passMode) => {
    const gate = await open(await gated('SSO'));
    const seen = addProbe(gate.mock, { passMode });
    const refused = [401, '{"message":"Unable to render token"}'];
    const ask = async (headers: Record<string, string>, path = probe) => {
      const answer = await gate.send(path, headers);
      return [answer.status, await answer.text()];
    };
    const bearer = async (user: string) => ({ authorization: `bearer ${await gate.mock.tokens.issue({ user })}` });
    const [session, bobs] = [{ cookie: await signIn(gate, 'alice') }, { cookie: await signIn(gate, 'bob') }];
    expect(await ask(await bearer('alice'))).toEqual(passMode === 'override' ? refused : [200, 'here']);
    expect(await ask(session)).toEqual(passMode === 'remove' ? [200, 'here'] : refused);
    expect(await ask(await bearer('bob'))).toEqual([200, 'here']);
    expect(await ask(bobs)).toEqual([200, 'here']);
    expect(await ask(session, '/_identity')).toEqual(refused);
    expect(await ask(bobs, '/_identity')).toEqual([200, '{"user":"bob"}']);
    expect(seen.headers).toBeDefined();
  });
});
