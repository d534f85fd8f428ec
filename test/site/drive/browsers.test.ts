import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browsers } from '../../console/drive/browsers.ts';
import type { Hands } from '../../console/drive/hands.ts';
import { Person } from '../../console/drive/person.ts';
import { type ServedSite, serveSite } from './served-site.ts';

// Set by scripts/check-deep.ts. The other tests use Chromium.
describe.runIf(process.env.SITE_BROWSERS === 'all')('the site', () => {
  let site: ServedSite;
  beforeAll(async () => {
    site = await serveSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  for (const browser of browsers) {
    test.runIf(browser.isInstalled())(`decides, runs an example and finds a word in ${browser.name}`, async () => {
      const hands: Hands = await browser.open();
      try {
        const person = new Person(`site-${browser.name}`, hands);
        const open = async (path: string) => {
          await person.open(site.url + path);
          // A click on a page whose scripts do not run yet is lost.
          await expect
            .poll(() => hands.run('return document.querySelector("#app").__vue_app__ !== undefined'))
            .toBe(true);
        };
        await open('');
        await person.sees('200');
        await person.click('Add a Deny');
        await person.sees('403', 'Deny orders:* on orders:7');
        await open('guides/testing.html');
        await person.click('Run');
        await person.sees('Ran');
        // It asks the mock a few hundred questions.
        await open('guides/conformance.html');
        await person.click('Run');
        await person.sees('Ran: 3 of 3 values are those of the page');
        await person.click('Search');
        await expect.poll(() => hands.run('return document.activeElement.id')).toBe('localsearch-input');
        await hands.write('recorder');
        await person.sees('Record and play back');
      } finally {
        await hands.close();
      }
    });
  }
});
