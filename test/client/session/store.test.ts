import { describe, expect, test, vi } from 'vitest';
import type { SessionStore, UserSession } from '../../../src/client/session/index.ts';
import { createClient, isHttpError, isSignInRequired } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { createPage } from './page.ts';
import { alice, createPlace, createStore, hour, type Place, rest } from './support.ts';

const blocked = (): never => {
  throw new DOMException('The operation is insecure: canary', 'SecurityError');
};
const late = () => Promise.reject(new Error('canary'));

/** Puts a token into a store, as the page of an earlier day might have. */
async function storing(place: Place, token: string, askedAt = Date.now()) {
  const store = createStore();
  await place.open({ store, name: 'other' }).signIn(alice);
  const key = [...store.content.keys()].join().replace('other', 'default');
  store.content.clear();
  store.content.set(key, JSON.stringify({ token, askedAt, signedInAt: askedAt }));
  return { store, key };
}

describe('a store that throws', () => {
  test.each<[string, SessionStore]>([
    ['always', { get: blocked, set: blocked, delete: blocked }],
    ['always, and later', { get: late, set: late, delete: late }],
    ['when written to, as one that is full', { get: () => null, set: blocked, delete: () => undefined }],
    ['when read', { get: blocked, set: () => undefined, delete: () => undefined }],
  ])('%s leaves the session in memory', async (_name, store) => {
    const place = await createPlace({ sidecar: true });
    const [session, other] = [place.open({ store }), place.open({ store })];
    expect(await session.restore()).toBe(false);
    await session.signIn(alice);
    await rest();
    expect([session.user, await session.restore(), other.user]).toEqual(['alice', true, undefined]);
    await place.pass(0.9 * hour);
    expect(session.expiresAt?.getTime()).toBeGreaterThan(Date.parse('2026-11-21T09:40:00Z'));
    const client = createClient({ ...place.connection, credentials: session });
    expect((await client.route('_echo').get()).status).toBe(200);
    expect(await session.signOut()).toBe(true);
    expect(session.user).toBeUndefined();
  });

  test('does not keep the session of the user before', async () => {
    const place = await createPlace();
    const store = createStore();
    const session = place.open({ store });
    await session.signIn(alice);
    store.set = blocked;
    await session.signIn({ username: 'bob', password: 'canary-of-bob' });
    expect([session.user, store.content.size]).toEqual(['bob', 0]);
  });
});

describe('a damaged store', () => {
  test.each([
    ['an empty text', ''],
    ['half of the text', '{"token":"eyJ'],
    ['null', 'null'],
    ['a token by itself', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln'],
    ['a token without times', '{"token":"eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}'],
    ['times that are not numbers', '{"token":"a.b.c","askedAt":"now","signedInAt":"now"}'],
    ['no token', '{"askedAt":1,"signedInAt":1}'],
    ['a token of other characters', `{"token":"a.b\\n.c","askedAt":1,"signedInAt":1}`],
    ['a token that is too long', JSON.stringify({ token: `a.${'b'.repeat(20_000)}.c`, askedAt: 1, signedInAt: 1 })],
    ['a number', 5 as never],
  ])('with %s has no session', async (_name, text) => {
    const place = await createPlace();
    const { store, key } = await storing(place, '');
    store.content.set(key, text);
    const session = place.open({ store });
    expect(await session.restore()).toBe(false);
    expect([session.user, store.content.size]).toEqual([undefined, 0]);
  });

  test.each([
    { askedAt: 'now' },
    { askedAt: null },
    { signedInAt: '1' },
    { version: '5' },
    { version: null },
    { token: 7 },
  ])('with a valid token beside %o has no session', async (damage) => {
    const place = await createPlace();
    const { store, key } = await storing(place, await place.issue({ user: 'alice' }));
    store.content.set(key, JSON.stringify({ ...JSON.parse(store.content.get(key) ?? ''), ...damage }));
    expect(await place.open({ store }).restore()).toBe(false);
    expect(store.content.size).toBe(0);
  });

  test.each([
    ['damaged', (store: ReturnType<typeof createStore>, key: string) => store.set(key, 'x')],
    ['emptied', (store: ReturnType<typeof createStore>, key: string) => store.delete(key)],
  ])('ends the session that uses it at its renewal: %s', async (_name, damage) => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const ends: unknown[] = [];
    session.on('end', (end) => ends.push(end));
    await session.signIn(alice);
    damage(store, [...store.content.keys()].join());
    await place.pass(0.9 * hour);
    expect([session.user, ends, place.arrived('/createToken')]).toEqual([undefined, [{ reason: 'lost' }], 0]);
  });
});

