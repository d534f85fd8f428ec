import type { BrowserContextOptions, Page } from 'playwright';
import { openChromium } from '../../console/drive/browsers.ts';
import { faultsOfLooks } from '../../console/drive/faults-of-looks.ts';
import { serveSite } from './served-site.ts';

/** The site in a page of Chromium. */
export interface OpenedSite extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the page, and requests to other hosts. */
  readonly faults: readonly string[];
  /** Loads a page of the site by its path, until its scripts have taken over. */
  visit(path: string): Promise<void>;
  /** What axe finds in the page as it is now, in light and in dark. */
  findViolations(): Promise<readonly string[]>;
}

/** Opens Chromium over the built site. */
export async function openSite(options: BrowserContextOptions = {}): Promise<OpenedSite> {
  const site = await serveSite();
  const { page, hands } = await openChromium({ reducedMotion: 'reduce', ...options });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`it requests ${request.url()}`);
  });
  return {
    page,
    faults,
    async visit(path) {
      await page.goto(site.url + path);
      await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined');
    },
    async findViolations() {
      await page.addStyleTag({ content: '* { transition: none !important }' });
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await faultsOfLooks(page, 'light', 'all');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction('document.documentElement.classList.contains("dark")');
      const dark = await faultsOfLooks(page, 'dark', 'colors');
      await page.emulateMedia({ colorScheme: 'light' });
      return [...light, ...dark];
    },
    async [Symbol.asyncDispose]() {
      await hands.close();
      await site[Symbol.asyncDispose]();
    },
  };
}
