import { describe, expect, test, vi } from 'vitest';
import type { SessionStore, UserSession } from '../../../src/client/session/index.ts';
import { createClient, isCredentialsError, isHttpError, isSignInRequired } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { createPage } from './page.ts';
import { alice, bob, createAsyncStore, createPlace, createStore, hour, minute, type Place, rest } from './support.ts';

const endsOf = (session: UserSession) => {
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  return ends;
};
const tokenOf = (session: UserSession) => session.currentToken()?.replace('Bearer ', '') ?? '';
const isValid = async ({ mock }: Place, token: string) =>
  (await createClient(mock.connection).authentication.validate(token)).valid;

/** A fetch that holds back the answers of a path until they are let go, by the order of their requests. */
function holding(place: Place, path: string) {
  const held: (() => void)[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    const answer = await place.fetch(url, init);
    if (url.endsWith(path)) await new Promise<void>((resolve) => held.push(resolve));
    return answer;
  };
  return { fetch, held };
}

describe('a sign-in whose answer is late', () => {
  test('does not undo a later sign-out, and its token is logged out', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/login');
    const store = createStore();
    const session = place.open({ store, fetch });
    const failure = failureOf(session.signIn(alice));
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await session.signOut();
    held[0]?.();
    const error = await failure;
    expect([isCredentialsError(error), isSignInRequired(error)]).toEqual([true, false]);
    await vi.waitFor(() => expect(place.arrived('/logout')).toBe(1));
    expect([session.user, store.content.size]).toEqual([undefined, 0]);
  });

  test('does not replace the user of a later sign-in', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/login');
    const session = place.open({ fetch });
    const first = failureOf(session.signIn(alice));
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const second = session.signIn(bob);
    await vi.waitFor(() => expect(held).toHaveLength(2));
    held[1]?.();
    await second;
    held[0]?.();
    expect(isCredentialsError(await first)).toBe(true);
    expect(session.user).toBe('bob');
  });

  test('takes effect if the later one failed', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/login');
    const session = place.open({ fetch });
    const first = session.signIn(alice);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const second = failureOf(session.signIn({ ...bob, password: 'wrong' }));
    await vi.waitFor(() => expect(held).toHaveLength(2));
    held[1]?.();
    expect(isHttpError(await second)).toBe(true);
    held[0]?.();
    await first;
    expect(session.user).toBe('alice');
  });

  test('replaces a session whose renewal is in flight, and drops that renewal', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/createToken');
    const store = createStore();
    const session = place.open({ store, fetch });
    await session.signIn(alice);
    // As a throttled page: no timer fires.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 0.9 * hour);
    session.authorize(undefined as never);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await session.signIn(bob);
    const token = session.currentToken();
    held[0]?.();
    await rest();
    clock.mockRestore();
    expect([session.user, session.currentToken(), store.content.size]).toEqual(['bob', token, 1]);
  });
});

describe('a restore whose store is late', () => {
  async function reloaded() {
    const place = await createPlace({ sidecar: true });
    const store = createAsyncStore();
    const before = place.open({ store });
    await before.signIn(alice);
    return { place, store, before, token: tokenOf(before) };
  }

  test('does not undo a sign-out', async () => {
    const { place, store, before } = await reloaded();
    await before.close();
    const session = place.open({ store });
    const restored = session.restore();
    expect(await session.signOut()).toBe(true);
    expect([await restored, session.user, store.content.size]).toEqual([false, undefined, 0]);
  });

  test('does not undo the sign-out of another tab', async () => {
    const { place, store, before } = await reloaded();
    const session = place.open({
      store: {
        ...store,
        // The text is read before the other tab signs out, and arrives after.
        get: async (key) => {
          const text = await store.get(key);
          await rest();
          await rest();
          return text;
        },
      },
    });
    const restored = session.restore();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await before.signOut();
    expect([await restored, session.user]).toEqual([false, undefined]);
  });

  test('does not undo a sign-in', async () => {
    const { place, store, before } = await reloaded();
    await before.close();
    const session = place.open({ store });
    let answer = (): void => undefined;
    const get = vi.spyOn(store, 'get').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = () => resolve([...store.content.values()][0]);
        }),
    );
    const restored = session.restore();
    await vi.waitFor(() => expect(get).toHaveBeenCalled());
    const signedIn = session.signIn(bob);
    await vi.waitFor(() => expect(session.user).toBe('bob'));
    answer();
    await signedIn;
    expect([await restored, session.user]).toEqual([true, 'bob']);
  });

  test('does not come before a sign-out: signOut alone revokes the stored token and empties the store', async () => {
    const { place, store, before, token } = await reloaded();
    await before.close();
    expect(await isValid(place, token)).toBe(true);
    expect(await place.open({ store }).signOut()).toBe(true);
    expect([await isValid(place, token), store.content.size]).toEqual([false, 0]);
  });
});

