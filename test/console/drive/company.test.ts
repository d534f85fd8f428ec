import type { BrowserContextOptions } from 'playwright';
import { describe, expect, test } from 'vitest';
import { browsers, openChromium } from './browsers.ts';
import { openCompany } from './company.ts';
import { faultsOfLooks } from './faults-of-looks.ts';
import { Person } from './person.ts';
import { serveConsole } from './serve.ts';

const wide = { width: 1500, height: 950 };
const narrow = { width: 400, height: 800 };
const ways: readonly (readonly [name: string, options: BrowserContextOptions, rules: 'all' | 'colors'])[] = [
  ['light-1500', { colorScheme: 'light', viewport: wide }, 'all'],
  ['dark-1500', { colorScheme: 'dark', viewport: wide }, 'colors'],
  ['light-400', { colorScheme: 'light', viewport: narrow }, 'all'],
  ['dark-400', { colorScheme: 'dark', viewport: narrow }, 'colors'],
];

const anna = 'anna.abdelrahman@subsidiary.example.com';
const nextPolicy =
  'policies: { orders-read: { statements: [{ effect: Allow, actions: ["orders:read", "orders:approve"], resources: ["orders:*"] }] } }\n';

const views: readonly (readonly [name: string, fragment: string, go: (person: Person) => Promise<void>])[] = [
  [
    'requests',
    '#/requests',
    async (person) => {
      await person.sees('500 requests', 'Action on resource', 'stock:update on stock:2026-1498');
    },
  ],
  [
    'oldest-request',
    '#/requests',
    async (person) => {
      await person.sees('500 requests');
      await person.tabTo('Requests, newest first');
      // The oldest request is not loaded yet.
      await person.press('End');
      await person.sees('invoices:read on invoices:2026-1000', 'Headers');
    },
  ],
  [
    'matrix',
    '#/permissions',
    async (person) => {
      await person.sees('1–50 of 301 users');
      await person.click('Next users');
      await person.sees('51–100 of 301 users');
      await person.type('Actions', 'e');
      await person.sees('1–50 of 301 users', '1–50 of');
      await person.click('Next actions');
      await person.sees('51–');
    },
  ],
  [
    'lists',
    '#/permissions?users=anna.brown@&actions=orders',
    async (person) => {
      await person.type('Search roles', 'orders-');
      await person.missesText('stock-clerk');
      await person.click('18 users');
      await person.sees('Search users', 'The first 30 of 292 bindings.');
      await person.type('Search bindings', 'zeus');
      await person.sees('No binding contains this text.');
    },
  ],
  [
    'few-actions',
    '#/permissions?users=anna&actions=orders:&resource=orders:7&row=-50&column=x',
    (person) => person.sees('No binding'),
  ],
  [
    'cell',
    '#/permissions?users=anna.a&actions=orders:&resource=orders:archive-1',
    async (person) => {
      await person.click(`${anna}, orders:read`);
      await person.sees('Copy the explanation');
    },
  ],
  [
    'what-if',
    `#/what-if?user=${anna}&action=customers:read&resource=customers:1`,
    async (person) => {
      await person.click('28 users');
      await person.sees('Search users');
    },
  ],
  [
    'delete-role',
    '#/permissions?role=orders-clerk&users=anna.a&actions=orders:',
    async (person) => {
      await person.click('Delete…');
      await person.sees('18 bindings of users', 'Lost', 'of role "orders-clerk"', '× 18');
    },
  ],
  [
    'compare',
    '#/compare',
    async (person) => {
      await person.drop('A permissions.yaml: choose it, or drop it here', 'next.yaml', nextPolicy);
      await person.sees('Applying the file would change', 'Gained');
      await person.missesText('Access:');
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
];

describe.skipIf(!browsers.find(({ name }) => name === 'chromium')?.isInstalled()).each(ways)(
  '%s',
  (way, options, rules) => {
    test('at 300 users axe finds nothing, nothing is wider than the page, and a picture is kept of each view', async () => {
      await using mock = await openCompany();
      const url = await serveConsole(mock);
      const { hands, page } = await openChromium(options);
      const person = new Person(`company-${way}`, hands);
      const found: string[] = [];
      page.on('pageerror', (error) => found.push(error.message));
      try {
        for (const [name, fragment, go] of views) {
          await person.open(url + fragment);
          await go(person);
          await person.picture(name);
          found.push(...(await faultsOfLooks(page, name, rules)));
        }
      } finally {
        await hands.close();
      }
      expect(found).toEqual([]);
    }, 300_000);
  },
);
