import { describe, expect, test, vi } from 'vitest';
import type { UserSession } from '../../../src/client/session/index.ts';
import { createClient, isSignInRequired } from '../../../src/index.ts';
import type { Mock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { alice, createPlace, createStore, hour, minute, type Place } from './support.ts';

const path = '/createToken';
const endsOf = (session: UserSession) => {
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  return ends;
};
const echoOver = (mock: Mock, session: UserSession) =>
  createClient({ ...mock.connection, credentials: session }).route('_echo');
/** The fields of the requests for tokens, and the header that they were sent with. */
const requests = ({ mock }: Place) => mock.requests.filter((request) => request.path.endsWith(path));

describe('a token near its end', () => {
  test('is renewed without a call, once, with the user and the groups named', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    await session.signIn(alice);
    await place.pass(0.7 * hour);
    expect(requests(place)).toHaveLength(0);
    await place.pass(0.2 * hour);
    expect(requests(place).map(({ body, user }) => [body, user])).toEqual([
      [{ user: 'alice', lifetime: '3600s', groups: [] }, 'alice'],
    ]);
    expect(session.expiresAt?.getTime()).toBeGreaterThan(Date.parse('2026-11-21T09:44:00Z'));
    expect((await echoOver(place.mock, session).get()).status).toBe(200);
  });

  test('is renewed by a call when timers stand still', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    await session.signIn(alice);
    // As a throttled page: time passes, no timer fires.
    vi.setSystemTime(Date.now() + 0.9 * hour);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 0.9 * hour);
    await echoOver(place.mock, session).get();
    await place.pass(0);
    clock.mockRestore();
    expect(requests(place)).toHaveLength(1);
  });

  test('keeps its groups', async () => {
    const place = await createPlace({ sidecar: true });
    const token = await place.issue({ user: 'alice', groups: ['viewer', 'Käse'], lifetime: '1h' });
    const store = createStore();
    const session = place.open({ store });
    await session.signIn(alice);
    const [[key, text] = ['', '']] = [...store.content];
    store.content.set(key, JSON.stringify({ ...JSON.parse(text), token }));
    expect(await session.restore()).toBe(true);
    await place.pass(0.9 * hour);
    expect(requests(place)[0]?.body).toEqual({ user: 'alice', lifetime: '3600s', groups: ['viewer', 'Käse'] });
  });

  test('is replaced by a request with the current token', async () => {
    const place = await createPlace({ sidecar: true });
    const headers: (string | undefined)[] = [];
    const session = place.open({
      fetch: (url, init) => {
        if (url.endsWith(path)) headers.push((init.headers as Record<string, string>).authorization);
        return place.fetch(url, init);
      },
    });
    await session.signIn(alice);
    const first = session.currentToken();
    await place.pass(0.9 * hour);
    expect(headers).toEqual([first?.replace('Bearer', 'bearer')]);
    expect(session.currentToken()).not.toBe(first);
  });

  test('stays in use after a failed renewal, which is retried', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    await session.signIn(alice);
    place.mock.fail({ path, status: 503, times: 2 });
    place.mock.fail({ path, drop: true });
    await place.pass(0.86 * hour);
    place.mock.assertFaultsUsed();
    expect(requests(place)).toHaveLength(4);
    expect(session.expiresAt?.getTime()).toBeGreaterThan(Date.parse('2026-11-21T09:40:00Z'));
  });

  test.each([
    [429, 'again'],
    [500, 'again'],
    [400, 'once'],
    [501, 'once'],
  ] as const)('is requested %s: %s', async (status, often) => {
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    await session.signIn(alice);
    place.mock.fail({ path, status, times: 2 });
    await place.pass(0.9 * hour);
    expect(requests(place)).toHaveLength(often === 'again' ? 3 : 1);
  });

  test('ends with its session if the service never renews it', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open({ store: createStore() });
    const ends = endsOf(session);
    await session.signIn(alice);
    place.mock.fail({ path, status: 404, times: 9 });
    await place.pass(0.95 * hour);
    expect([session.user, requests(place).length, ends]).toEqual(['alice', 1, []]);
    await place.pass(0.05 * hour);
    expect([session.user, requests(place).length, ends]).toEqual([undefined, 1, ['expired']]);
    expect(isSignInRequired(await failureOf(echoOver(place.mock, session).get()))).toBe(true);
  });

  test('ends its session if the service refuses it', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const session = place.open({ store });
    const ends = endsOf(session);
    await session.signIn(alice);
    place.mock.fail({ path, status: 401 });
    await place.pass(0.9 * hour);
    expect([session.user, ends, store.content.size]).toEqual([undefined, ['refused'], 0]);
  });

  test.each([
    ['another user', 'bob'],
    ['no user', null],
  ])('ends its session if the answer names %s', async (_name, user) => {
    const place = await createPlace({ sidecar: true });
    const token = await place.issue({ user, lifetime: '3h' });
    const store = createStore();
    const session = place.open({
      store,
      fetch: async (url, init) =>
        url.endsWith(path)
          ? Response.json({ token, user: 'alice', lifetime: '3600s', groups: [] })
          : place.fetch(url, init),
    });
    const [ends, seen] = [endsOf(session), new Set<string | undefined>()];
    session.on('change', () => seen.add(session.user));
    await session.signIn(alice);
    await place.pass(0.9 * hour);
    expect([session.user, ends, store.content.size]).toEqual([undefined, ['refused'], 0]);
    expect([...seen]).toEqual(['alice', undefined]);
  });

  test('is not adopted by a tab that signed out meanwhile', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const session = place.open({
      store,
      fetch: async (url, init) => {
        if (url.endsWith(path)) await asked;
        return place.fetch(url, init);
      },
    });
    await session.signIn(alice);
    await place.pass(0.9 * hour);
    await session.signOut();
    answer();
    await place.pass(0);
    expect([session.user, store.content.size]).toEqual([undefined, 0]);
  });
});

