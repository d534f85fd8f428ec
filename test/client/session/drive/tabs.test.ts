import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browsers } from '../../../console/drive/browsers.ts';
import { runAttacks, runRounds } from './rounds.ts';
import { bundlePage, openTabs, type Tab, type Tabs } from './tabs.ts';

// scripts/check-deep.ts asks for more.
const rounds = Number(process.env.ROUNDS ?? 30);
const installed = browsers.filter((browser) => browser.isInstalled());

describe.each(installed.flatMap((browser) => [2, 10].map((count) => ({ browser, count }))))(
  '$count tabs of $browser.name',
  ({ browser, count }) => {
    let opened: Tabs;

    beforeAll(async () => {
      opened = await openTabs(browser, count, await bundlePage());
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    test(`agree in ${rounds} rounds each of sign-ins, changes of user, renewals and sign-outs`, async () => {
      expect(await runRounds(opened.tabs, rounds)).toEqual([]);
    });

    test('follow a change of user and a sign-out after ten attacks of a hostile page', async () => {
      expect(await runAttacks(opened.tabs)).toEqual([]);
    });

    test('with a session each, sign out together', async () => {
      const stores = ['memory', 'sessionStorage', 'localStorage'] as const;
      const each = <T>(act: (tab: Tab, index: number) => Promise<T>) => Promise.all(opened.tabs.map(act));
      await each((tab, index) => tab.run('open', 'own.', stores[index % 3] ?? 'memory', 0));
      await each((tab) => tab.run('signIn', 'own.', 'alice'));
      await opened.tabs[0]?.run('signOut', 'own.');
      expect(await each((tab) => tab.run('hasUser', 'own.', null))).not.toContain(false);
      expect(await each((tab) => tab.run('isStored', 'own.'))).not.toContain(true);
      await each((tab) => tab.run('close', 'own.'));
    });

    test.each(['locks', 'BroadcastChannel'] as const)('agree without %s', async (what) => {
      for (const tab of opened.tabs) await tab.run('lack', what);
      expect(await runRounds(opened.tabs, 3)).toEqual([]);
    });
  },
);
