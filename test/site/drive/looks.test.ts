import { globSync } from 'node:fs';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openChromium } from '../../console/drive/browsers.ts';
import { faultsOfLooks } from '../../console/drive/faults-of-looks.ts';
import { type ServedSite, serveSite, siteFolder } from './served-site.ts';

const pages = globSync('**/*.html', { cwd: siteFolder }).sort();
const wide = { width: 1280, height: 800 };
const narrow = { width: 400, height: 800 };

/** No color is on its way to another one while axe looks. */
const still = 'document.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important }</style>")';

/** The pixels by which a page is wider than its window. */
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('the site in Chromium', () => {
  let site: ServedSite;
  let page: Page;
  let close: () => Promise<void>;
  let faults: string[] = [];

  beforeAll(async () => {
    site = await serveSite();
    const opened = await openChromium({ reducedMotion: 'reduce' });
    ({ page } = opened);
    close = opened.hands.close;
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url) && !/^(?:data|blob):/.test(request.url()))
        faults.push(`it requests ${request.url()}`);
    });
  });
  afterAll(async () => {
    await close();
    await site[Symbol.asyncDispose]();
  });

  test('has more than 50 pages', () => {
    expect(pages.length).toBeGreaterThan(50);
  });

  test.each(pages)('%s asks no other host, pleases axe in light and dark, and is never wider than its window', async (name) => {
    faults = [];
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(site.url + name, { waitUntil: 'networkidle' });
    await page.evaluate(still);
    const light = await faultsOfLooks(page, 'light', 'all');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction('document.documentElement.classList.contains("dark")');
    const dark = await faultsOfLooks(page, 'dark', 'colors');
    await page.setViewportSize(narrow);
    expect([...faults, ...light, ...dark]).toEqual([]);
    expect(await page.evaluate(overflow)).toBe(0);
  });
});
