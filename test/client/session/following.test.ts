import { describe, expect, test, vi } from 'vitest';
import { createPermissionStore, type UserSession } from '../../../src/client/session/index.ts';
import { createClient, isSignInRequired } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { createPage } from './page.ts';
import { alice, bob, createPlace, createStore, hour, type Place, rest, type TestStore } from './support.ts';

const key = 'arango-services  http://mock.test/_db/_system#place default';
const endsOf = (session: UserSession) => {
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  return ends;
};

/** Tells the tabs something, as another tab does. */
async function tell(text: unknown): Promise<void> {
  const channel = new BroadcastChannel(key);
  channel.postMessage(text);
  await rest();
  channel.close();
}

const recordIn = (store: TestStore) => JSON.parse(store.content.get(key) ?? '{}');
/** Puts a session of another tab into the store. */
async function put(place: Place, store: TestStore, user: string, version: number): Promise<void> {
  const token = await place.issue({ user, lifetime: '1h' });
  store.content.set(key, JSON.stringify({ token, askedAt: Date.now(), signedInAt: Date.now(), version }));
}

async function signedIn() {
  const place = await createPlace({ sidecar: true });
  const store = createStore();
  const session = place.open({ store });
  await session.signIn(alice);
  await rest();
  const client = createClient({ ...place.connection, credentials: session });
  return { place, store, session, client, ends: endsOf(session), now: Date.now() };
}

describe('a tab that is told of a sign-in in another tab', () => {
  test('has no user until the store has the new one, and its calls wait', async () => {
    const { place, store, session, client, ends, now } = await signedIn();
    const seen: unknown[] = [];
    session.on('change', () => seen.push(session.user));
    const permissions = createPermissionStore({ ask: client, session });
    permissions.can('orders:read', 'orders');
    await place.pass(10);
    expect(permissions.can('orders:read', 'orders')).toBe(false);
    await tell(`change ${now + 50}`);
    expect([session.user, session.expiresAt, session.currentToken(), seen]).toEqual([
      undefined,
      undefined,
      undefined,
      [undefined],
    ]);
    expect(permissions.can('orders:read', 'orders')).toBeUndefined();
    const answer = client.authentication.identity();
    await place.pass(1_000);
    expect(place.arrived('/identity')).toBe(0);
    await put(place, store, 'bob', now + 50);
    await place.pass(900);
    expect([session.user, (await answer).user, ends]).toEqual(['bob', 'bob', []]);
  });

  test('is signed out after 2 s without the session in the store, and a later read restores the session', async () => {
    const { place, store, session, client, ends, now } = await signedIn();
    await tell(`change ${now + 50}`);
    const failure = failureOf(client.route('_echo').get());
    await place.pass(1_900);
    expect(ends).toEqual([]);
    await place.pass(200);
    const error = await failure;
    expect([error.code, isSignInRequired(error), ends, session.user]).toEqual([
      'CREDENTIALS',
      true,
      ['lost'],
      undefined,
    ]);
    // The late write of the former session was its own.
    expect(store.content.size).toBe(0);
    await put(place, store, 'bob', now + 50);
    expect((await client.authentication.identity()).user).toBe('bob');
    expect(session.user).toBe('bob');
  });

  test('looks again as soon as the storage changes', async () => {
    const page = createPage();
    const { place, store, session, now } = await signedIn();
    await tell(`change ${now + 50}`);
    await place.pass(1_500);
    await put(place, store, 'bob', now + 50);
    page.dispatch('storage', { key: 'another' });
    await rest();
    expect(session.user).toBeUndefined();
    page.dispatch('storage', { key });
    await rest();
    expect(session.user).toBe('bob');
    store.content.clear();
    page.dispatch('storage', { key: null });
    await rest();
    expect(session.user).toBeUndefined();
  });

  test('adopts a session newer than the announced one, and none that is older', async () => {
    const { place, store, session, now } = await signedIn();
    await tell(`change ${now + 50}`);
    await put(place, store, 'bob', now + 49);
    await place.pass(100);
    expect(session.user).toBeUndefined();
    await put(place, store, 'bob', now + 51);
    await place.pass(500);
    expect(session.user).toBe('bob');
  });

  test('ends at once if a sign-out follows', async () => {
    const { session, ends, now } = await signedIn();
    await tell(`change ${now + 50}`);
    await tell(`end ${now + 60}`);
    expect([session.user, ends]).toEqual([undefined, ['signed-out']]);
  });

  test('goes on during a renewal elsewhere, and adopts the new token', async () => {
    const { place, store, session, ends, now } = await signedIn();
    const token = session.currentToken();
    await tell(`change ${now + 0.5}`);
    expect([session.user, session.currentToken()]).toEqual(['alice', token]);
    await place.pass(1_500);
    await put(place, store, 'alice', now + 0.5);
    await place.pass(1_500);
    expect([session.user, session.currentToken() === token, ends]).toEqual(['alice', false, []]);
    await tell(`change ${now + 0.75}`);
    await place.pass(3_000);
    expect([session.user, ends, recordIn(store).version]).toEqual(['alice', [], now + 0.5]);
  });

  test('keeps a session that no store holds', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    store.set = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const session = place.open({ store });
    await session.signIn(alice);
    await tell(`change ${Date.now() + 50}`);
    await tell(`refused ${Date.now() + 60}`);
    expect(session.user).toBe('alice');
    await tell(`end ${Date.now() + 70}`);
    expect(session.user).toBeUndefined();
  });

  test('replaces a session that no store holds by a newer one in the store', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const { set } = store;
    store.set = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const session = place.open({ store });
    await session.signIn(alice);
    store.set = set;
    const other = place.open({ store });
    await place.pass(10);
    await other.signIn(bob);
    await rest();
    expect([session.user, session.currentToken()]).toEqual(['bob', other.currentToken()]);
  });

  test.each([
    'change',
    'change x',
    'begin 5',
    'end',
    'end -1',
    { kind: 'end' },
    null,
    7,
    'end 1e999',
    `end ${'9'.repeat(400)}`,
    `change ${'9'.repeat(17)}`,
    ' end 9999999999999',
  ])('ignores %o, which is not a message of a tab', async (text) => {
    const { session } = await signedIn();
    await tell(text);
    expect(session.user).toBe('alice');
  });

  test.each(['end 5', 'refused 5', 'change 5'])('ignores %s, which is older than its session', async (text) => {
    const { store, session } = await signedIn();
    await tell(text);
    expect([session.user, store.content.size]).toEqual(['alice', 1]);
  });
});