describe('a store that never answers', () => {
  const never = () => new Promise<never>(() => undefined);
  const settled = async (place: Place, work: Promise<unknown>) => {
    let result: unknown = 'waiting';
    void work.then((value) => {
      result = value;
    });
    await place.pass(30_000);
    return result;
  };

  test.each<[string, SessionStore]>([
    ['at all', { get: never, set: never, delete: never }],
    ['when written to', { get: () => null, set: never, delete: () => undefined }],
  ])('%s leaves the session in memory', async (_name, store) => {
    const place = await createPlace({ sidecar: true });
    const session = place.open({ store });
    expect(await settled(place, session.restore())).toBe(false);
    expect(await settled(place, session.signIn(alice))).toBeUndefined();
    const token = tokenOf(session);
    expect(session.user).toBe('alice');
    expect(await settled(place, session.signOut())).toBe(true);
    expect([session.user, await isValid(place, token)]).toEqual([undefined, false]);
  });

  test('in time does not write after a later delete', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    let answer = (): void => undefined;
    const slow: SessionStore = {
      ...store,
      set: (key, value) =>
        new Promise<void>((resolve) => {
          answer = () => resolve(store.set(key, value));
        }),
    };
    const session = place.open({ store: slow });
    await settled(place, session.signIn(alice));
    await settled(place, session.signOut());
    answer();
    await rest();
    expect(store.content.size).toBe(0);
  });
});

describe('a call of one user', () => {
  test('is not repeated as another who signed in before its 401 arrived', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/_echo');
    const session = place.open();
    await session.signIn(alice);
    const token = tokenOf(session);
    place.mock.tokens.revoke(token);
    const client = createClient({ ...place.connection, fetch, credentials: session });
    const failure = failureOf(client.route('_echo').post({ amount: 5 }));
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await session.signIn(bob);
    held[0]?.();
    expect(await failure).toMatchObject({ status: 401 });
    expect([session.user, place.arrived('/_echo')]).toEqual(['bob', 1]);
  });

  test('is repeated as the same user, who signed in again', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/_echo');
    const session = place.open();
    await session.signIn(alice);
    place.mock.tokens.revoke(tokenOf(session));
    const client = createClient({ ...place.connection, fetch, credentials: session });
    const answer = client.route('_echo').post({ amount: 5 });
    await vi.waitFor(() => expect(held).toHaveLength(1));
    // Tokens of the same second are the same.
    await place.pass(2_000);
    await session.signIn(alice);
    held[0]?.();
    await vi.waitFor(() => expect(held).toHaveLength(2));
    held[1]?.();
    expect((await answer).status).toBe(200);
  });

  test('is not retried as another after an outage', async () => {
    const place = await createPlace({ sidecar: true });
    const { fetch, held } = holding(place, '/_echo');
    const session = place.open();
    await session.signIn(alice);
    place.mock.fail({ path: '/_echo', status: 503 });
    const client = createClient({ ...place.connection, fetch, credentials: session, retry: 2 });
    const failure = failureOf(client.route('_echo').get());
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await session.signIn(bob);
    held[0]?.();
    await place.pass(minute);
    const error = await failure;
    expect([isCredentialsError(error), isSignInRequired(error), place.arrived('/_echo')]).toEqual([true, false, 1]);
  });
});

