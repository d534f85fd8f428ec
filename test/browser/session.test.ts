import { createClient, isSignInRequired } from 'arango-services';
import { createMock, type Mock } from 'arango-services/mock';
import type { createSession, SessionOptions, UserSession } from 'arango-services/session';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

// Frames of one origin: each is a realm of its own, with the storages, channels and locks that tabs share.

/** The page of a frame (test/browser/public/tab.html). */
type Tab = Window & typeof globalThis & { createSession: typeof createSession };

const alice = { username: 'alice', password: 'canary-password' };
const bob = { username: 'bob', password: 'canary-of-bob' };
const hour = 3_600_000;
let mock: Mock;
let now = 0;
const opened: (() => unknown)[] = [];

beforeEach(async () => {
  now = 0;
  mock = await createMock({
    users: [alice, bob].map(({ username: name, password }) => ({ name, password })),
  });
});
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  localStorage.clear();
  sessionStorage.clear();
  await mock[Symbol.asyncDispose]();
});

async function openTab(): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.src = '/tab.html';
  document.body.append(frame);
  opened.push(() => frame.remove());
  await ready(frame);
  return frame;
}

// The cast: the frame is of this origin, and its script has run.
const tabOf = (frame: HTMLIFrameElement) => frame.contentWindow as Tab;
const ready = (frame: HTMLIFrameElement) => vi.waitFor(() => expect(tabOf(frame)?.createSession).toBeDefined(), 10_000);

async function reload(frame: HTMLIFrameElement): Promise<void> {
  const before = tabOf(frame).createSession;
  tabOf(frame).location.reload();
  await vi.waitFor(() => {
    expect(tabOf(frame).createSession).toBeDefined();
    expect(tabOf(frame).createSession).not.toBe(before);
  });
}

function sessionIn(frame: HTMLIFrameElement, options: Partial<SessionOptions>): UserSession {
  const session = tabOf(frame).createSession({ ...mock.connection, clock: { now: () => now }, ...options });
  // Not awaited: after a reload its realm is gone, and nothing of it settles.
  opened.push(() => void session.close());
  return session;
}

const stored = () => Object.entries({ ...localStorage }).filter(([key]) => key.includes('arango-services '));
/** Entries that hold a session. */
const sessionsStored = () => stored().filter(([key]) => !/^(?:ended|why) /.test(key));
const echo = (session: UserSession) =>
  createClient({ ...mock.connection, credentials: session })
    .route('_echo')
    .get();
const renewals = () => mock.requests.filter(({ path }) => path.endsWith('/createToken')).length;
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a reload', () => {
  test.each([
    ['sessionStorage', true],
    ['localStorage', true],
    ['memory', false],
  ] as const)('with %s keeps the session: %s', async (store, isKept) => {
    const frame = await openTab();
    await sessionIn(frame, { store }).signIn(alice);
    await reload(frame);
    const session = sessionIn(frame, { store });
    expect(await session.restore()).toBe(isKept);
    expect(session.user).toBe(isKept ? 'alice' : undefined);
    if (isKept) expect((await echo(session)).status).toBe(200);
  });
});

describe('two tabs', () => {
  test('share a session in localStorage', async () => {
    const [one, two] = [await openTab(), await openTab()];
    const sessions = [sessionIn(one, { store: 'localStorage' }), sessionIn(two, { store: 'localStorage' })] as const;
    await sessions[0].signIn(alice);
    await expect.poll(() => sessions[1].user).toBe('alice');
    await sessions[1].signIn(bob);
    await expect.poll(() => sessions[0].user).toBe('bob');
  });

  test('sign out everywhere, whatever their stores', async () => {
    const stores = ['memory', 'sessionStorage', 'localStorage', 'localStorage'] as const;
    const sessions: UserSession[] = [];
    for (const store of stores) sessions.push(sessionIn(await openTab(), { store }));
    for (const session of sessions.slice(0, 3)) await session.signIn(alice);
    await expect.poll(() => sessions.map(({ user }) => user)).toEqual(['alice', 'alice', 'alice', 'alice']);
    const ends: string[] = [];
    for (const session of sessions) session.on('end', ({ reason }) => ends.push(reason));
    await sessions[1]?.signOut();
    await expect.poll(() => sessions.map(({ user }) => user)).toEqual([undefined, undefined, undefined, undefined]);
    expect(ends).toEqual(Array(4).fill('signed-out'));
  });

  test('say nothing but a word and a version to each other', async () => {
    const frame = await openTab();
    const session = sessionIn(frame, { store: 'localStorage' });
    const heard: unknown[] = [];
    await session.signIn(alice);
    const channel = new BroadcastChannel(sessionsStored()[0]?.[0] ?? '');
    channel.onmessage = ({ data }) => heard.push(data);
    now += 0.9 * hour;
    await echo(session);
    await expect.poll(renewals).toBe(1);
    const kinds = () => heard.map((text) => String(text).replace(/ [\d.]+$/, ''));
    // A sign-out that overtakes the renewal would make it say nothing.
    await expect.poll(kinds).toEqual(['change']);
    await session.signOut();
    await expect.poll(kinds).toEqual(['change', 'end']);
    channel.close();
    // A mark without data, for tabs that did not hear of the end.
    expect(stored().map(([key, text]) => [key.replace(/ .*/, ''), /^\d+$/.test(text)])).toEqual([['ended', true]]);
    expect(sessionStorage.length).toBe(0);
  });
});

