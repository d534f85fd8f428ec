import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const cookieOf = (sent: readonly { path: string; headers: Headers }[]) =>
  sent.filter(({ path }) => path.endsWith('/logout')).map(({ headers }) => headers.get('cookie'));
const session = (number: number) => ({ token: `session-${number}` });

test('logout sends the cached token as the session cookie, and drops it', async () => {
  let logins = 0;
  const { client, sent } = clientOver(({ path }) => (path.endsWith('/login') ? session(++logins) : {}), {
    credentials: credentials.login({ username: 'u', password: 'p' }),
  });
  await client.route('x').get();
  await client.authentication.logout();
  expect(cookieOf(sent)).toEqual(['X-ArangoDB-Token-JWT=session-1']);
  expect(sent.at(-1)?.headers.get('authorization')).toBeNull();
  await client.route('x').get();
  expect(sent.at(-1)?.headers.get('authorization')).toBe('Bearer session-2');
});

test('logout keeps headers of the call beside the session cookie', async () => {
  const { client, sent } = clientOver(() => ({}), { credentials: credentials.bearer('mine') });
  await client.authentication.logout({}, { headers: { 'x-trace': 'one' } });
  expect(sent.map(({ headers }) => [headers.get('x-trace'), headers.get('cookie')])).toEqual([
    ['one', 'X-ArangoDB-Token-JWT=mine'],
  ]);
});

test('logout creates no token', async () => {
  const { client, sent } = clientOver(() => ({}), { credentials: credentials.login({ username: 'u', password: 'p' }) });
  await client.authentication.logout();
  expect(sent.map(({ path, headers }) => [path, headers.get('cookie')])).toEqual([
    ['/_integration/authn/v1/logout', null],
  ]);
});

test('a failed logout keeps the token, so that it can be called again', async () => {
  let failures = 1;
  const { client, sent } = clientOver(
    ({ path }) => {
      if (path.endsWith('/login')) return session(1);
      return path.endsWith('/logout') && failures-- > 0 ? new Response('', { status: 500 }) : {};
    },
    { credentials: credentials.login({ username: 'u', password: 'p' }) },
  );
  await client.route('x').get();
  expect((await failureOf(client.authentication.logout())).status).toBe(500);
  await client.authentication.logout();
  expect(cookieOf(sent)).toEqual(['X-ArangoDB-Token-JWT=session-1', 'X-ArangoDB-Token-JWT=session-1']);
});

test.each([
  ['a token', credentials.bearer('mine'), 'X-ArangoDB-Token-JWT=mine'],
  ['a function', credentials.bearer(async () => 'mine'), 'X-ArangoDB-Token-JWT=mine'],
  ['a token that is not valid in a cookie', credentials.bearer('a;b=c'), null],
  ['a password', credentials.basic('u', 'p'), null],
  ['own credentials', { authorize: () => 'Bearer a', currentToken: () => 'Bearer now' }, 'X-ArangoDB-Token-JWT=now'],
  ['own credentials without currentToken', { authorize: () => 'Bearer a' }, null],
])('the session of %s', async (_what, one, cookie) => {
  const { client, sent } = clientOver(() => ({}), { credentials: one });
  await client.authentication.logout();
  expect(cookieOf(sent)).toEqual([cookie]);
});

test.each([
  [
    'bearer',
    credentials.bearer(() => {
      throw new Error('canary');
    }),
  ],
  ['own credentials', { authorize: () => undefined, currentToken: () => Promise.reject(new Error('canary')) }],
])(
  'a cached token that %s cannot return: CredentialsError that names the call, nothing is sent',
  async (_what, one) => {
    const { client, sent } = clientOver(() => ({}), { credentials: one });
    const error = await failureOf(client.authentication.logout());
    expect(error).toMatchObject({ code: 'CREDENTIALS', method: 'GET', path: '/_integration/authn/v1/logout' });
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain('canary');
    expect(sent).toEqual([]);
  },
);

describe('logout and its redirect', () => {
  test('with a location, any redirect is the response', async () => {
    const { client, sent } = clientOver(
      () => new Response('{}', { status: 302, headers: { location: 'https://elsewhere.test/x' } }),
    );
    await client.authentication.logout({ location: 'https://elsewhere.test/x?a=1&b=ü' });
    expect(sent.map(({ query }) => query)).toEqual(['?location=https%3A%2F%2Felsewhere.test%2Fx%3Fa%3D1%26b%3D%C3%BC']);
  });

  test('with a location, the opaque redirect of a browser is the response', async () => {
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    const { client } = clientOver(() => opaque);
    await client.authentication.logout({ location: '/x' });
  });

  test('without a location, a redirect is an error', async () => {
    const { client } = clientOver(
      () => new Response('{}', { status: 302, headers: { location: 'https://elsewhere.test/x' } }),
    );
    expect((await failureOf(client.authentication.logout())).code).toBe('REDIRECT');
  });
});

test('in documented fidelity the service refuses the token after a logout', async () => {
  const mock = await createMock({ now: '2026-11-21T00:00:00Z', users: [{ name: 'alice', password: 'pw' }] });
  const { authentication } = createClient(mock.connection);
  const { token } = await authentication.login({ username: 'alice', password: 'pw' });
  const own = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  await own.authentication.logout();
  expect(await authentication.validate(token)).toMatchObject({ valid: false });
});

test('the next call after a logout begins a session, even in the same second', async () => {
  const mock = await createMock({ now: '2026-11-21T00:00:00Z', users: [{ name: 'alice', password: 'pw' }] });
  const user = { username: 'alice', password: 'pw' };
  const { authentication } = createClient({ ...mock.connection, credentials: credentials.login(user) });
  for (let session = 0; session < 3; session++) {
    expect(await authentication.identity()).toEqual({ user: 'alice' });
    await authentication.logout();
  }
  expect(mock.requests.filter(({ path }) => path.endsWith('/login'))).toHaveLength(3);
});
