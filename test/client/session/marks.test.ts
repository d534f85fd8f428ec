import { describe, expect, test, vi } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { createPage } from './page.ts';
import { alice, bob, createPlace, createStore, minute, rest } from './support.ts';

const mark = 'ended arango-services  http://gateway.mock.test/_db/_system#place default';

describe('the mark of a sign-out', () => {
  test('is a number in localStorage, whatever the store', async () => {
    const { storage } = createPage();
    const place = await createPlace();
    for (const store of ['memory', 'sessionStorage', 'localStorage', createStore()] as const) {
      const session = place.open({ store });
      await session.signIn(alice);
      expect([...storage.keys()].filter((key) => key.startsWith('ended')).length).toBe(store === 'memory' ? 0 : 1);
      await session.signOut();
      expect([...storage]).toEqual([[mark, expect.stringMatching(/^\d+$/)]]);
      await session.close();
    }
  });

  test.each(['memory', 'sessionStorage'] as const)('ends a session in %s that was stopped meanwhile', async (store) => {
    const { dispatch } = createPage({ isDeaf: true });
    const session = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => session.get(key) ?? null,
      setItem: (key: string, value: string) => void session.set(key, value),
      removeItem: (key: string) => void session.delete(key),
    });
    const place = await createPlace();
    const [stopped, other] = [place.open({ store }), place.open({ store: 'localStorage' })];
    const ends: string[] = [];
    stopped.on('end', ({ reason }) => ends.push(reason));
    await stopped.signIn(alice);
    const token = stopped.currentToken()?.slice('Bearer '.length) ?? '';
    dispatch('freeze');
    await place.pass(minute);
    await other.signIn(bob);
    await other.signOut();
    expect(stopped.user).toBe('alice');
    const client = createClient({ ...place.connection, credentials: stopped });
    await expect(client.route('_echo').get()).rejects.toMatchObject({ code: 'CREDENTIALS' });
    await place.pass(0);
    expect([stopped.user, ends, session.size, place.arrived('/_echo')]).toEqual([undefined, ['signed-out'], 0, 0]);
    expect((await createClient(place.mock.connection).authentication.validate(token)).valid).toBe(false);
  });

  test('is noticed when the browser shows the page again', async () => {
    const { storage, dispatch } = createPage({ isDeaf: true });
    const place = await createPlace();
    const session = place.open();
    await session.signIn(alice);
    storage.set(mark, `${Date.now() + 5}`);
    dispatch('pagehide', { persisted: false });
    dispatch('pageshow', { persisted: false });
    await rest();
    expect(session.user).toBe('alice');
    dispatch('pageshow', { persisted: true });
    await rest();
    expect(session.user).toBeUndefined();
  });

  test('is noticed by a call after the browser stopped the page, before any other event', async () => {
    const { storage, dispatch } = createPage({ isDeaf: true });
    const place = await createPlace();
    const session = place.open({ store: 'localStorage' });
    await session.signIn(alice);
    dispatch('pagehide', { persisted: true });
    storage.set(mark, `${Date.now() + 5}`);
    const client = createClient({ ...place.connection, credentials: session });
    await expect(client.route('_echo').get()).rejects.toMatchObject({ code: 'CREDENTIALS' });
    expect([session.user, place.arrived('/_echo'), [...storage.keys()]]).toEqual([undefined, 0, [mark]]);
  });

  test('lets a later sign-in through, and does not end a session that began after it', async () => {
    const { storage, dispatch } = createPage({ isDeaf: true });
    const place = await createPlace();
    storage.set(mark, `${Date.now() + 5_000}`);
    const session = place.open({ store: 'localStorage' });
    await session.signIn(alice);
    dispatch('pageshow', { persisted: true });
    await rest();
    expect(session.user).toBe('alice');
    await session.close();
    const reloaded = place.open({ store: 'localStorage' });
    expect(await reloaded.restore()).toBe(true);
  });

  test('removes what a late write left in the store', async () => {
    const { storage } = createPage({ isDeaf: true });
    const place = await createPlace();
    const session = place.open({ store: 'localStorage' });
    await session.signIn(alice);
    await session.close();
    storage.set(mark, `${Date.now() + 5}`);
    expect(await place.open({ store: 'localStorage' }).restore()).toBe(false);
    expect([...storage.keys()]).toEqual([mark]);
  });

  test.each(['x', '', 'NaN', 'Infinity'])('is ignored if it is damaged: %j', async (text) => {
    const { storage } = createPage({ isDeaf: true });
    const place = await createPlace();
    storage.set(mark, text);
    const session = place.open({ store: 'localStorage' });
    await session.signIn(alice);
    expect([session.user, await session.restore()]).toEqual(['alice', true]);
  });

  test.each(['x', '9'.repeat(16), '1e3'])(
    'ends sessions if it is damaged, until the next sign-in: %j',
    async (text) => {
      const { storage, dispatch } = createPage({ isDeaf: true });
      const place = await createPlace();
      const tabs = [place.open(), place.open({ store: 'localStorage' })] as const;
      for (const tab of tabs) await tab.signIn(alice);
      storage.set(mark, text);
      dispatch('storage', { key: mark });
      await rest();
      expect(tabs.map(({ user }) => user)).toEqual([undefined, undefined]);
      expect(await tabs[1].restore()).toBe(false);
      await tabs[1].signIn(bob);
      expect([await tabs[1].restore(), tabs[1].user, storage.get(mark)]).toEqual([true, 'bob', `${Date.now()}`]);
    },
  );

  test('ends sessions from before the clock was set back, and is never lowered', async () => {
    const { storage } = createPage();
    const place = await createPlace();
    const tabs = [place.open(), place.open({ store: 'localStorage' })] as const;
    for (const tab of tabs) await tab.signIn(alice);
    await rest();
    vi.setSystemTime(Date.now() - 60 * minute);
    await place.open({ store: 'localStorage' }).signOut();
    await rest();
    expect(tabs.map(({ user }) => user)).toEqual([undefined, undefined]);
    expect([...storage.keys()]).toEqual([mark]);
    const before = Number(storage.get(mark));
    vi.setSystemTime(Date.now() - 60 * minute);
    await place.open().signOut();
    expect(Number(storage.get(mark))).toBeGreaterThan(before);
    // Signed in twice, so that the version is above the mark by more than one.
    for (let i = 0; i < 3; i++) await tabs[0].signIn(bob);
    expect(tabs[0].user).toBe('bob');
    await place.open().signOut();
    await rest();
    expect(tabs[0].user).toBeUndefined();
  });

  test('does not exist on a server', async () => {
    const set = vi.fn();
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: set, removeItem: () => undefined });
    const place = await createPlace();
    const session = place.open();
    await session.signIn(alice);
    await session.signOut();
    vi.unstubAllGlobals();
    expect(set).not.toHaveBeenCalled();
  });
});

