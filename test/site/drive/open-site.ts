import type { BrowserContextOptions, Page } from 'playwright';
import { openChromium } from '../../console/drive/browsers.ts';
import { serveSite } from './served-site.ts';

/** A page of Chromium on the site, and what went wrong in it. */
export interface OpenSite {
  readonly page: Page;
  /** Errors and warnings of the page's console, uncaught errors, and requests to other hosts; take them with `splice`. */
  readonly faults: string[];
  /** Opens a page of the site, by its path from the base, and waits until its scripts run. */
  readonly go: (path: string) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Serves the site and opens Chromium. */
export async function openSite(options: BrowserContextOptions = {}): Promise<OpenSite> {
  const site = await serveSite();
  const { page, hands } = await openChromium({ reducedMotion: 'reduce', ...options });
  const faults: string[] = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`it requests ${request.url()}`);
  });
  return {
    page,
    faults,
    async go(path) {
      await page.goto(site.url + path);
      await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined');
    },
    async [Symbol.asyncDispose]() {
      await hands.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** Changes the colors of the page to light or dark ones, at once. */
export async function useColors(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.addStyleTag({ content: '* { transition: none !important }' });
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(`document.documentElement.classList.contains("dark") === ${colorScheme === 'dark'}`);
}