describe('a token in a store', () => {
  const echo = (place: Place, session: UserSession) =>
    createClient({ ...place.connection, credentials: session })
      .route('_echo')
      .get();

  test("of another user shows that user, and calls with that user's permissions", async () => {
    const place = await createPlace({ sidecar: true });
    const { store } = await storing(place, await place.mock.tokens.issue({ user: 'bob' }));
    const session = place.open({ store });
    expect([await session.restore(), session.user]).toEqual([true, 'bob']);
    const client = createClient({ ...place.connection, credentials: session });
    expect(await client.authentication.identity()).toEqual({ user: 'bob' });
    await place.pass(0.9 * hour);
    expect(place.mock.requests.find({ path: '/createToken' })?.body).toMatchObject({ user: 'bob' });
  });

  test('that is forged ends the session with the first 401, and is not renewed', async () => {
    const place = await createPlace();
    const { store } = await storing(place, await place.mock.tokens.forge({ user: 'root', wrongKey: true }));
    const session = place.open({ store });
    const ends: unknown[] = [];
    session.on('end', (end) => ends.push(end));
    expect([await session.restore(), session.user]).toEqual([true, 'root']);
    const error = await failureOf(echo(place, session));
    expect([isHttpError(error) && error.status, isSignInRequired(error)]).toEqual([401, true]);
    expect([session.user, ends, store.content.size]).toEqual([undefined, [{ reason: 'refused' }], 0]);
    expect(place.arrived('/createToken')).toBe(0);
    expect(isSignInRequired(await failureOf(echo(place, session)))).toBe(true);
    expect(place.arrived('/_echo')).toBe(1);
  });

  test('that is forged ends the session with the first question about self, too', async () => {
    const place = await createPlace({ sidecar: true });
    const { store } = await storing(place, await place.mock.tokens.forge({ user: 'root', wrongKey: true }));
    const session = place.open({ store });
    await session.restore();
    const client = createClient({ ...place.connection, credentials: session });
    const question = { self: true, action: 'orders:read', resource: 'orders' } as const;
    expect(isSignInRequired(await failureOf(client.authorization.evaluate(question)))).toBe(true);
    expect(session.user).toBeUndefined();
  });

  test('of a superuser, which names no user, is not used', async () => {
    const place = await createPlace();
    const { store } = await storing(place, await place.mock.tokens.issue({ user: null }));
    expect(await place.open({ store }).restore()).toBe(false);
  });
});

test('names are kept apart, whatever characters they have', async () => {
  const place = await createPlace();
  const store = createStore();
  const { storage } = createPage();
  const names = ['default', 'ended', 'default ended', 'default lease', 'default news', 'renewal', 'default renewal'];
  for (const own of [store, 'localStorage'] as const) {
    vi.stubGlobal('navigator', {});
    const sessions = names.map((name) => place.open({ store: own, name }));
    for (const session of sessions) await place.passUntil(session.signIn(alice));
    await rest();
    await place.passUntil(Promise.resolve(sessions[0]?.signOut()));
    await rest();
    expect(sessions.map(({ user }) => user)).toEqual([undefined, ...names.slice(1).map(() => 'alice')]);
    expect([store, storage].map((one) => ('content' in one ? one.content : one).size)).toEqual(
      own === store ? [names.length - 1, 1] : [names.length - 1, names.length],
    );
  }
});