describe('without BroadcastChannel', () => {
  test('messages to other tabs have an entry of their own, and the session stays in the store', async () => {
    const { storage, dispatch } = createPage();
    vi.stubGlobal('BroadcastChannel', undefined);
    const news: string[] = [];
    const { setItem } = localStorage;
    localStorage.setItem = (key, value) => {
      setItem(key, value);
      if (key.startsWith('news ')) news.push(value);
    };
    const place = await createPlace();
    const tabs = [place.open({ store: 'localStorage' }), place.open({ store: 'localStorage' })] as const;
    await tabs[0].signIn(alice);
    expect([...storage.keys()]).toEqual(['arango-services  http://gateway.mock.test/_db/_system#place default']);
    dispatch('storage', {
      key: 'news arango-services  http://gateway.mock.test/_db/_system#place default',
      newValue: news[0],
    });
    await rest();
    expect(tabs[1].user).toBe('alice');
    await tabs[0].signOut();
    dispatch('storage', {
      key: 'news arango-services  http://gateway.mock.test/_db/_system#place default',
      newValue: news[1],
    });
    await rest();
    expect([tabs[1].user, [...storage.keys()]]).toEqual([undefined, [mark]]);
  });

  test('and without localStorage a session works in its tab', async () => {
    createPage();
    vi.stubGlobal('BroadcastChannel', undefined);
    vi.stubGlobal('localStorage', undefined);
    const place = await createPlace();
    const session = place.open({ store: createStore() });
    await session.signIn(alice);
    expect(session.user).toBe('alice');
    expect(await session.signOut()).toBe(true);
  });
});

test('a read of the mark that ends after a write of this tab does not sign the tab out', async () => {
  const { storage, dispatch } = createPage({ isDeaf: true });
  const held: (() => void)[] = [];
  // Each read of the mark is held; the Shelf waits for promises.
  vi.stubGlobal('localStorage', {
    getItem: (key: string) =>
      key.startsWith('ended') &&
      new Promise<string | null>((resolve) => held.push(() => resolve(storage.get(key) ?? null))),
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key),
  });
  const place = await createPlace();
  const store = createStore();
  const steps: string[] = [];
  const isRecord = (key: string) => !key.startsWith('lease');
  const session = place.open({
    store: {
      ...store,
      get: (key) => {
        if (isRecord(key)) steps.push('read');
        return store.get(key);
      },
      set: (key, value) => {
        if (isRecord(key)) steps.push('write');
        store.set(key, value);
      },
    },
  });
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  const signedIn = session.signIn(alice);
  const readsOfMark = (count: number) => expect.poll(() => held.length).toBe(count);
  // The sign-in has read the store, and waits for the mark before it writes.
  await readsOfMark(1);
  // The page looks at the store, which is still empty, and queues for the mark.
  dispatch('pageshow', { persisted: true });
  await rest();
  expect(steps).toEqual(['read', 'read']);
  held[0]?.();
  await readsOfMark(2);
  await signedIn;
  expect(steps).toEqual(['read', 'read', 'write']);
  // The look has the mark of after the write, and the record of before.
  held[1]?.();
  await rest();
  held[2]?.();
  await rest();
  expect([session.user, ends, store.content.size]).toEqual(['alice', [], 1]);
  expect([held.length, steps]).toEqual([3, ['read', 'read', 'write', 'read']]);
});
