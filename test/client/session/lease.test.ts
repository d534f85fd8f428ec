import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { alice, bob, createPlace, createStore, hour, minute, type Place, rest } from './support.ts';

const key = 'arango-services  http://mock.test/_db/_system#place default';

beforeEach(() => {
  vi.stubGlobal('navigator', {});
  onTestFinished(() => void vi.unstubAllGlobals());
});

/** A store in which another tab holds the lease for renewals. */
async function renewing(place: Place) {
  const store = createStore();
  const session = place.open({ store });
  await place.passUntil(session.signIn(alice));
  await place.pass(0.7 * hour);
  const read = store.get;
  store.get = (name) => (name.startsWith('lease renewal ') ? `0.5 ${Date.now()}` : read(name));
  const get = vi.spyOn(store, 'get');
  const looks = () => get.mock.calls.filter(([name]) => name.startsWith('lease renewal ')).length;
  while (looks() < 3) await place.pass(50);
  return { session, get, looks };
}

describe('a tab without Web Locks', () => {
  test('leaves no lease behind', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    await place.passUntil(session.signIn(alice));
    expect([...store.content.keys()]).toEqual([key]);
    await place.passUntil(session.signOut());
    expect(store.content.size).toBe(0);
  });

  test('takes the lease before it writes, and a little later than another tab could have', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    while (store.content.size === 0) await rest();
    expect([...store.content.keys()]).toEqual([`lease ${key}`]);
    await vi.advanceTimersByTimeAsync(49);
    await rest();
    expect([...store.content.keys()]).toEqual([`lease ${key}`]);
    await place.passUntil(signedIn);
    expect([...store.content.keys()]).toEqual([key]);
  });

  test('waits for the lease of another, and begins once that is gone', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    store.content.set(`lease ${key}`, `0.5 ${Date.now()}`);
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(session.user).toBe('alice'));
    await place.pass(2_000);
    expect([...store.content.keys()]).toEqual([`lease ${key}`]);
    store.content.delete(`lease ${key}`);
    await place.passUntil(signedIn);
    expect([...store.content.keys()]).toEqual([key]);
  });

  test.each([29_000, -29_000])(
    'waits no longer than 5 s for one of %i ms ago, which it does not remove',
    async (ago) => {
      const place = await createPlace({ sidecar: true });
      const store = createStore();
      store.content.set(`lease ${key}`, `0.5 ${Date.now() - ago}`);
      const session = place.open({ store });
      const startedAt = Date.now();
      await place.passUntil(session.signIn(alice));
      const waited = Date.now() - startedAt;
      expect(waited).toBeGreaterThan(ago > 0 ? 900 : 4_900);
      expect(waited).toBeLessThan(6_000);
      expect(store.content.has(key)).toBe(true);
      expect(store.content.has(`lease ${key}`)).toBe(ago < 0);
    },
  );

  test('signs in at once if writes fail', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    store.set = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const session = place.open({ store });
    await session.signIn(alice);
    await session.signIn(bob);
    expect([session.user, store.content.size]).toEqual(['bob', 0]);
  });

  test('does not poll for ever if the store loses what is written', async () => {
    const place = await createPlace({ sidecar: true });
    const get = vi.fn(() => undefined);
    const session = place.open({ store: { get, set: () => undefined, delete: () => undefined } });
    await place.passUntil(session.signIn(alice));
    expect(session.user).toBe('alice');
    const reads = get.mock.calls.length;
    await place.pass(5_000);
    expect(get.mock.calls.length).toBe(reads);
  });

  test.each([
    ['close()', (place: Place, session: ReturnType<Place['open']>) => place.passUntil(session.close())],
    ['signOut()', (place: Place, session: ReturnType<Place['open']>) => place.passUntil(session.signOut())],
  ])('stops waiting for a renewal with %s', async (_name, end) => {
    const place = await createPlace({ sidecar: true });
    const { session, get } = await renewing(place);
    await end(place, session);
    get.mockClear();
    await place.pass(5_000);
    expect([get.mock.calls, place.arrived('/createToken')]).toEqual([[], 0]);
  });

  test('backs off if another keeps the lease for renewals', async () => {
    const place = await createPlace({ sidecar: true });
    const { session, looks } = await renewing(place);
    await place.pass(25_000);
    const looksOfAnAttempt = looks();
    await place.pass(8 * minute);
    expect(session.user).toBe('alice');
    // Without a pause there would be 16 attempts; jitter makes it 12 or 13.
    expect(looks()).toBeLessThan(14.5 * looksOfAnAttempt);
  });

  test('gives up the lease of a renewal that hangs, once the user signs out', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store, renew: () => new Promise(() => undefined) });
    await place.passUntil(session.signIn(alice));
    await place.pass(0.84 * hour);
    const lease = () => store.content.has(`lease renewal ${key}`);
    while (!lease()) await place.pass(50);
    await place.passUntil(session.signOut());
    await rest();
    expect([lease(), store.content.size]).toEqual([false, 0]);
  });
});

describe('a tab with Web Locks', () => {
  test('uses a lease if the page may not request locks', async () => {
    const request = vi.fn(() => Promise.reject(new DOMException('no origin', 'SecurityError')));
    vi.stubGlobal('navigator', { locks: { request } });
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(store.content.has(`lease ${key}`)).toBe(true));
    await place.passUntil(signedIn);
    expect([request.mock.calls.length, store.content.size]).toEqual([1, 1]);
  });

  test('goes on without the lock after 5 s', async () => {
    vi.unstubAllGlobals();
    const place = await createPlace({ sidecar: true });
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    void navigator.locks.request(key, () => held);
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(session.user).toBe('alice'));
    await place.pass(4_000);
    expect(store.content.size).toBe(0);
    await place.passUntil(signedIn);
    free();
    expect([...store.content.keys()]).toEqual([key]);
  });

  test('follows others after its renewal got the lock before its sign-in, as leases allow', async () => {
    let grant = (): void => undefined;
    const granted = new Promise<void>((resolve) => {
      grant = resolve;
    });
    let requests = 0;
    const request = async (name: string, _options: object, work: () => Promise<void>) => {
      if (name === key && requests++ === 0) await granted;
      return work();
    };
    vi.stubGlobal('navigator', { locks: { request } });
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(session.user).toBe('alice'));
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 0.9 * hour);
    session.authorize(undefined as never);
    clock.mockRestore();
    await place.pass(1_000);
    grant();
    await signedIn;
    await place.pass(1_000);
    const token = await place.issue({ user: 'bob', lifetime: '1h' });
    const now = Date.now();
    store.content.set(key, JSON.stringify({ token, askedAt: now, signedInAt: now, version: now + 50 }));
    expect([await session.restore(), session.user]).toEqual([true, 'bob']);
  });
});