describe('ten tabs over localStorage', () => {
  test.each([
    ['Web Locks', true, 1],
    ['a lease in the store', false, 2],
  ])('renew once at a time, with %s', async (_name, hasLocks, most) => {
    const sessions: UserSession[] = [];
    for (let i = 0; i < 10; i++) {
      const frame = await openTab();
      expect(tabOf(frame).navigator.locks).toBeDefined();
      if (!hasLocks) Object.defineProperty(tabOf(frame).navigator, 'locks', { value: undefined });
      sessions.push(sessionIn(frame, { store: 'localStorage' }));
    }
    await sessions[0]?.signIn(alice);
    await expect.poll(() => sessions.every(({ user }) => user === 'alice')).toBe(true);
    const before = sessions[0]?.currentToken();
    now += 0.9 * hour;
    for (const session of sessions) session.authorize(undefined as never);
    await expect.poll(() => new Set(sessions.map((session) => session.currentToken())).size).toBe(1);
    await expect.poll(() => sessions[0]?.currentToken()).not.toBe(before);
    // Time for those that still wait for the lock or the lease.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(renewals()).toBeGreaterThanOrEqual(1);
    expect(renewals()).toBeLessThanOrEqual(most);
    expect(new Set(sessions.map((session) => session.currentToken())).size).toBe(1);
  });
});

describe('the store of a session', () => {
  test('that is full leaves the session in memory', async () => {
    const session = sessionIn(await openTab(), { store: 'localStorage' });
    for (let size = 2 ** 23; size >= 1; size /= 2) {
      try {
        localStorage.setItem('filling', `${localStorage.getItem('filling') ?? ''}${'x'.repeat(size)}`);
      } catch {
        // Half of it may fit.
      }
    }
    await session.signIn(alice);
    expect([session.user, stored()]).toEqual(['alice', []]);
    expect((await echo(session)).status).toBe(200);
    await session.signOut();
    expect(session.user).toBeUndefined();
  });

  test.each(['localStorage', 'sessionStorage'] as const)(
    'leaves the session in memory if the browser blocks it (%s)',
    async (store) => {
      const frame = await openTab();
      Object.defineProperty(tabOf(frame), store, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
      const session = sessionIn(frame, { store });
      expect(await session.restore()).toBe(false);
      await session.signIn(alice);
      expect((await echo(session)).status).toBe(200);
      await session.signOut();
    },
  );

  /** Puts a token into the store, in place of the session's own. */
  async function putToken(token: string): Promise<UserSession> {
    const frame = await openTab();
    const first = sessionIn(frame, { store: 'localStorage' });
    await first.signIn(alice);
    await first.close();
    const [key = '', text = ''] = stored()[0] ?? [];
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(text), token }));
    await reload(frame);
    return sessionIn(frame, { store: 'localStorage' });
  }

  test('signs in the user of a token that another user left there', async () => {
    const session = await putToken(await mock.tokens.issue({ user: 'bob' }));
    expect([await session.restore(), session.user]).toEqual([true, 'bob']);
    expect((await echo(session)).status).toBe(200);
  });

  test('with a forged token: the session ends with the first 401', async () => {
    const session = await putToken(await mock.tokens.forge({ user: 'root', wrongKey: true }));
    expect([await session.restore(), session.user]).toEqual([true, 'root']);
    expect(isSignInRequired(await failure(echo(session)))).toBe(true);
    expect([session.user, sessionsStored(), renewals()]).toEqual([undefined, [], 0]);
  });
});

describe('a clock that jumps', () => {
  test.each([2 * hour, -2 * hour])('by %d ms does not end the session', async (jump) => {
    const frame = await openTab();
    const session = sessionIn(frame, { store: 'localStorage' });
    await session.signIn(alice);
    const tab = tabOf(frame);
    const { now: real } = tab.Date;
    tab.Date.now = () => real() + jump;
    expect((await echo(session)).status).toBe(200);
    now += 0.9 * hour;
    await echo(session);
    await expect.poll(renewals).toBe(1);
    expect([session.user, (await echo(session)).status]).toEqual(['alice', 200]);
  });
});
