import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { createPage } from './page.ts';
import { alice, createPlace, createStore, hour, rest } from './support.ts';

/** Two tabs of a page with a session of alice, whose news arrive only where they are stored. */
async function twoTabs() {
  const page = createPage({ isDeaf: true });
  const place = await createPlace();
  const store = createStore();
  const clock = { aheadMs: 0, now: () => performance.now() + clock.aheadMs };
  const [ending, other] = [place.open({ store, clock }), place.open({ store })];
  await ending.signIn(alice);
  await other.restore();
  const ends: string[] = [];
  other.on('end', ({ reason }) => ends.push(reason));
  const calling = createClient({ ...place.connection, credentials: ending, retry: 0 });
  const call = () =>
    calling
      .route('_echo')
      .get()
      .catch(() => undefined);
  return { ...page, place, store, clock, ending, other, ends, call };
}

type Two = Awaited<ReturnType<typeof twoTabs>>;

/** Ends the session of the first tab. */
const acts: Readonly<Record<string, (two: Two) => Promise<unknown>>> = {
  'signed-out': ({ ending }) => ending.signOut(),
  async expired({ clock, call }) {
    clock.aheadMs = hour;
    await call();
  },
  async refused({ place, ending, call }) {
    place.mock.tokens.revoke(ending.currentToken()?.replace('Bearer ', '') ?? '');
    await call();
  },
  lost: async ({ store }) => store.content.clear(),
};

describe.each(Object.keys(acts))('a session that is %s in another tab', (reason) => {
  const end = async (two: Two) => {
    await acts[reason]?.(two);
    await rest();
  };

  test('ends for this reason in a tab that finds the store empty before it gets the message', async () => {
    const two = await twoTabs();
    await end(two);
    expect([two.other.user, two.store.content.size]).toEqual(['alice', 0]);
    expect([await two.other.restore(), two.ends]).toEqual([false, [reason]]);
  });

  test('ends for this reason in a tab that the browser had frozen', async () => {
    const two = await twoTabs();
    two.dispatch('freeze');
    await end(two);
    two.dispatch('resume');
    await rest();
    expect([two.other.user, two.ends]).toEqual([undefined, [reason]]);
  });

  test('leaves no text of the session behind, and the next one has reasons of its own', async () => {
    const two = await twoTabs();
    const token = two.ending.currentToken()?.replace('Bearer ', '') ?? '';
    await end(two);
    await two.other.restore();
    expect([...two.storage.values()].join()).toMatch(/^(?:\d+|(?:expired|refused) \d+)?$/);
    expect([...two.storage, ...two.store.content].join()).not.toContain(token);
    two.clock.aheadMs = 0;
    await two.place.pass(5_000);
    await two.ending.signIn(alice);
    await two.other.restore();
    two.store.content.clear();
    await two.other.restore();
    expect(two.ends).toEqual([reason, 'lost']);
  });
});

test.each(['expired', 'refused 1e999', 'lost 9999999999999', 'change 9999999999999', 'x'])(
  'a reason that no tab writes is none: %s',
  async (text) => {
    const two = await twoTabs();
    two.storage.set('why arango-services  http://gateway.mock.test/_db/_system#place default', text);
    expect(await two.other.restore()).toBe(true);
    two.store.content.clear();
    expect([await two.other.restore(), two.ends]).toEqual([false, ['lost']]);
  },
);