describe('the option maxAge', () => {
  test('ends the session 12 hours after signing in', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open();
    const ends = endsOf(session);
    await session.signIn(alice);
    for (let i = 0; i < 143; i++) await place.pass(5 * minute);
    expect([session.user, session.expiresAt, ends]).toEqual(['alice', new Date('2026-11-21T20:00:00Z'), []]);
    const asked = requests(place).length;
    expect(asked).toBeGreaterThanOrEqual(14);
    await place.pass(5 * minute + 10);
    expect([session.user, ends]).toEqual([undefined, ['expired']]);
    await place.pass(2 * hour);
    expect(requests(place).length).toBe(asked);
  });

  test('that ends before the token makes a renewal useless', async () => {
    const place = await createPlace({ sidecar: true });
    const session = place.open({ maxAge: '58m' });
    const ends = endsOf(session);
    await session.signIn(alice);
    await place.pass(0.95 * hour);
    expect([session.user, requests(place).length]).toEqual(['alice', 0]);
    await place.pass(0.05 * hour);
    expect([ends, requests(place).length]).toEqual([['expired'], 0]);
  });

  test.each([
    ['the token has expired', '12h', hour],
    ['the session is too old', '30m', hour / 2],
  ])('after a reload brings no session, and no end of one, if %s', async (_name, maxAge, ms) => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const first = place.open({ store, maxAge });
    await first.signIn(alice);
    await first.close();
    await place.pass(ms);
    const second = place.open({ store, maxAge });
    const heard: unknown[] = [];
    second.on('change', () => heard.push('change'));
    second.on('end', () => heard.push('end'));
    expect([await second.restore(), second.user, heard, store.content.size]).toEqual([false, undefined, [], 0]);
  });

  test('still applies after a reload', async () => {
    const place = await createPlace({ sidecar: true });
    const store = createStore();
    const first = place.open({ store, maxAge: '90m' });
    await first.signIn(alice);
    await place.pass(80 * minute);
    await first.close();
    const second = place.open({ store, maxAge: '90m' });
    expect(await second.restore()).toBe(true);
    expect(second.expiresAt).toEqual(new Date('2026-11-21T09:30:00Z'));
    await place.pass(10 * minute);
    expect(second.user).toBeUndefined();
  });
});

