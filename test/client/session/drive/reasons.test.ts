import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndReason } from '../../../../dist/session/index.js';
import { browsers } from '../../../console/drive/browsers.ts';
import { bundlePage, openTabs, type Tab, type Tabs } from './tabs.ts';

// Why a session ended, as each of two tabs is told.

const installed = browsers.filter((browser) => browser.isInstalled());
const reasons = ['signed-out', 'expired', 'refused', 'lost'] as const;
const stores = ['memory', 'sessionStorage', 'localStorage', 'own'] as const;
type Store = (typeof stores)[number];
const isShared = (store: Store) => store === 'localStorage' || store === 'own';
const cases = stores.flatMap((store) =>
  // Nothing can empty the memory of a page.
  reasons.filter((reason) => reason !== 'lost' || store !== 'memory').map((reason) => [store, reason] as const),
);

/** Signs in in both tabs, and ends the session in the first. Returns the reasons that each was told. */
async function endIn(tabs: readonly [Tab, Tab], name: string, store: Store, reason: EndReason) {
  const each = <T>(act: (tab: Tab) => Promise<T>) => Promise.all(tabs.map(act));
  // A store of the page's own takes its time.
  const [kind, slowMs] = store === 'own' ? (['memory', 10] as const) : ([store, 0] as const);
  await each((tab) => tab.run('open', name, kind, slowMs));
  for (const tab of isShared(store) ? [tabs[0]] : tabs) await tab.run('signIn', name, 'alice');
  const before = await each((tab) => tab.run('hasUser', name, 'alice'));
  await tabs[0].run('end', name, reason);
  const users = [null, isShared(store) || reason === 'signed-out' ? null : 'alice'];
  const after = await Promise.all(tabs.map((tab, index) => tab.run('hasUser', name, users[index] ?? null)));
  const ends = await each((tab) => tab.run('ends', name));
  await each((tab) => tab.run('close', name));
  return { before, after, ends };
}

describe.each(installed)('two tabs of $name', (browser) => {
  describe.each([
    ['all', []],
    ['no BroadcastChannel', ['BroadcastChannel']],
    ['no locks', ['locks']],
    ['neither', ['BroadcastChannel', 'locks']],
  ] as const)('with %s', (_name, lacking) => {
    let opened: Tabs;
    beforeAll(async () => {
      opened = await openTabs(browser, 2, await bundlePage());
      for (const tab of opened.tabs) for (const what of lacking) await tab.run('lack', what);
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    test.each(cases)('over %s, a session that is %s has this reason wherever it ends', async (store, reason) => {
      // The cast: two were opened.
      const [one, other] = opened.tabs as [Tab, Tab];
      const rounds = await Promise.all(
        Array.from({ length: 4 }, (_, round) =>
          endIn(round % 2 ? [other, one] : [one, other], `${store}-${reason}-${round}.`, store, reason),
        ),
      );
      const ends = [[reason], isShared(store) || reason === 'signed-out' ? [reason] : []];
      expect(rounds).toEqual(rounds.map(() => ({ before: [true, true], after: [true, true], ends })));
    });
  });
});
