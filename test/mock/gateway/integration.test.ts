import { expect, test } from 'vitest';
import { addProbe, config, probe, type Seen, signIn, ways } from './support.ts';

const none = { integration: false };
const authorizationOf = ({ headers }: Seen) => headers?.authorization;

test.each(ways)('without integration, /_integration goes to the database’s 404, through %s', async (_, open) => {
  const { mock, send } = await open({ ...config('Native'), gateway: none });
  const token = await mock.tokens.issue({ user: 'alice' });
  for (const path of ['/_integration/authn/v1/identity', '/%5Fintegration/authorization/v1/evaluate']) {
    const answer = await send(path, { authorization: `bearer ${token}` });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: true, code: 404, errorNum: 404, errorMessage: expect.stringContaining(`unknown path '${path}'`) },
    ]);
  }
  const authorization = `bearer ${token}`;
  expect((await send('/_identity', { authorization })).status).toBe(200);
  expect((await send('/_logout')).status).toBe(200);
  expect((await send('/_login', {}, 'POST')).status).toBe(400);
  expect((await send('/_management/permissions/policy', { authorization })).status).toBe(403);
});

test.each(ways)('without integration, mode SSO redirects /_integration like any path, through %s', async (_, open) => {
  const gate = await open({ ...config('SSO'), gateway: none });
  expect((await gate.send('/_integration/authn/v1/identity')).status).toBe(307);
  const cookie = await signIn(gate, 'alice');
  expect((await gate.send('/_integration/authn/v1/identity', { cookie })).status).toBe(404);
});

test('by default /_integration is routed, and a session is not an identity there', async () => {
  for (const [, open] of ways) {
    const gate = await open(config('SSO'));
    const cookie = await signIn(gate, 'alice');
    expect((await gate.send('/_integration/authn/v1/identity', { cookie })).status).toBe(401);
  }
});

test.each(ways)(
  'credentials stay out of the log, of refusals and of requests that do not need them, through %s',
  async (_, open) => {
    const gate = await open(config('SSO'));
    const { mock, send } = gate;
    const seen = addProbe(mock);
    const session = await signIn(gate, 'alice', '/secret-way-back');
    const tokens = [
      await mock.tokens.issue({ user: 'alice' }),
      await mock.tokens.forge({ user: 'canary', expired: true }),
    ];
    const [good = '', bad = ''] = tokens;
    const canaries = [...tokens, session.split('=')[1] ?? ''];
    const shown: string[] = [];
    for (const headers of [
      { authorization: `bearer ${good}` },
      { cookie: `X-ArangoDB-Token-JWT=${good}` },
      { authorization: `bearer ${bad}` },
      { cookie: session },
    ]) {
      seen.headers = undefined;
      const answer = await send(probe, headers);
      // A session's cookie is passed on to the service, so it appears in that service's headers.
      if (!headers.cookie?.startsWith(session)) shown.push(JSON.stringify(seen.headers ?? {}));
      canaries.push(authorizationOf(seen)?.slice(7) || bad);
      shown.push(JSON.stringify([...answer.headers]), await answer.text());
    }
    shown.push(JSON.stringify(mock.requests), JSON.stringify(mock));
    const inputs = [good, bad, session.split('=')[1] ?? ''];
    for (const text of shown) for (const canary of inputs) expect(text).not.toContain(canary);
    // The new tokens stand in the headers that the service got, and nowhere else.
    const elsewhere = shown.filter((text) => !text.includes('x-arango-platform-request-id":'));
    for (const text of elsewhere) for (const canary of canaries) expect(text).not.toContain(canary);
  },
);

test('a configuration error names the only option of the gateway', async () => {
  const { createMock } = await import('../../../src/mock/index.ts');
  // The cast: what the types refuse.
  await expect(createMock({ gateway: { integrations: false } } as object)).rejects.toThrow(/gateway/);
  expect((await createMock({ gateway: {} })).settings.gateway).toEqual({ integration: true, cookiesSupport: true });
});
