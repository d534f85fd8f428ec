import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createSession } from '../../../src/client/session/index.ts';
import { createClient, isCredentialsError, isSignInRequired, isWrongPassword } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { alice, bob, createAsyncStore, createPlace, createStore, hour, minute, rest } from './support.ts';

describe('signing in', () => {
  test('gives a client the credentials of the user', async () => {
    const { connection, open } = await createPlace();
    const session = open();
    expect([session.user, session.expiresAt]).toEqual([undefined, undefined]);
    await session.signIn(alice);
    expect(session.user).toBe('alice');
    expect(session.expiresAt).toEqual(new Date('2026-11-21T09:00:00Z'));
    const client = createClient({ ...connection, credentials: session });
    expect(await client.authentication.identity()).toEqual({ user: 'alice' });
    expect((await client.route('_echo').get()).status).toBe(200);
  });

  test('gives the user a name that is not ASCII, too', async () => {
    const { mock, open } = await createPlace();
    const token = await mock.tokens.issue({ user: 'Zoë 🧀' });
    const session = open({ fetch: async () => Response.json({ token }) });
    await session.signIn({ username: 'Zoë 🧀', password: '' });
    expect(session.user).toBe('Zoë 🧀');
  });

  test("rejects with the login's own error, and keeps the former session", async () => {
    const { mock, open } = await createPlace();
    const session = open();
    await session.signIn(alice);
    const refused = await failureOf(session.signIn({ ...bob, password: 'wrong' }));
    expect([refused.code, refused.status, isWrongPassword(refused)]).toEqual(['HTTP', 401, true]);
    mock.fail({ path: '/_login', status: 503 });
    expect(await failureOf(session.signIn(bob))).toMatchObject({ code: 'HTTP', status: 503 });
    mock.fail({ path: '/_login', drop: true });
    expect(await failureOf(session.signIn(bob))).toMatchObject({ code: 'NETWORK' });
    expect(await failureOf(session.signIn({ username: '', password: '' }))).toMatchObject({ field: 'username' });
    expect(session.user).toBe('alice');
  });

  test('refuses a token that names no user', async () => {
    const { mock, open } = await createPlace();
    const token = await mock.tokens.issue({ user: null });
    const session = open({ fetch: async () => Response.json({ token }) });
    const error = await failureOf(session.signIn(alice));
    expect([isCredentialsError(error), error.message]).toEqual([true, 'the login returned no valid token of a user']);
    expect(session.user).toBeUndefined();
  });

  test('is required before a call, which is not sent', async () => {
    const { mock, connection, open } = await createPlace();
    const client = createClient({ ...connection, credentials: open() });
    const error = await failureOf(client.route('_echo').get());
    expect(error.message).toBe('GET /_db/_system/_echo has no credentials: there is no session: sign in');
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([true, false]);
    expect(mock.requests).toHaveLength(0);
  });
});

describe('a reload', () => {
  test.each([
    ['a store', createStore],
    ['an asynchronous store', createAsyncStore],
  ])('with %s keeps the session', async (_name, create) => {
    const { connection, open, pass } = await createPlace();
    const store = create();
    const session = open({ store });
    await session.signIn(alice);
    await session.close();
    await pass(10 * minute);
    const reloaded = open({ store });
    expect(reloaded.user).toBeUndefined();
    expect(await reloaded.restore()).toBe(true);
    expect([reloaded.user, reloaded.expiresAt]).toEqual(['alice', new Date('2026-11-21T09:00:00Z')]);
    const client = createClient({ ...connection, credentials: reloaded });
    expect((await client.authentication.identity()).user).toBe('alice');
  });

  test('loses a session in memory', async () => {
    const { open } = await createPlace();
    const session = open();
    await session.signIn(alice);
    expect(await session.restore()).toBe(true);
    expect(await open().restore()).toBe(false);
  });

  test('after the token has expired restores no session, and empties the store', async () => {
    const { open, pass } = await createPlace();
    const store = createStore();
    const session = open({ store });
    await session.signIn(alice);
    await session.close();
    await pass(hour);
    expect(await open({ store }).restore()).toBe(false);
    expect(store.content.size).toBe(0);
  });

  test.each(['sessionStorage', 'localStorage'] as const)(
    'on a server, which has no %s, keeps the session in memory',
    async (store) => {
      const { open } = await createPlace();
      const session = open({ store });
      expect(await session.restore()).toBe(false);
      await session.signIn(alice);
      expect([session.user, await session.restore()]).toEqual(['alice', true]);
      expect(await session.signOut()).toBe(true);
    },
  );
});

