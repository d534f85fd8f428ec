import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { alice, bob, createPlace, createStore, hour, type Place, rest } from './support.ts';

const key = 'arango-services  http://mock.test/_db/_system default';

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
  store.get = (name) => (name.endsWith(' renewal lease') ? `0.5 ${Date.now()}` : read(name));
  await place.pass(0.2 * hour - 5_000);
  const get = vi.spyOn(store, 'get');
  await place.pass(5_000);
  return { store, session, get };
}

describe('a tab without Web Locks', () => {
  test('leaves no lease behind', async () => {
    const place = await createPlace();
    const store = createStore();
    const session = place.open({ store });
    await place.passUntil(session.signIn(alice));
    expect([...store.content.keys()]).toEqual([key]);
    await place.passUntil(session.signOut());
    expect(store.content.size).toBe(0);
  });

  test('takes the lease before it writes, and a little later than another tab could have', async () => {
    const place = await createPlace();
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    while (store.content.size === 0) await rest();
    expect([...store.content.keys()]).toEqual([`${key} lease`]);
    await vi.advanceTimersByTimeAsync(49);
    await rest();
    expect([...store.content.keys()]).toEqual([`${key} lease`]);
    await place.passUntil(signedIn);
    expect([...store.content.keys()]).toEqual([key]);
  });

  test('waits for the lease of another, and begins once that is gone', async () => {
    const place = await createPlace();
    const store = createStore();
    store.content.set(`${key} lease`, `0.5 ${Date.now()}`);
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(session.user).toBe('alice'));
    await place.pass(2_000);
    expect([...store.content.keys()]).toEqual([`${key} lease`]);
    store.content.delete(`${key} lease`);
    await place.passUntil(signedIn);
    expect([...store.content.keys()]).toEqual([key]);
  });

  test.each([29_000, -29_000])(
    'waits no longer than 5 s for one of %i ms ago, which it does not remove',
    async (ago) => {
      const place = await createPlace();
      const store = createStore();
      store.content.set(`${key} lease`, `0.5 ${Date.now() - ago}`);
      const session = place.open({ store });
      const startedAt = Date.now();
      await place.passUntil(session.signIn(alice));
      const waited = Date.now() - startedAt;
      expect(waited).toBeGreaterThan(ago > 0 ? 900 : 4_900);
      expect(waited).toBeLessThan(6_000);
      expect(store.content.has(key)).toBe(true);
      expect(store.content.has(`${key} lease`)).toBe(ago < 0);
    },
  );

  test('signs in at once if writes fail', async () => {
    const place = await createPlace();
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
    const place = await createPlace();
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
  ])('stops to wait for a renewal with %s', async (_name, end) => {
    const place = await createPlace();
    const { session, get } = await renewing(place);
    expect(get.mock.calls.filter(([name]) => name.endsWith('renewal lease')).length).toBeGreaterThan(2);
    await end(place, session);
    get.mockClear();
    await place.pass(5_000);
    expect([get.mock.calls, place.arrived('/createToken')]).toEqual([[], 0]);
  });

  test('gives up the lease of a renewal that hangs, once the user signs out', async () => {
    const place = await createPlace();
    const store = createStore();
    const session = place.open({ store, renew: () => new Promise(() => undefined) });
    await place.passUntil(session.signIn(alice));
    await place.pass(0.84 * hour);
    const lease = () => store.content.has(`${key} renewal lease`);
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
    const place = await createPlace();
    const store = createStore();
    const session = place.open({ store });
    const signedIn = session.signIn(alice);
    await vi.waitFor(() => expect(store.content.has(`${key} lease`)).toBe(true));
    await place.passUntil(signedIn);
    expect([request.mock.calls.length, store.content.size]).toEqual([1, 1]);
  });

  test('goes on without the lock after 5 s', async () => {
    vi.unstubAllGlobals();
    const place = await createPlace();
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
});
