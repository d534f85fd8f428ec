import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { browsers, openChromium } from './browsers.ts';
import { openCompany } from './company.ts';
import { Person } from './person.ts';
import { serveConsole } from './serve.ts';

/** Runs on the view of permissions. */
async function onPermissions(mock: Mock, run: (page: Page, person: Person) => Promise<void>): Promise<void> {
  const { hands, page } = await openChromium();
  try {
    const person = new Person('focus', hands);
    await person.open(`${await serveConsole(mock)}#/permissions`);
    await person.sees('Bindings');
    await run(page, person);
  } finally {
    await hands.close();
  }
}

describe.skipIf(!browsers.find(({ name }) => name === 'chromium')?.isInstalled())('in Chromium', () => {
  test('the focus stays nearby when its control goes away', async () => {
    await using mock = await openCompany(0);
    await onPermissions(mock, async (page, person) => {
      const focuses = (name: string) => expect.poll(() => person.focused(), { timeout: 15_000 }).toBe(name);
      const policies = page.getByRole('region', { name: 'Policies' });
      const first = policies.getByRole('button', { name: /^Edit/ }).first();
      const name = String(await first.textContent());
      await first.press('Enter');
      await person.click('Delete…');
      await person.click('Delete');
      await expect.poll(() => first.textContent()).not.toBe(name);
      await focuses(`Edit policy ${await first.textContent()}`);

      await page.getByRole('button', { name: 'New role' }).press('Enter');
      await page.locator('dialog[open]').waitFor();
      await page.keyboard.press('Escape');
      await focuses('New role');

      const more = page.getByRole('button', { name: 'Show more bindings' });
      while ((await more.count()) > 0) {
        const rows = await page.getByRole('region', { name: 'Bindings' }).getByRole('listitem').count();
        await more.press('Enter');
        await expect
          .poll(() => page.getByRole('region', { name: 'Bindings' }).getByRole('listitem').count())
          .toBeGreaterThan(rows);
      }
      await focuses('New binding');

      const next = page.getByRole('button', { name: 'Next users' });
      while ((await next.getAttribute('aria-disabled')) === 'false') await next.press('Enter');
      await focuses('Next users');
    });
  }, 60_000);

  test('a link opens an item whose name the address does not hold', async () => {
    const all = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    // Too long for the address, and as an identity provider names users by a hash, which may be a secret.
    const names = [
      'y'.repeat(600),
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'a;b&c=d%2F#é+?',
    ];
    await using mock = await createMock({
      policies: { all },
      roles: Object.fromEntries(names.map((name) => [name, { policies: ['all'] }])),
      bindings: names.map((name) => ({ user: name, role: name, scope: all })),
    });
    await onPermissions(mock, async (page, person) => {
      for (const name of names) {
        await page.getByRole('region', { name: 'Roles' }).getByRole('link', { name }).click();
        await expect.poll(() => page.locator('dialog[open] h2').textContent()).toContain(name);
        expect(page.url().includes('user=')).toBe(name === names[2]);
        await person.press('Escape');
        await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
      }
    });
  }, 60_000);
});
