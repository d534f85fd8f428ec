import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteFolder } from '../../../scripts/lib/tested-site.ts';
import { findViolations } from './find-violations.ts';
import { type OpenSite, openSite } from './open-site.ts';

const pages = globSync('**/*.html', { cwd: siteFolder }).sort();
const narrow = { width: 400, height: 800 };
/** A phone by WCAG's rule of reflow, a larger one, and the first width that has the menu in its bar. */
const widths = [320, 400, 768];
const wide = { width: 1280, height: 800 };
/** Thousands of words, whose colors the test of colors checks once. */
const code = '.shiki code';

/** The pixels by which a page is wider than its window. */
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('the site in Chromium', () => {
  let site: OpenSite;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test.each(pages)(
    '%s asks no other host, axe finds nothing in light and dark, and 320 px are enough',
    async (name) => {
      const { page, faults, go } = site;
      await page.setViewportSize(wide);
      await go(name);
      expect([...(await findViolations(page, code)), ...faults.splice(0)]).toEqual([]);
      const overflows: unknown[] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        overflows.push(await page.evaluate(overflow));
      }
      expect(overflows).toEqual(widths.map(() => 0));
    },
  );

  test('axe finds nothing in the colors of code', async () => {
    const styles = pages.flatMap((name) => readFileSync(join(siteFolder, name), 'utf8').match(/--shiki-[^"]+/g) ?? []);
    const words = [...new Set(styles)].map((style) => `<span style="${style}">word</span> `);
    expect(words.length).toBeGreaterThan(5);
    const { page, go } = site;
    await go('');
    await page.evaluate(`document.querySelector('.shiki code').innerHTML = ${JSON.stringify(words.join(''))}`);
    expect(await findViolations(page)).toEqual([]);
  });

  test('axe finds nothing in the menus of a narrow window', async () => {
    const { page, go, faults } = site;
    await page.setViewportSize(narrow);
    await go('guides/jest.html');
    for (const name of ['Pages', 'On this page', 'Menu']) {
      await page.getByRole('button', { name, exact: true }).click();
      expect(await findViolations(page, code)).toEqual([]);
      await go('guides/jest.html');
    }
    expect(faults.splice(0)).toEqual([]);
  });

  test('its search finds a guide by a word of its text, and axe finds nothing in the results', async () => {
    const { page, go } = site;
    await page.setViewportSize(wide);
    await go('');
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('recorder');
    const result = page.locator('.result').first();
    await result.waitFor();
    expect(await findViolations(page)).toEqual([]);
    const links = await page.locator('.result').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((link) => link?.includes('/api/'))).toEqual([]);
    await result.click();
    await page.waitForURL(/\.html/);
    // The address changes before the page is there.
    await expect.poll(() => page.locator('main').innerText()).toMatch(/recorder/i);
  });
});
