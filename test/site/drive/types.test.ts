import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { siteFolder } from '../../../scripts/lib/tested-site.ts';
import { findViolations } from './find-violations.ts';
import { type OpenSite, openSite } from './open-site.ts';

describe('the types of the examples', () => {
  let site: OpenSite;
  let requested: string[] = [];
  const tip = () => site.page.getByRole('tooltip');
  const block = () => site.page.locator('.typed-block').first();
  const name = (text: string) => block().locator('.typed-name', { hasText: text }).first();

  beforeAll(async () => {
    site = await openSite();
    site.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(async () => {
    requested = [];
    await site.page.mouse.up();
    await site.page.mouse.move(0, 0);
    await site.go('guides/requests.html');
  });

  test('are loaded at the first block that is pointed at, once a page', async () => {
    await site.page.waitForLoadState('networkidle');
    const ofTypes = () => requested.filter((path) => path.includes('/hovers/'));
    expect(ofTypes()).toEqual([]);
    await block().hover();
    await name('createClient').hover();
    expect(await tip().innerText()).toMatch(/^function createClient\(options: ClientOptions\): Client\n+Creates/);
    await site.page.locator('.typed-block').nth(1).hover();
    expect(ofTypes()).toEqual(['/arango-services/hovers/guides/requests.json']);
  });

  test('stay while the pointer is on them, and go when it leaves, or at Escape', async () => {
    await block().hover();
    await name('createClient').hover();
    await tip().hover();
    await expect(tip().waitFor({ state: 'hidden', timeout: 500 })).rejects.toThrow();
    await site.page.mouse.move(0, 0);
    await tip().waitFor({ state: 'hidden' });
    await name('createClient').hover();
    await tip().waitFor();
    await site.page.keyboard.press('Escape');
    await expect.poll(() => tip().count()).toBe(0);
  });

  test('are shown by keyboard: Tab from the code to its first name, arrow keys from name to name, Escape', async () => {
    await block().locator('pre').focus();
    await block().locator('.typed-name').first().waitFor();
    const focused = () => site.page.evaluate('document.activeElement.textContent');
    await site.page.keyboard.press('Tab');
    expect(await focused()).toBe('createClient');
    await expect.poll(() => tip().innerText()).toContain('function createClient(');
    const described = await name('createClient').getAttribute('aria-describedby');
    expect(described).toBe(await tip().getAttribute('id'));
    await site.page.keyboard.press('ArrowRight');
    const second = await focused();
    expect(second).not.toBe('createClient');
    await expect.poll(() => tip().innerText()).toContain(String(second));
    await site.page.keyboard.press('Escape');
    await expect.poll(() => tip().count()).toBe(0);
    await site.page.keyboard.press('End');
    await tip().waitFor();
    await site.page.keyboard.press('Home');
    expect(await focused()).toBe('createClient');
    // One stop for each block: the next Tab leaves the code.
    await site.page.keyboard.press('Tab');
    expect(await site.page.evaluate('document.activeElement.classList.contains("typed-name")')).toBe(false);
    await expect.poll(() => tip().count()).toBe(0);
  });

  test('go with their page', async () => {
    await site.page.getByRole('link', { name: 'Errors', exact: true }).first().focus();
    await block().hover();
    await name('createClient').hover();
    await tip().waitFor();
    await site.page.keyboard.press('Enter');
    await site.page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await expect.poll(() => tip().count()).toBe(0);
    await block().hover();
    await name('createClient').hover();
    await tip().waitFor();
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('are not shown while the mouse selects code, so that only the code is selected', async () => {
    await block().hover();
    await name('createClient').hover();
    await tip().waitFor();
    await site.page.mouse.down();
    await expect.poll(() => tip().count()).toBe(0);
    const end = await site.page.locator('.run-block .run-button').first().boundingBox();
    await name('console').hover();
    await site.page.mouse.move(end?.x ?? 0, end?.y ?? 0, { steps: 5 });
    expect(await tip().count()).toBe(0);
    await site.page.mouse.up();
    const selected = String(await site.page.evaluate('String(getSelection())'));
    expect(selected).toContain("database: 'shop'");
    expect(selected).not.toContain('function createClient(');
  });

  test('are shown where a name is tapped, and go when another place is', async () => {
    await using phone = await openSite({ hasTouch: true, isMobile: true, viewport: { width: 400, height: 800 } });
    await phone.go('guides/requests.html');
    const code = phone.page.locator('.typed-block').first();
    await code.tap();
    const first = code.locator('.typed-name', { hasText: 'createClient' }).first();
    await first.tap();
    await phone.page.getByRole('tooltip').waitFor();
    await code.locator('.typed-name', { hasText: 'console' }).first().tap();
    await expect.poll(() => phone.page.getByRole('tooltip').innerText()).toMatch(/console/i);
    await phone.page.getByRole('heading', { level: 1 }).tap();
    await phone.page.getByRole('tooltip').waitFor({ state: 'hidden' });
  });

  test('fit a window of 400 px', async () => {
    await site.page.setViewportSize({ width: 400, height: 800 });
    await block().hover();
    await name('createClient').hover();
    await tip().waitFor();
    const box = await tip().boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(400);
    expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    await site.page.screenshot({ path: 'reports/site-pictures/types-400.png' });
    await site.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('leave the text of the code as it was, and mark each name that the page has a type of', async () => {
    const texts = () => site.page.locator('.typed-block code').allInnerTexts();
    const before = await texts();
    for (const each of await site.page.locator('.typed-block').all()) await each.dispatchEvent('pointerover');
    const { blocks } = JSON.parse(readFileSync(join(siteFolder, 'hovers/guides/requests.json'), 'utf8'));
    const names = Object.values<unknown[]>(blocks).reduce((sum, list) => sum + list.length, 0);
    expect(names).toBeGreaterThan(300);
    await expect.poll(() => site.page.locator('.typed-name').count()).toBe(names);
    expect(await texts()).toEqual(before);
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('please axe while one is shown, in light and in dark', async () => {
    await block().hover();
    await name('createClient').hover();
    await tip().waitFor();
    expect(await findViolations(site.page)).toEqual([]);
    expect(await tip().count()).toBe(1);
    await site.page.screenshot({ path: 'reports/site-pictures/types.png' });
  });
});
