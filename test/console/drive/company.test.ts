import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright';
import { describe, expect, test } from 'vitest';
import { browsers, openChromium } from './browsers.ts';
import { openCompany } from './company.ts';
import { Person } from './person.ts';
import { serveConsole } from './serve.ts';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const wide = { width: 1500, height: 950 };
const narrow = { width: 400, height: 800 };
const ways: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['light-1500', { colorScheme: 'light', viewport: wide }],
  ['dark-1500', { colorScheme: 'dark', viewport: wide }],
  ['light-400', { colorScheme: 'light', viewport: narrow }],
  ['dark-400', { colorScheme: 'dark', viewport: narrow }],
];
const only = process.env.ONLY?.split(',');
const denied = 'user=anna.abdelrahman@subsidiary.example.com&action=customers:read&resource=customers:1';
const views: readonly (readonly [name: string, fragment: string, go: (person: Person) => Promise<void>])[] = [
  ['requests', '#/requests', (person) => person.sees('500 requests')],
  ['request', '#/requests?id=8', (person) => person.sees('Headers')],
  ['matrix', '#/permissions', (person) => person.sees('Some resources')],
  [
    'lists',
    '#/permissions',
    async (person) => {
      await person.sees('Bindings');
      await person.run("document.querySelector('.page').scrollTop = 640");
      await new Promise((r) => setTimeout(r, 200));
    },
  ],
  ['few-actions', '#/permissions?users=anna&actions=orders:&resource=orders:7', (person) => person.sees('No binding')],
  [
    'cell',
    '#/permissions?resource=orders:archive-1',
    async (person) => {
      await person.click('anna.abdelrahman@subsidiary.example.com, orders:read');
      await person.sees('Copy the explanation');
    },
  ],
  ['what-if', `#/what-if?${denied}`, (person) => person.sees('Who can')],
  [
    'edit-role',
    '#/permissions',
    async (person) => {
      await person.click('Edit role orders-clerk');
      await person.sees('Policies');
    },
  ],
  [
    'delete-role',
    '#/permissions',
    async (person) => {
      await person.click('Edit role orders-clerk');
      await person.click('Delete…');
      await person.sees('Lost');
    },
  ],
  [
    'compare',
    '#/compare',
    async (person) => {
      await person.drop(
        'A permissions.yaml: choose it, or drop it here',
        'next.yaml',
        'policies: { orders-read: { statements: [{ effect: Allow, actions: ["orders:read", "orders:approve"], resources: ["orders:*"] }] } }\n',
      );
      await person.sees('Applying the file would change', 'Gained');
    },
  ],
  [
    'log',
    '#/log',
    async (person) => {
      await person.click('Read the requests of this mock');
      await person.sees('490 decisions', 'Unused permissions', 'Roles');
    },
  ],
  ['clock', '#/clock', (person) => person.sees('Stopped')],
  ['tokens', '#/tokens', (person) => person.sees('No token')],
];

/** The pixels by which a view is wider than the page. A view scrolls by itself. */
const overflow = `Math.max(...[document.documentElement, ...document.querySelectorAll('.page')].map(
  (one) => one.scrollWidth - one.clientWidth))`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.skipIf(!browsers.find(({ name }) => name === 'chromium')?.isInstalled()).each(ways)('%s', (way, options) => {
  test('at 300 users axe finds nothing, nothing is wider than the page, and a picture is kept of each view', async () => {
    await using mock = await openCompany();
    const url = await serveConsole(mock);
    const { hands, page } = await openChromium(options);
    const person = new Person(`company-${way}`, hands);
    const found: string[] = [];
    page.on('pageerror', (error) => found.push(error.message));
    try {
      for (const [name, fragment, go] of views) {
        if (only && !only.includes(name)) continue;
        await person.open(url + fragment);
        await go(person);
        await person.picture(name);
        await page.evaluate(axe);
        // The cast: what axe answers.
        const results = (await page.evaluate('axe.run()')) as { readonly violations: readonly Violation[] };
        for (const { id, nodes } of results.violations) {
          found.push(
            ...nodes.slice(0, 3).map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
          );
        }
        const over = await page.evaluate(overflow);
        if (Number(over) > 0) found.push(`${name} is ${over} px wider than the page`);
      }
    } finally {
      await hands.close();
    }
    expect(found).toEqual([]);
  }, 180_000);
});
