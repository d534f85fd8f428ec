import { createClient } from 'arango-services';
import { createSession, type UserSession } from 'arango-services/session';
import { expect } from 'vitest';
import { isPage, type Smoke } from './check.ts';

const alice = { username: 'alice', password: 'pässwort 🧀' };
const tokenPath = '/_integration/authn/v1/createToken';

/** A page's own storage, or a store of the caller's own where there is none. */
function shareableStore() {
  if (isPage()) return 'localStorage';
  const content = new Map<string, string>();
  return {
    get: (key: string) => content.get(key),
    set: (key: string, value: string) => void content.set(key, value),
    delete: (key: string) => void content.delete(key),
  };
}

/** Waits for messages between tabs. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSo(), 'after 6 s').toBe(true);
}

/** True if sessions can hear from each other. In workers they cannot: there are no tabs. */
const haveNews = (): boolean => isPage() || 'BroadcastChannel' in globalThis;

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
];

export const sessionChecks: readonly Smoke[] = checks.filter(({ needsNews }) => !needsNews || haveNews());
