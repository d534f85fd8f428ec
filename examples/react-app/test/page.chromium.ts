import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type PreviewServer, preview } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

// The built page (`npm run build:demo`), as `vite preview` serves it. The platform is in its service worker.
let server: PreviewServer;
let browser: Browser;
let context: BrowserContext;
let url = '';

beforeAll(async () => {
  server = await preview({ preview: { port: 0 } });
  url = server.resolvedUrls?.local[0] ?? '';
  // CHROME_PATH: a Chromium or Chrome that is installed.
  browser = await chromium.launch({ executablePath: process.env.CHROME_PATH, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

async function open(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function signIn(page: Page, username = 'alice'): Promise<void> {
  await page.getByLabel('Name').fill(username);
  await page.getByLabel('Password').fill('pw');
  await button(page, 'Sign in').click();
  await page.getByText(`Signed in as ${username}`).waitFor();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** The page with the orders of its user. */
const orders = (page: Page) => page.getByText('Order 1, open: 9.50').waitFor();
/** The page with the login form. */
const form = (page: Page) => button(page, 'Sign in').waitFor();

test('shows the buttons that the user may use', async () => {
  const page = await open();
  await signIn(page);
  await button(page, 'New order').click();
  await page.getByText('Order 3, open: 10.00').waitFor();
});

describe('a reload', () => {
  test('keeps the session', async () => {
    const page = await open();
    await signIn(page);
    await page.reload();
    await page.getByText('Signed in as alice').waitFor();
    await orders(page);
    await button(page, 'New order').waitFor();
  });

  test('after signing out shows the form', async () => {
    const page = await open();
    await signIn(page);
    await button(page, 'Sign out').click();
    await form(page);
    await page.reload();
    await form(page);
  });
});

describe('two tabs', () => {
  test('have a session each', async () => {
    const [one, two] = [await open(), await open()];
    await signIn(one);
    expect(await button(two, 'Sign in').isVisible()).toBe(true);
    await signIn(two, 'bob');
    await orders(two);
    await one.reload();
    await one.getByText('Signed in as alice').waitFor();
  });

  test('sign out together', async () => {
    const [one, two] = [await open(), await open()];
    await signIn(one);
    await signIn(two, 'bob');
    await button(one, 'Sign out').click();
    for (const page of [one, two]) {
      await form(page);
      await page.getByText('You are signed out.').waitFor();
      await page.reload();
      await form(page);
    }
  });
});

describe('a page that sleeps', () => {
  test('through the end of its token shows the form when it wakes', async () => {
    await context.clock.install();
    const page = await open();
    await signIn(page);
    await orders(page);
    await page.clock.fastForward('02:00:00');
    await form(page);
    await page.getByText('Your session has expired.').waitFor();
  });

  test('through the end of its token, with timers that stood still, hears of it by its next request', async () => {
    await context.clock.install();
    const page = await open();
    await signIn(page);
    await orders(page);
    // The machine's time goes on, that of the page does not.
    await page.clock.setSystemTime(Date.now() + 2 * 3_600_000);
    await button(page, 'Refresh').click();
    await form(page);
    await page.getByText('Please sign in again.').waitFor();
  });

  test('for less renews its token', async () => {
    await context.clock.install();
    const page = await open();
    await signIn(page);
    const stored = () => page.evaluate(() => Object.values(sessionStorage).join());
    const first = await stored();
    // A token of an hour is renewed after 45 to 51 minutes.
    await page.clock.fastForward('55:00');
    await expect.poll(stored, { timeout: 10_000 }).not.toBe(first);
    // Past the end of the first token.
    await page.clock.fastForward('15:00');
    await button(page, 'Refresh').click();
    await orders(page);
    expect(await button(page, 'Sign in').isVisible()).toBe(false);
  });
});