describe('the option renew', () => {
  test('returns the next token in place of createToken', async () => {
    const place = await createPlace({ sidecar: true });
    const renew = vi.fn(() => place.issue({ user: 'alice', lifetime: '1h' }));
    const session = place.open({ renew });
    await session.signIn(alice);
    await place.pass(2.2 * hour);
    expect(renew.mock.calls).toEqual([[session], [session]]);
    expect([session.user, requests(place).length]).toEqual(['alice', 0]);
  });

  test('may call its service with the session', async () => {
    const place = await createPlace({ sidecar: true });
    place.mock.route('POST', '/_db/:db/mint', async ({ user }) => ({
      body: { token: await place.issue({ user: user ?? '' }) },
    }));
    const session: UserSession = place.open({
      renew: async (own) => {
        const client = createClient({ ...place.connection, credentials: own });
        const { body } = await client.route('mint').post<{ token: string }>({});
        return body.token;
      },
    });
    await session.signIn(alice);
    await place.pass(0.9 * hour);
    expect(session.expiresAt?.getTime()).toBeGreaterThan(Date.parse('2026-11-21T09:40:00Z'));
  });

  test.each([
    ['another user', async ({ issue }: Place) => issue({ user: 'bob' })],
    ['what is not a token', async () => 'canary'],
    ['nothing', async () => undefined as never],
  ])('ends the session with a token of %s', async (_name, give) => {
    const place = await createPlace({ sidecar: true });
    const session = place.open({ renew: () => give(place) });
    const ends = endsOf(session);
    await session.signIn(alice);
    await place.pass(0.9 * hour);
    expect([session.user, ends]).toEqual([undefined, ['refused']]);
  });

  test('is called again after it failed or hung', async () => {
    const place = await createPlace({ sidecar: true });
    const renew = vi
      .fn(() => place.issue({ user: 'alice' }))
      .mockImplementationOnce(() => Promise.reject(new Error('canary')))
      .mockImplementationOnce(() => new Promise(() => undefined));
    const session = place.open({ renew });
    await session.signIn(alice);
    await place.pass(0.9 * hour);
    expect([renew.mock.calls.length, session.user]).toEqual([3, 'alice']);
    expect(session.expiresAt?.getTime()).toBeGreaterThan(Date.parse('2026-11-21T09:40:00Z'));
  });
});

describe('a clock that jumps', () => {
  test.each([2 * hour, -2 * hour, -20_000 * 24 * hour])('by %d ms does not end the session', async (jump) => {
    const place = await createPlace({ sidecar: true });
    place.mock.clock.set(new Date());
    const pass = async (ms: number) => {
      place.mock.clock.advance(`${ms}ms`);
      await place.pass(ms);
    };
    const store = createStore();
    const session = place.open({ store });
    await session.signIn(alice);
    await pass(0.5 * hour);
    vi.setSystemTime(Date.now() + jump);
    expect(session.user).toBe('alice');
    await pass(0.4 * hour);
    expect(requests(place)).toHaveLength(1);
    await pass(0.5 * hour);
    expect((await echoOver(place.mock, session).get()).status).toBe(200);
    // What was written after the jump is in the time after it.
    await session.close();
    expect(await place.open({ store }).restore()).toBe(true);
  });

  test('backwards and a reload leave the end to the service', async () => {
    const place = await createPlace({ sidecar: true });
    place.mock.clock.set(new Date());
    const store = createStore();
    const session = place.open({ store });
    await session.signIn(alice);
    await session.close();
    vi.setSystemTime(Date.now() - 3 * hour);
    place.mock.clock.advance('1h');
    const reloaded = place.open({ store });
    expect(await reloaded.restore()).toBe(true);
    const ends = endsOf(reloaded);
    expect(isSignInRequired(await failureOf(echoOver(place.mock, reloaded).get()))).toBe(true);
    expect([reloaded.user, ends, store.content.size]).toEqual([undefined, ['refused'], 0]);
  });
});