describe('the key of a session in its store', () => {
  test('differs for other names, databases and URLs', async () => {
    const { mock, open } = await createPlace();
    const store = createStore();
    await open({ store }).signIn(alice);
    expect([...store.content.keys()]).toEqual(['arango-services  http://gateway.mock.test/_db/_system#place default']);
    const others = [{ name: 'admin' }, { database: 'shop' }, { url: 'http://other.test/', fetch: mock.fetch }];
    for (const options of others) expect(await open({ store, ...options }).restore()).toBe(false);
    expect(await open({ store, name: 'default', database: '_system' }).restore()).toBe(true);
  });

  test('holds no query', async () => {
    const { open } = await createPlace();
    const store = createStore();
    await open({ store, url: 'http://mock.test/?key=canary' }).signIn(alice);
    expect([...store.content.keys()].join()).not.toContain('canary');
  });
});

describe('signing out', () => {
  test('ends the session here, in the store and at the service', async () => {
    const { mock, connection, open, arrived } = await createPlace();
    const store = createStore();
    const session = open({ store });
    const ends: unknown[] = [];
    session.on('end', (end) => ends.push(end));
    await session.signIn(alice);
    const token = (await Promise.resolve(session.currentToken()))?.replace('Bearer ', '') ?? '';
    expect((await createClient(mock.connection).authentication.validate(token)).valid).toBe(true);
    expect(await session.signOut()).toBe(true);
    expect([session.user, session.expiresAt, store.content.size]).toEqual([undefined, undefined, 0]);
    expect([ends, arrived('/_logout')]).toEqual([[{ reason: 'signed-out' }], 1]);
    expect((await createClient(mock.connection).authentication.validate(token)).valid).toBe(false);
    const client = createClient({ ...connection, credentials: session });
    expect(isSignInRequired(await failureOf(client.route('_echo').get()))).toBe(true);
  });

  test.each([{ status: 503 }, { drop: true }])('empties the store if the service fails: %o', async (fault) => {
    const { mock, open } = await createPlace();
    const store = createStore();
    const session = open({ store });
    await session.signIn(alice);
    mock.fail({ path: '/_logout', ...fault, times: 9 });
    expect(await session.signOut()).toBe(false);
    expect([session.user, store.content.size]).toEqual([undefined, 0]);
  });

  test('twice, or without a session, does nothing', async () => {
    const { open, arrived } = await createPlace();
    const session = open();
    expect(await session.signOut()).toBe(true);
    await session.signIn(alice);
    await Promise.all([session.signOut(), session.signOut()]);
    expect(arrived('/_logout')).toBe(1);
  });

  test('wins over a slower restore', async () => {
    const { open } = await createPlace();
    const store = createAsyncStore();
    const session = open({ store });
    await session.signIn(alice);
    const [restored] = await Promise.all([session.restore(), session.signOut()]);
    await rest();
    expect([restored, session.user, store.content.size]).toEqual([false, undefined, 0]);
  });
});

describe('the listeners of a session', () => {
  test('are called for each change and for the end, until they are removed', async () => {
    const { open } = await createPlace();
    const session = open();
    const heard: unknown[] = [];
    session.on('change', () => {
      throw new Error('of a listener');
    });
    const off = session.on('change', (event) => heard.push(['change', event, session.user]));
    session.on('end', (event) => heard.push(['end', event, session.user]));
    await session.signIn(alice);
    await session.signIn(bob);
    await session.signOut();
    off();
    await session.signIn(alice);
    expect(heard).toEqual([
      ['change', undefined, 'alice'],
      ['change', undefined, 'bob'],
      ['change', undefined, undefined],
      ['end', { reason: 'signed-out' }, undefined],
    ]);
  });
});

describe('the options of a session', () => {
  const url = 'http://mock.test';
  test.each([
    [{}, 'url'],
    [{ url, store: 'cookie' }, 'store'],
    [{ url, store: { get: () => null } }, 'store'],
    [{ url, name: '' }, 'name'],
    [{ url, maxAge: 3 }, 'maxAge'],
    [{ url, maxAge: '0s' }, 'maxAge'],
    [{ url, renew: 'token' }, 'renew'],
    [{ url, credentials: { authorize: () => 'Bearer x' } }, 'credentials'],
    [{ url, stroe: 'memory' }, 'stroe'],
  ])('%o is refused, naming %s', (options, field) => {
    expect(() => createSession(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
  });

  test('a session shows no token', async () => {
    const { open } = await createPlace();
    const session = open({ store: createStore() });
    await session.signIn(alice);
    const token = session.currentToken()?.replace('Bearer ', '') ?? '-';
    const shown = [inspect(session, { depth: 9, showHidden: true }), JSON.stringify(session), String(session)];
    expect(shown.join()).not.toContain(token.slice(0, 12));
  });
});