describe('a page that comes back from the back/forward cache', () => {
  /** A window that hears nothing while it is away. */
  function openPage() {
    const { dispatch } = createPage({ isDeaf: true });
    return (persisted: boolean) => dispatch('pageshow', { persisted });
  }

  test('rereads its store, and notices a sign-out', async () => {
    const show = openPage();
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const ends = endsOf(session);
    await session.signIn(alice);
    store.content.clear();
    show(false);
    await rest();
    expect(session.user).toBe('alice');
    show(true);
    await rest();
    expect([session.user, ends]).toEqual([undefined, ['lost']]);
  });

  test('adopts the user whose session its store holds now', async () => {
    const show = openPage();
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const [session, other] = [place.open({ store }), place.open({ store })];
    await session.signIn(alice);
    await other.signIn(bob);
    await rest();
    expect(session.user).toBe('alice');
    show(true);
    await rest();
    expect(session.user).toBe('bob');
    await session.close();
    await other.signIn(alice);
    show(true);
    await rest();
    expect(session.user).toBe('bob');
  });

  test('ends an expired session, before its timers fire', async () => {
    const show = openPage();
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    const ends = endsOf(session);
    await session.signIn(alice);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * hour);
    show(true);
    await rest();
    clock.mockRestore();
    expect(ends).toEqual(['expired']);
  });
});

test('a page that is stopped while it reads its store reads it again before its first call', async () => {
  const place = await createPlace({ sidecar: true });
  const store = createAsyncStore();
  // Opened before the page, which is stopped without it.
  const other = place.open({ store });
  const { dispatch } = createPage({ isDeaf: true });
  const held: (() => void)[] = [];
  let isHeld = false;
  const get = async (key: string) => {
    const text = await store.get(key);
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    return text;
  };
  const session = place.open({ store: { ...store, get } });
  await session.signIn(alice);
  const client = createClient({ ...place.connection, credentials: session });
  isHeld = true;
  dispatch('freeze');
  dispatch('resume');
  await vi.waitFor(() => expect(held).toHaveLength(1));
  dispatch('freeze');
  await place.pass(1_000);
  await other.signIn(bob);
  dispatch('resume');
  // What was read before the second stop.
  held[0]?.();
  await vi.waitFor(() => expect(held).toHaveLength(2));
  const answer = client.authentication.identity();
  await rest();
  isHeld = false;
  for (const resolve of held) resolve();
  expect((await answer).user).toBe('bob');
});

test('a sign-in of another tab after a sign-out that waits for the lock remains', async () => {
  const place = await createPlace({ sidecar: true });
  const store = createStore();
  const [session, other] = [place.open({ store }), place.open({ store })];
  await session.signIn(alice);
  await rest();
  const key = [...store.content.keys()].join();
  let free = (): void => undefined;
  void navigator.locks.request(
    key,
    () =>
      new Promise<void>((resolve) => {
        free = resolve;
      }),
  );
  const signedOut = session.signOut();
  await rest();
  expect(other.user).toBeUndefined();
  await place.pass(1_000);
  // Its write does not wait for the lock.
  const token = await place.issue({ user: 'bob', lifetime: '1h' });
  const now = Date.now();
  store.set(key, JSON.stringify({ token, askedAt: now, signedInAt: now, version: now }));
  await place.pass(100);
  free();
  expect([await signedOut, await session.restore(), session.user, store.content.size]).toEqual([true, true, 'bob', 1]);
});

test('two sessions of the same store and name in one page are one session', async () => {
  const place = await createPlace({ sidecar: true });
  const store = createStore();
  const sessions = [place.open({ store }), place.open({ store })] as const;
  await sessions[0].signIn(alice);
  await rest();
  await place.pass(0.9 * hour);
  expect([place.arrived('/createToken'), sessions.map(({ user }) => user)]).toEqual([1, ['alice', 'alice']]);
  expect(sessions[0].currentToken()).toBe(sessions[1].currentToken());
  await sessions[1].signOut();
  await rest();
  expect([sessions.map(({ user }) => user), store.content.size]).toEqual([[undefined, undefined], 0]);
});
