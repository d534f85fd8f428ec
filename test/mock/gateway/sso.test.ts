import { describe, expect, test } from 'vitest';
import { addProbe, config, cookieOf, probe, signIn, ways } from './support.ts';

const sessionId = 'X-ArangoDB-OpenID-Session-ID';
const redirect = 'X-ArangoDB-OpenID-Redirect';
const stateName = 'X-ArangoDB-OpenID-State';

describe.each(ways)('mode SSO through %s', (_, open) => {
  test('redirects any request without an identity to the provider, with the way back in a cookie', async () => {
    const { mock, send } = await open(config('SSO'));
    addProbe(mock);
    for (const [method, path] of [
      ['GET', `${probe}?a=1&b=%3B`],
      ['POST', probe],
      ['GET', '/_db/shop/_api/version'],
      ['GET', '/_management/permissions/policy'],
      ['GET', '/nowhere'],
      ['GET', '/a;Domain=x'],
    ] as const) {
      const answer = await send(path, { authorization: 'bearer bad' }, method);
      const location = new URL(answer.headers.get('location') ?? '');
      const state = location.searchParams.get('state');
      expect([answer.status, await answer.text(), location.origin]).toEqual([307, '', 'https://provider.test']);
      expect(state).toMatch(/^[\da-f-]{36}$/);
      expect(answer.headers.get('access-control-allow-origin')).toBe('');
      expect(answer.headers.getSetCookie()).toEqual([
        `${redirect}=${path.replace(';', '')}; Path=/; Max-Age=60; Secure; SameSite=None`,
        `${stateName}=${state}; Path=/; Max-Age=300; HttpOnly; Secure; SameSite=None`,
      ]);
    }
  });

  test('never redirects the calls that sign in and out, nor a sidecar’s', async () => {
    const { send } = await open(config('SSO'));
    const statuses = [];
    for (const [method, path] of [
      ['GET', '/_identity'],
      ['POST', '/_login'],
      ['GET', '/_logout'],
      ['POST', '/_open/auth'],
      ['GET', '/oauth2/idpresponse'],
      ['GET', '/_integration/authn/v1/identity'],
    ] as const) {
      statuses.push((await send(path, {}, method)).status);
    }
    expect(statuses).toEqual([401, 400, 200, 401, 403, 401]);
  });

  test('a sign-in comes back to the saved path, with a session that lasts an hour', async () => {
    const gate = await open({ ...config('SSO'), now: '2026-11-20T12:00:00Z' });
    const { mock, send } = gate;
    const first = await send('/page?x=1');
    const state = cookieOf(first, stateName);
    const cookie = `${redirect}=${cookieOf(first, redirect)}; ${stateName}=${state}`;
    const back = await send(`/oauth2/idpresponse?code=alice&state=${state}`, { cookie });
    expect([back.status, back.headers.get('location')]).toEqual([307, '/page?x=1']);
    const id = cookieOf(back, sessionId);
    const expires = 'Expires=Fri, 20 Nov 2026 13:00:00 GMT';
    expect(back.headers.getSetCookie()).toEqual([`${sessionId}=${id}; Path=/; ${expires}; Secure; SameSite=None`]);
    const session = { cookie: `${sessionId}=${id}` };
    expect(await (await send('/_identity', session)).json()).toEqual({ user: 'alice' });
    expect((await send('/_db/shop/_api/version', session)).status).toBe(200);
    expect((await send('/_management/permissions/policy', session)).status).toBe(403);
    mock.clock.advance('59m');
    expect((await send('/_identity', session)).status).toBe(200);
    mock.clock.advance('1m');
    expect((await send('/_identity', session)).status).toBe(401);
    expect((await send('/_api/version', session)).status).toBe(307);
  });

  test('a sign-in without a saved path comes back to /', async () => {
    const { send } = await open(config('SSO'));
    const answer = await send('/oauth2/idpresponse?code=alice&state=s', { cookie: `${stateName}=s` });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/']);
  });

  test.each([
    ['another state', 'code=alice&state=x', `${stateName}=s`],
    ['no state', 'code=alice', `${stateName}=s`],
    ['an empty state', 'code=alice&state=', ''],
    ['no cookie', 'code=alice&state=s', ''],
    ['an unknown user', 'code=mallory&state=s', `${stateName}=s`],
    ['no code', 'state=s', `${stateName}=s`],
  ])('a sign-in with %s is a 403 without a body', async (_name, query, cookie) => {
    const { send } = await open(config('SSO'));
    const answer = await send(`/oauth2/idpresponse?${query}`, { cookie });
    expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([403, '', []]);
  });

  test('logout expires the cookies that were sent, and ends the session in documented fidelity only', async () => {
    for (const fidelity of ['documented', 'sidecar'] as const) {
      const gate = await open({ ...config('SSO'), fidelity });
      const session = await signIn(gate, 'alice');
      const token = `X-ArangoDB-Token-JWT=${await gate.mock.tokens.issue({ user: 'alice' })}`;
      const cookie = `${session}; ${token}; ${redirect}=/x; other=1`;
      const answer = await gate.send('/_logout?location=https%3A%2F%2Felsewhere.test', { cookie });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://elsewhere.test']);
      expect(answer.headers.getSetCookie()).toEqual([token, session, `${redirect}=/x`].map((c) => `${c}; Max-Age=0`));
      const status = async (value: string) => (await gate.send('/_identity', { cookie: value })).status;
      expect([await status(token), await status(session)]).toEqual(fidelity === 'documented' ? [401, 401] : [200, 200]);
    }
  });

  test('sessions are state: a reset ends them, and a snapshot brings them back', async () => {
    const gate = await open(config('SSO'));
    const cookie = await signIn(gate, 'alice');
    const saved = gate.mock.snapshot();
    gate.mock.reset();
    expect((await gate.send('/_identity', { cookie })).status).toBe(401);
    gate.mock.restore(saved);
    expect((await gate.send('/_identity', { cookie })).status).toBe(200);
  });
});

describe.each(ways)('the identity of a caller, through %s', (_, open) => {
  test.each(['None', 'Native', 'SSO'] as const)(
    'is that of a cookie in mode %s, or root in mode None',
    async (mode) => {
      const { mock, send } = await open(config(mode));
      const token = await mock.tokens.issue({ user: 'alice' });
      const user = async (headers: Record<string, string>) => {
        const answer = await send('/_identity', headers);
        return answer.status === 200 ? ((await answer.json()) as { user: string }).user : answer.status;
      };
      const isOpen = mode === 'None';
      expect(await user({})).toBe(isOpen ? 'root' : 401);
      expect(await user({ cookie: `X-ArangoDB-Token-JWT=${token}` })).toBe(isOpen ? 'root' : 'alice');
      expect(await user({ authorization: 'bearer bad', cookie: `X-ArangoDB-Token-JWT=${token}` })).toBe(
        isOpen ? 'root' : 'alice',
      );
    },
  );
});
