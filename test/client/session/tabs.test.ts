import { describe, expect, test, vi } from 'vitest';
import type { UserSession } from '../../../src/client/session/index.ts';
import { createClient } from '../../../src/index.ts';
import { alice, bob, createAsyncStore, createPlace, createStore, hour, minute, rest } from './support.ts';

const usersOf = (tabs: readonly UserSession[]) => tabs.map(({ user }) => user);
const endsOf = (session: UserSession) => {
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  return ends;
};

describe('tabs that share a store', () => {
  test.each([
    ['a store', createStore],
    ['an asynchronous store', createAsyncStore],
  ])('with %s sign in, change and sign out together', async (_name, create) => {
    const { open, arrived } = await createPlace();
    const store = create();
    const tabs = [open({ store }), open({ store }), open({ store })] as const;
    const ends = tabs.map(endsOf);
    await tabs[0].signIn(alice);
    await rest();
    expect(usersOf(tabs)).toEqual(['alice', 'alice', 'alice']);
    await tabs[1].signIn(bob);
    await rest();
    expect(usersOf(tabs)).toEqual(['bob', 'bob', 'bob']);
    await tabs[2].signOut();
    await rest();
    expect(usersOf(tabs)).toEqual([undefined, undefined, undefined]);
    expect([ends, arrived('/_logout'), store.content.size]).toEqual([
      [['signed-out'], ['signed-out'], ['signed-out']],
      1,
      0,
    ]);
  });

  test('sign in again at once after signing out', async () => {
    const { open } = await createPlace();
    const store = createAsyncStore();
    const tabs = [open({ store }), open({ store })] as const;
    await tabs[0].signIn(alice);
    await rest();
    await Promise.all([tabs[0].signOut(), tabs[0].signIn(bob)]);
    await rest();
    expect([usersOf(tabs), store.content.size]).toEqual([['bob', 'bob'], 1]);
  });

  test('end together after a 401 of one', async () => {
    const { mock, connection, open } = await createPlace();
    const store = createStore();
    const tabs = [open({ store }), open({ store })] as const;
    const ends = tabs.map(endsOf);
    await tabs[0].signIn(alice);
    await rest();
    mock.tokens.revoke(tabs[0].currentToken()?.replace('Bearer ', '') ?? '');
    const client = createClient({ ...connection, credentials: tabs[1] });
    await expect(client.route('_echo').get()).rejects.toMatchObject({ status: 401 });
    await rest();
    expect([usersOf(tabs), ends]).toEqual([
      [undefined, undefined],
      [['refused'], ['refused']],
    ]);
  });

  test('use the token that another tab has renewed, even before they are told', async () => {
    const { mock, connection, open, pass, arrived } = await createPlace({ sidecar: true });
    const store = createStore();
    const [first, second] = [open({ store }), open({ store })];
    await first.signIn(alice);
    await rest();
    const before = second.currentToken();
    const post = vi.spyOn(BroadcastChannel.prototype, 'postMessage').mockImplementation(() => undefined);
    await second.close();
    await pass(0.9 * hour);
    post.mockRestore();
    expect([arrived('/createToken'), second.currentToken()]).toEqual([1, before]);
    mock.tokens.revoke(before?.replace('Bearer ', '') ?? '');
    const client = createClient({ ...connection, credentials: second });
    expect((await client.route('_echo').get()).status).toBe(200);
    expect(second.currentToken()).toBe(first.currentToken());
  });

  test.each([
    ['Web Locks', true, 1],
    ['a lease in the store, for engines without them', false, 1],
  ])('renew once, by %s', async (_name, hasLocks, most) => {
    if (!hasLocks) vi.stubGlobal('navigator', {});
    expect(globalThis.navigator.locks !== undefined).toBe(hasLocks);
    try {
      const { open, pass, passUntil, arrived } = await createPlace({ sidecar: true });
      const store = createStore();
      const tabs = Array.from({ length: 10 }, () => open({ store }));
      // A lease takes a moment.
      await passUntil(tabs[0]?.signIn(alice) ?? Promise.resolve());
      await rest();
      const first = tabs[0]?.currentToken();
      // All of them are asked at once, long after the time of the renewal: no timer has fired.
      vi.setSystemTime(Date.now() + 0.9 * hour);
      const now = performance.now() + 0.9 * hour;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
      for (const tab of tabs) tab.authorize(undefined as never);
      for (let i = 0; i < 100; i++) await pass(50);
      clock.mockRestore();
      expect(arrived('/createToken')).toBeLessThanOrEqual(most);
      expect(new Set(tabs.map((tab) => tab.currentToken())).size).toBe(1);
      expect(tabs[0]?.currentToken()).not.toBe(first);
      expect(store.content.size).toBe(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('take over the lease of a tab that was closed', async () => {
    vi.stubGlobal('navigator', {});
    try {
      const { open, pass, passUntil, arrived } = await createPlace({ sidecar: true });
      const store = createStore();
      const session = open({ store });
      await passUntil(session.signIn(alice));
      await pass(0.7 * hour);
      store.set(`lease ${[...store.content.keys()].join()}`, `0.5 ${Date.now() + 10 * minute}`);
      await pass(0.2 * hour);
      expect([session.user, arrived('/createToken'), store.content.size]).toEqual(['alice', 1, 1]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('tabs with a session each', () => {
  test('sign out together, and each ends its own at the service', async () => {
    vi.stubGlobal('document', {});
    try {
      const { mock, open } = await createPlace();
      const tabs = [open(), open({ store: 'sessionStorage' }), open({ store: createStore() })] as const;
      await Promise.all([tabs[0].signIn(alice), tabs[1].signIn(bob), tabs[2].signIn(alice)]);
      await rest();
      expect(usersOf(tabs)).toEqual(['alice', 'bob', 'alice']);
      const tokens = tabs.map((tab) => tab.currentToken()?.replace('Bearer ', '') ?? '');
      await tabs[0].signOut();
      await rest();
      expect(usersOf(tabs)).toEqual([undefined, undefined, undefined]);
      const { authentication } = createClient(mock.connection);
      const valid = await Promise.all(
        tokens.slice(0, 2).map(async (token) => (await authentication.validate(token)).valid),
      );
      expect(valid).toEqual([false, false]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('of other names are left alone', async () => {
    vi.stubGlobal('document', {});
    try {
      const { open } = await createPlace();
      const tabs = [open(), open({ name: 'admin' })] as const;
      await Promise.all([tabs[0].signIn(alice), tabs[1].signIn(bob)]);
      await tabs[0].signOut();
      await rest();
      expect(usersOf(tabs)).toEqual([undefined, 'bob']);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('on a server, in memory, are sessions of different users', async () => {
    const { open } = await createPlace();
    const sessions = [open(), open()] as const;
    await Promise.all([sessions[0].signIn(alice), sessions[1].signIn(bob)]);
    await sessions[0].signOut();
    await rest();
    expect(usersOf(sessions)).toEqual([undefined, 'bob']);
  });
});

describe('news between tabs', () => {
  test('is a word and a version', async () => {
    const { open, pass } = await createPlace({ sidecar: true });
    const store = createStore();
    const heard: unknown[] = [];
    const key = 'arango-services  http://mock.test/_db/_system#place default';
    const spy = new BroadcastChannel(key);
    spy.onmessage = (event) => void heard.push((event as MessageEvent).data);
    const tab = open({ store });
    await tab.signIn(alice);
    await pass(0.9 * hour);
    await tab.signOut();
    await rest();
    spy.close();
    expect(heard).toEqual(['change', 'change', 'end'].map((kind) => expect.stringMatching(`^${kind} [\\d.]+$`)));
  });

  test('is a storage event if there is no BroadcastChannel', async () => {
    const page = new EventTarget();
    const written: string[] = [];
    const localStorage = {
      setItem: (key: string, newValue: string) => {
        written.push(newValue);
        page.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));
      },
      removeItem: (key: string) => page.dispatchEvent(Object.assign(new Event('storage'), { key, newValue: null })),
    };
    const { BroadcastChannel: channel } = globalThis;
    Reflect.deleteProperty(globalThis, 'BroadcastChannel');
    vi.stubGlobal('localStorage', localStorage);
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
    try {
      const { open } = await createPlace();
      const store = createStore();
      const tabs = [open({ store }), open({ store })] as const;
      await tabs[0].signIn(alice);
      await rest();
      expect(usersOf(tabs)).toEqual(['alice', 'alice']);
      await tabs[1].signOut();
      await rest();
      expect(usersOf(tabs)).toEqual([undefined, undefined]);
      expect(written.map((text) => text.replace(/ [\d.]+$/, ''))).toEqual(['change', 'end']);
      await tabs[0].close();
      await tabs[1].signIn(alice);
      await rest();
      expect(usersOf(tabs)).toEqual([undefined, 'alice']);
    } finally {
      vi.unstubAllGlobals();
      globalThis.BroadcastChannel = channel;
    }
  });

  test('is not sent after close', async () => {
    const { open } = await createPlace();
    const store = createStore();
    const tabs = [open({ store }), open({ store })] as const;
    await tabs[0].close();
    await tabs[1].signIn(alice);
    await rest();
    expect(tabs[0].user).toBeUndefined();
  });
});
