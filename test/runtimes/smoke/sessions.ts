import { createClient, isSignInRequired } from 'arango-services';
import { createSession, type UserSession } from 'arango-services/session';
import { expect } from 'vitest';
import type { Platform } from '../platform.ts';
import { clientOf, failure, isPage, type Smoke } from './check.ts';

const alice = { username: 'alice', password: 'pässwort 🧀' };
const tokenPath = '/_integration/authn/v1/createToken';

/** A store of the caller's own. */
function storeOf(content: Map<string, string>) {
  return {
    get: (key: string) => content.get(key),
    set: (key: string, value: string) => void content.set(key, value),
    delete: (key: string) => void content.delete(key),
  };
}

/** A page's own storage, or a store of the caller's own where there is none. */
const shareableStore = () => (isPage() ? 'localStorage' : storeOf(new Map()));

const blocked = (): never => {
  throw new Error('The operation is insecure.');
};

/** Opens a session over a store in which another token has been put in place of alice's. */
async function openWithToken(platform: Platform, change: (token: string) => string | Promise<string>) {
  const content = new Map<string, string>();
  const options = { ...platform.connection, store: storeOf(content) };
  const before = createSession(options);
  await before.signIn(alice);
  await before.close();
  const [[key, text] = ['', '']] = content;
  const record = JSON.parse(text);
  content.set(key, JSON.stringify({ ...record, token: await change(record.token) }));
  const session = createSession(options);
  return { session, content, client: createClient({ ...platform.connection, credentials: session }) };
}

/** Runs `work` while the clock on the wall is wrong. */
async function withJump(byMs: number, work: () => Promise<unknown>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() + byMs;
  try {
    await work();
  } finally {
    Date.now = now;
  }
}

/** Waits for messages between tabs. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSo(), 'after 6 s').toBe(true);
}

/** True if sessions can hear from each other. In workers they cannot: there are no tabs. */
const haveNews = (): boolean => isPage() || 'BroadcastChannel' in globalThis;

const hour = 3_600_000;

const checks: readonly (Smoke & { readonly needsNews?: true })[] = [
  {
    name: 'a session is taken up from its store, and ended',
    async run({ connection }) {
      const options = { ...connection, store: shareableStore(), name: 'reload' } as const;
      const before = createSession(options);
      await before.signIn(alice);
      await before.close();
      const session = createSession(options);
      expect([await session.restore(), session.user]).toEqual([true, 'alice']);
      const client = createClient({ ...connection, credentials: session });
      expect(await client.authentication.identity()).toMatchObject({ user: 'alice' });
      await session.signOut();
      expect([session.user, await session.restore()]).toEqual([undefined, false]);
      await session.close();
    },
  },
  {
    name: 'ten sessions of a store renew once (twice without Web Locks), and sign out together',
    needsNews: true,
    async run({ connection, requests }) {
      let now = 0;
      const options = { ...connection, store: shareableStore(), name: 'tabs', clock: { now: () => now } } as const;
      const sessions: UserSession[] = Array.from({ length: 10 }, () => createSession(options));
      const [first, last] = [sessions.at(0), sessions.at(-1)];
      await first?.signIn(alice);
      for (const session of sessions) await session.restore();
      const before = first?.currentToken();
      now = 3_240_000;
      const own = { connection: undefined as never, clock: options.clock };
      for (const session of sessions) session.authorize(own);
      const tokens = () => new Set(sessions.map((session) => session.currentToken()));
      await until(() => tokens().size === 1 && !tokens().has(before));
      const asked = (await requests()).filter(({ path }) => path === tokenPath).length;
      expect(asked >= 1 && asked <= (globalThis.navigator?.locks ? 1 : 2), `${asked} requests`).toBe(true);
      await last?.signOut();
      await until(() => sessions.every(({ user }) => user === undefined));
      for (const session of sessions) await session.close();
    },
  },
  {
    name: 'a session outlives a store that throws',
    async run({ connection }) {
      const session = createSession({ ...connection, store: { get: blocked, set: blocked, delete: blocked } });
      expect(await session.restore()).toBe(false);
      await session.signIn(alice);
      const client = createClient({ ...connection, credentials: session });
      expect(await client.authentication.identity()).toMatchObject({ user: 'alice' });
      await session.signOut();
      expect(session.user).toBeUndefined();
      await session.close();
    },
  },
  {
    name: "a store with another user's token shows that user, and no other",
    async run(platform) {
      const { authentication } = clientOf(platform);
      const { session, client } = await openWithToken(
        platform,
        async () => (await authentication.createToken({ user: 'bob' })).token,
      );
      expect([await session.restore(), session.user]).toEqual([true, 'bob']);
      expect(await client.authentication.identity()).toMatchObject({ user: 'bob' });
      await session.close();
    },
  },
  {
    name: 'a forged token in a store ends its session with the first 401',
    async run(platform) {
      const { session, content, client } = await openWithToken(platform, (token) =>
        token.replace(/[^.]+$/, (signature) => [...signature].reverse().join('')),
      );
      expect([await session.restore(), session.user]).toEqual([true, 'alice']);
      expect(isSignInRequired(await failure(client.route('_echo').get()))).toBe(true);
      expect([session.user, content.size]).toEqual([undefined, 0]);
      await session.close();
    },
  },
  {
    name: 'a clock that jumps does not end a session',
    // In memory the clock of the mock would jump as well.
    only: 'port',
    async run({ connection }) {
      const session = createSession({ ...connection, store: storeOf(new Map()) });
      await session.signIn(alice);
      const client = createClient({ ...connection, credentials: session });
      for (const jump of [2 * hour, -2 * hour]) {
        await withJump(jump, async () => expect((await client.route('_echo').get()).status).toBe(200));
      }
      expect(session.user).toBe('alice');
      await session.close();
    },
  },
];

export const sessionChecks: readonly Smoke[] = checks.filter(({ needsNews }) => !needsNews || haveNews());