describe('a hostile page', () => {
  test.each(['change 9999999999999999', 'end 9007199254740993', `change ${'9'.repeat(400)}`])(
    'that sends %s keeps no tab signed in',
    async (text) => {
      const { place, store, session } = await signedIn();
      await tell(text);
      expect(session.user).toBe('alice');
      await put(place, store, 'bob', Date.now() + 50);
      await tell(`change ${Date.now() + 50}`);
      expect(session.user).toBe('bob');
      await session.signOut();
      await session.signIn(alice);
      expect(recordIn(store).version).toBeLessThan(Date.now() + hour);
    },
  );

  test('that announces an end while the store fails ends the session', async () => {
    const { place, store, session, ends } = await signedIn();
    store.get = () => {
      throw new Error('canary');
    };
    expect([await session.restore(), ends]).toEqual([true, []]);
    await tell('end 9999999999999999');
    await place.pass(2_100);
    expect(ends).toEqual(['lost']);
  });

  test('that raises a version keeps no former user', async () => {
    const { place, store, session, now, ends } = await signedIn();
    store.content.set(key, JSON.stringify({ ...recordIn(store), version: now + 1_000 * hour }));
    await tell(`change ${now + 1_000 * hour}`);
    expect(session.user).toBe('alice');
    await put(place, store, 'bob', now + 50);
    await tell(`change ${now + 50}`);
    await place.pass(2_100);
    expect([session.user, ends]).toEqual([undefined, ['lost']]);
  });
});

describe('late writes', () => {
  test('of another tab are replaced by the newer session, which this tab has written', async () => {
    const { place, store, session, now } = await signedIn();
    const { token } = recordIn(store);
    await put(place, store, 'bob', now - 50);
    await tell(`change ${now - 50}`);
    expect([session.user, recordIn(store).token]).toEqual(['alice', token]);
  });

  test('of this tab are removed if the news of a sign-out comes after them', async () => {
    const { store, session, ends, now } = await signedIn();
    await tell(`end ${now + 1}`);
    expect([session.user, ends, store.content.size]).toEqual([undefined, ['signed-out'], 0]);
  });

  test('that removed a new session with an older one are undone, but only soon after the sign-in', async () => {
    const { place, store, session, ends, now } = await signedIn();
    await tell(`end ${now}`);
    store.content.clear();
    expect([await session.restore(), recordIn(store).version]).toEqual([true, now]);
    await place.pass(3_000);
    store.content.clear();
    expect([await session.restore(), ends]).toEqual([false, ['lost']]);
  });

  test('of a renewal do not replace a sign-in that the store shows', async () => {
    const { place, store, session, now } = await signedIn();
    await put(place, store, 'bob', now + 50);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 0.9 * hour);
    session.authorize(undefined as never);
    await rest();
    await place.pass(0);
    clock.mockRestore();
    expect([session.user, recordIn(store).version, place.arrived('/createToken')]).toEqual(['bob', now + 50, 0]);
  });
});

describe('the version of a session', () => {
  test('after a sign-in is higher than that of the former session and than that of a sign-out', async () => {
    const { store, session, now } = await signedIn();
    expect(recordIn(store).version).toBe(now);
    await session.signIn(bob);
    expect(recordIn(store).version).toBe(now + 1);
    await session.signOut();
    await session.signIn(bob);
    expect(recordIn(store).version).toBeGreaterThan(now + 1);
    expect(Number.isInteger(recordIn(store).version)).toBe(true);
  });

  test('after renewals is still below that of a sign-in', async () => {
    const { place, store, session, now } = await signedIn();
    for (let i = 0; i < 3; i++) await place.pass(0.9 * hour);
    expect(session.user).toBe('alice');
    const { version } = recordIn(store);
    expect(version).toBeGreaterThan(now);
    expect(version).toBeLessThan(now + 1);
  });

  test('is the time of the sign-in if the entry in the store has none', async () => {
    const { place, store, session, now } = await signedIn();
    await session.close();
    const { version: _, ...older } = recordIn(store);
    store.content.set(key, JSON.stringify(older));
    const reloaded = place.open({ store });
    expect(await reloaded.restore()).toBe(true);
    await tell(`end ${now}`);
    expect(reloaded.user).toBe('alice');
    await tell(`end ${now + 1}`);
    expect(reloaded.user).toBeUndefined();
  });
});

test('a sign-in with a time in the future counts as one of now', async () => {
  const { place, store, session } = await signedIn();
  await session.close();
  store.content.set(key, JSON.stringify({ ...recordIn(store), signedInAt: Date.now() + 100 * hour }));
  const reloaded = place.open({ store, maxAge: '30m' });
  expect(await reloaded.restore()).toBe(true);
  expect(reloaded.expiresAt).toEqual(new Date(Date.now() + hour / 2));
});
