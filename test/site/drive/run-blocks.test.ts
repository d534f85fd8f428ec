import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, readPage, readPages } from '../../../site/lib/pages.ts';
import { findRuns } from '../../../site/lib/run-blocks.ts';
import { findViolations } from './find-violations.ts';
import { type OpenSite, openSite } from './open-site.ts';

const files = [...readPages({ withReference: false }).keys()];
const pages = files.flatMap((file) => {
  const blocks = findRuns(file, readPage(file));
  return blocks.length === 0 ? [] : [{ file, blocks, path: placeOf(file).replace(/\.md$/, '.html') }];
});
const blocks = pages.flatMap((page) => page.blocks);

/** Starts a block by the keyboard: the output of a block above may move a button away under a mouse. */
const start = (block: Locator) => block.getByRole('button', { name: 'Run' }).press('Enter');

/** Waits until a block has run. */
const waitForOutcome = (block: Locator) =>
  block
    .getByRole('status')
    .filter({ hasText: /^(?:Ran|Failed)/ })
    .waitFor();

describe('Run below the examples', () => {
  let site: OpenSite;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test('stands below all but eight, which need Node', () => {
    expect(blocks.filter(({ reason }) => reason !== undefined)).toHaveLength(8);
    expect(blocks.filter(({ reason }) => reason === undefined).length).toBeGreaterThanOrEqual(42);
  });

  test.each(pages)('shows the values that $file promises', async ({ path, blocks }) => {
    await site.go(path);
    const outcomes: (string | undefined)[] = [];
    const expected = blocks.map(({ values, reason }) =>
      reason === undefined ? `${values} values` : `Runs in Node only: ${reason}.`,
    );
    for (const block of await site.page.locator('.run-block, .typed-block + p.run-note').all()) {
      if ((await block.getByRole('button', { name: 'Run' }).count()) === 0) {
        outcomes.push(await block.innerText());
        continue;
      }
      await start(block);
      await waitForOutcome(block);
      const faults = await block.locator('.error').allInnerTexts();
      outcomes.push([`${await block.locator('.value').count()} values`, ...faults].join('\n'));
    }
    expect(outcomes).toEqual(expected);
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('says so if a value differs from that of the page, or the block throws', async () => {
    await site.page.route(/README\.md.*\.js|readme.*\.js/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/(["'`])root\1/g, '"nobody"') });
    });
    await site.go('readme.html');
    const first = site.page.locator('.run-block').first();
    await start(first);
    await waitForOutcome(first);
    expect(await first.getByRole('status').innerText()).toBe('Failed');
    await site.page.unroute(/README\.md.*\.js|readme.*\.js/);
  });

  test('runs one block after the other, so that each has a platform of its own', async () => {
    await site.go('guides/requests.html');
    const runs = await site.page.locator('.run-block').all();
    for (const block of runs) await start(block);
    for (const block of runs) await waitForOutcome(block);
    const outcomes = await site.page.locator('.run-block [role=status]').allInnerTexts();
    expect(outcomes.filter((outcome) => !outcome.startsWith('Ran'))).toEqual([]);
  });

  test('pleases axe with its output open, in light and in dark', async () => {
    expect(await site.page.locator('.run-output').count()).toBeGreaterThan(3);
    expect(await findViolations(site.page, '.shiki code')).toEqual([]);
  });
});
