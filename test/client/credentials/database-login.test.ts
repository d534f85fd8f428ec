import { Database } from 'arangojs';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { type ClientOptions, createClient, credentials, isWrongPassword } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const password = 'canary-password-41';
const login = credentials.login({ username: 'alice', password, via: 'database' });
const minute = 60_000;

/** A database without the platform's services, on a port, and a clock that it shares with clients. */
async function createPlainDatabase() {
  const mock = await createMock({ now: '2026-11-21T00:00:00Z', users: [{ name: 'alice', password }] });
  const server = await listen(mock);
  onTestFinished(() => server.close());
  let ms = 0;
  const sent: string[] = [];
  const unknownPath = '{"error":true,"code":404,"errorNum":404,"errorMessage":"unknown path"}';
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push(`${init.method} ${new URL(url).pathname}`);
    const headers = { 'content-type': 'application/json' };
    if (url.includes('/_integration/')) return new Response(unknownPath, { status: 404, headers });
    return globalThis.fetch(url, init);
  };
  return {
    mock,
    server,
    sent,
    advance(by: number): void {
      ms += by;
      mock.clock.advance(`${by}ms`);
    },
    client: (options: Partial<ClientOptions>) =>
      createClient({ url: server.url, database: 'shop', fetch, clock: { now: () => ms }, ...options }),
  };
}

test('signs in at the database beside arangojs, once for many calls', async () => {
  const { client, sent, server, mock } = await createPlainDatabase();
  const own = client({ credentials: login });
  const echo = own.route('_echo');
  await Promise.all([echo.get(), echo.get(), own.database('archive').route('_echo').get()]);
  expect(sent.filter((call) => call === 'POST /_open/auth')).toHaveLength(1);
  const db = new Database({ url: server.url, databaseName: 'shop' });
  expect(await db.login('alice', password)).toMatch(/^ey/);
  expect((await db.route('_echo').get('theirs')).status).toBe(200);
  const [ours, theirs] = mock.requests.filter(({ path }) => path.endsWith('/_open/auth'));
  expect(ours?.body).toEqual(theirs?.body);
  expect(mock.requests.filter(({ user, path }) => path.includes('_echo') && user === 'alice')).toHaveLength(4);
});

test('a login at the database is renewed past three quarters of the token’s lifetime, and after a 401', async () => {
  const { client, sent, advance } = await createPlainDatabase();
  const echo = client({ credentials: login }).route('_echo');
  const logins = () => sent.filter((call) => call === 'POST /_open/auth').length;
  let expected = 0;
  for (const by of [0, 52 * minute, 61 * minute]) {
    advance(by);
    expect((await echo.get()).status).toBe(200);
    await expect.poll(() => logins()).toBe(++expected);
  }
});

test('isWrongPassword recognizes a wrong password, and the error does not show it', async () => {
  const { client } = await createPlainDatabase();
  const wrong = credentials.login({ username: 'alice', password: 'canary-wrong', via: 'database' });
  const error = await failureOf(client({ credentials: wrong }).route('_echo').get());
  expect(error).toMatchObject({ code: 'CREDENTIALS', cause: { status: 401 } });
  expect(isWrongPassword(error)).toBe(true);
  expect(String(error) + JSON.stringify(error)).not.toContain('canary');
});

test("the error for a database without the platform's login suggests via: 'database'", async () => {
  const { client } = await createPlainDatabase();
  const platform = credentials.login({ username: 'alice', password });
  const error = await failureOf(client({ credentials: platform }).route('_echo').get());
  expect(error.message).toContain("see via: 'database' of credentials.login");
  const identity = await failureOf(client({}).authentication.identity());
  expect(identity.message).not.toContain('via');
});

test('an answer without a token is refused, without showing it', async () => {
  const fetch = async () => Response.json({ jwt: '', canary: 'canary-answer' });
  const client = createClient({ url: 'http://mock.test', fetch, credentials: login });
  const error = await failureOf(client.route('x').get());
  expect(error).toMatchObject({ code: 'CREDENTIALS', cause: { code: 'SCHEMA' } });
  expect(String(error) + JSON.stringify(error)).not.toContain('canary');
});

test('an access token is the password, and then the user may be missing', async () => {
  const { client, mock } = await createPlainDatabase();
  const token = await mock.tokens.issue({ user: 'alice', lifetime: '1h' });
  for (const username of [undefined, 'alice']) {
    mock.requests.clear();
    const own = client({ credentials: credentials.login({ username, password: token, via: 'database' }) });
    expect((await own.route('_echo').get()).status).toBe(200);
    const [sent, echo] = mock.requests;
    expect([sent?.path, echo?.user]).toEqual(['/_open/auth', 'alice']);
    expect(Object.keys(sent?.body as object)).toEqual(username ? ['username', 'password'] : ['password']);
    expect(JSON.stringify(sent)).not.toContain(token);
  }
  const others = [{ username: 'bob', password: token }, { password: 'canary-token' }, { password: `${token}x` }];
  for (const one of others) {
    const failure = await failureOf(
      client({ credentials: credentials.login({ ...one, via: 'database' }) })
        .route('_echo')
        .get(),
    );
    expect(isWrongPassword(failure)).toBe(true);
    expect(String(failure)).not.toContain(one.password);
  }
});

test('an access token is sent by HTTP Basic, with its user or none', async () => {
  const { client, mock } = await createPlainDatabase();
  const token = await mock.tokens.issue({ user: 'alice', lifetime: '1h' });
  const ask = async (user: string, secret: string) => {
    const echo = client({ credentials: credentials.basic(user, secret) }).route('_echo');
    return echo.get().then(
      ({ status }) => status,
      ({ status }) => status,
    );
  };
  expect(await Promise.all([ask('', token), ask('alice', token), ask('bob', token), ask('', 'x')])).toEqual([
    ...[200, 200, 401, 401],
  ]);
  const { authorize } = credentials.basic('', 'canary-token');
  expect(authorize({} as never)).toBe(`Basic ${btoa(':canary-token')}`);
  for (const [user, password] of [
    ['', ''],
    ['a:b', 'x'],
    ['\n', 'x'],
    [7, 'x'],
  ]) {
    expect(() => credentials.basic(user as never, password as never)).toThrow(
      expect.objectContaining({ field: 'credentials.user' }),
    );
  }
});
