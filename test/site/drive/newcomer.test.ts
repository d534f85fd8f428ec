import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runFirstPage } from '../../../scripts/lib/first-page.ts';
import { installTarball } from '../../../scripts/lib/tarball.ts';
import { type OpenSite, openSite } from './open-site.ts';

/** Runs in the page: the text of an element, its code between backticks, and its language if it is a block of code. */
const readPart = (part: Element) => {
  const copy = part.cloneNode(true) as Element;
  for (const anchor of copy.querySelectorAll('.header-anchor')) anchor.remove();
  for (const code of copy.querySelectorAll('code')) code.textContent = `\`${code.textContent}\``;
  const text = copy.textContent?.replace(/\s+/g, ' ').trim() ?? '';
  return { name: part.tagName, language: /language-(\S+)/.exec(part.className)?.[1], text };
};

describe('the first ten minutes of a newcomer', () => {
  let site: OpenSite;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'arango-services-newcomer-'));
    site = await openSite({ permissions: ['clipboard-read', 'clipboard-write'] });
    await installTarball(folder);
  }, 300_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** The text that the button of a block copies. */
  async function copy(block: Locator): Promise<string> {
    await block.hover();
    await block.getByRole('button', { name: /copy/i }).click();
    return site.page.evaluate<string>('navigator.clipboard.readText()');
  }

  /** The page as Markdown of its headings, paragraphs and what its buttons copy: what a reader has who copies all. */
  async function copyPage(): Promise<string> {
    const parts: string[] = [];
    for (const part of await site.page.locator('.vp-doc :is(h2, p, div[class*="language-"])').all()) {
      const { name, language, text } = await part.evaluate(readPart);
      if (language === undefined) {
        parts.push(name === 'H2' ? `## ${text}\n` : `${text}\n`);
        continue;
      }
      const runs = (await part.locator('xpath=ancestor::*[contains(@class, "run-block")]').count()) > 0;
      parts.push(`\`\`\`${language}\n${runs ? '// runs\n' : ''}${(await copy(part)).trimEnd()}\n\`\`\`\n`);
    }
    return parts.join('\n');
  }

  test('lead from the first page to the first task, whose first example runs in the page', async () => {
    await site.go('');
    const task = site.page.locator('.vp-doc table').first().locator('tbody a').first();
    expect(await task.innerText()).toBe('Call');
    await task.click();
    await site.page.getByRole('heading', { level: 1, name: 'Requests with Route' }).waitFor();
    const example = site.page.locator('.run-block').first();
    // By the keyboard: the page may still move below a mouse.
    await example.getByRole('button', { name: 'Run' }).press('Enter');
    await expect.poll(() => example.getByRole('status').innerText()).toMatch(/^Ran/);
    expect(await example.locator('.run-output').innerText()).toContain('GET /_db/shop/orders/open?limit=5 200');
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('lead from the first page to the first steps, whose commands and code give what the page shows', async () => {
    await site.go('');
    const commands = await copy(site.page.locator('.vp-doc div.language-sh').first());
    await site.page.getByRole('link', { name: 'first steps' }).click();
    await site.page.waitForURL(/readme(?:\.html)?#first-steps$/);
    await site.page.getByRole('heading', { name: 'First steps' }).waitFor();
    const page = await copyPage();
    // The first page begins with the same commands, so that nobody starts two mocks.
    expect(page).toContain(`\`\`\`sh\n${commands.trim()}\n\`\`\``);
    expect(commands.split('\n')[0]).toBe('npm install arango-services');
    expect(page.match(/ \/\/ → /g)?.length).toBeGreaterThan(3);
    expect(page).toContain('Applied: 3 calls.');
    const command = join(folder, 'node_modules/arango-services/dist/command/index.js');
    expect(await runFirstPage(page, { folder, node: process.execPath, command })).toEqual([]);
    expect(site.faults.splice(0)).toEqual([]);
  });
});
