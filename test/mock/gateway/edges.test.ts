import { describe, expect, test } from 'vitest';
import { addProbe, claimsOf, config, probe, ways } from './support.ts';

const tokenCookie = 'X-ArangoDB-Token-JWT';

describe.each(ways)('the gateway through %s', (_, open) => {
  test.each([
    [200, '//_service/uds/_db/shop/probe/x'],
    [200, '/_service//uds/_db///shop/probe/x'],
    [200, '/_service/uds/_db/shop/probe//x'],
    [200, '/_service/uds//_db/shop//probe//x?y=a//b'],
    // Not a database without a name.
    [404, '/_service/uds/_db//probe/x'],
    [404, '/_service/uds/_db/shop/prob/e/x'],
    [404, '/_service/uds/_db/shop/probex/x'],
  ])('answers %d for %s: double slashes are merged before the route is found', async (status, path) => {
    const { mock, send } = await open(config('None'));
    addProbe(mock);
    expect((await send(path)).status).toBe(status);
    // The log shows the path that was sent.
    expect(mock.requests.at(-1)?.path).toBe(path.split('?')[0]);
  });

  test('takes the first valid token cookie, even behind one that has expired', async () => {
    const gate = await open(config('Native'));
    const seen = addProbe(gate.mock);
    const expired = await gate.mock.tokens.issue({ user: 'bob', lifetime: '1m' });
    const valid = await gate.mock.tokens.issue({ user: 'alice', lifetime: '1h' });
    gate.mock.clock.advance('2m');
    const answer = await gate.send(probe, { cookie: `${tokenCookie}=${expired}; ${tokenCookie}=${valid}; a=1` });
    expect([answer.status, seen.user, seen.headers?.cookie]).toEqual([200, 'alice', '']);
    expect(claimsOf(seen.headers?.authorization).preferred_username).toBe('alice');
    expect((await gate.send(probe, { cookie: `${tokenCookie}=${expired}` })).status).toBe(401);
    // Neither the log nor a snapshot shows a token.
    const shown = JSON.stringify([gate.mock.requests, gate.mock.snapshot()]);
    for (const secret of [expired, valid, seen.headers?.authorization?.slice(7) ?? '']) {
      expect(shown).not.toContain(secret.split('.')[2]);
    }
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])('requires a token for %s, too', async (method) => {
    const gate = await open(config('Native'));
    const seen = addProbe(gate.mock);
    const authorization = `bearer ${await gate.mock.tokens.issue({ user: 'alice' })}`;
    const answer = await gate.send(probe, {}, method);
    expect([answer.status, answer.headers.get('x-arango-platform-route'), seen.headers]).toEqual([
      401,
      null,
      undefined,
    ]);
    const isThere = method === 'GET' || method === 'HEAD';
    expect((await gate.send(probe, { authorization }, method)).status).toBe(isThere ? 200 : 405);
    // Two tokens in one header are none.
    expect((await gate.send(probe, { authorization: `${authorization}, ${authorization}` }, method)).status).toBe(401);
  });

  test("leaves a caller's own platform headers, also beside a token", async () => {
    const gate = await open(config('Native'));
    const seen = addProbe(gate.mock);
    const forged = { 'arangodb-platform-authenticated': 'true', 'arangodb-platform-user': 'root' };
    const authorization = `bearer ${await gate.mock.tokens.issue({ user: 'alice' })}`;
    await gate.send(probe, { ...forged, authorization, 'x-arango-platform-request-id': 'mine' });
    expect(seen.headers).toMatchObject(forged);
    expect(seen.user).toBe('alice');
  });
});
