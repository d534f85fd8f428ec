import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printable } from '../../../src/base/lib/text/printable.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { bytesOf, decisionOf } from '../log/logs-of-tests.ts';
import { browsers, openChromium } from './browsers.ts';

const hostile = `<img src=x onerror="window.executed=1"><script>window.executed=1</script>"'\`\${window.executed=1}`;
const allowAll = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'], description: hostile }] } as const;
const own = { effect: 'Allow', actions: ['orders:<b>'], resources: [hostile], description: hostile } as const;
const names = [hostile, '__proto__', 'constructor'];

let mock: Mock;
let page: Page;
let url = '';
let close = async (): Promise<void> => {};
const faults: string[] = [];

/** A mock whose every name, path, header, body and fault is hostile. */
async function openHostile(): Promise<Mock> {
  const made = await createMock({
    users: names.map((name) => ({ name, password: 'pw' })),
    policies: Object.fromEntries(names.map((name) => [name, { description: hostile, statements: [own] }])),
    roles: Object.fromEntries(names.map((name) => [name, { policies: [name, 'missing<b>'], description: hostile }])),
    bindings: names.map((name) => ({ user: name, role: name, scope: allowAll })),
  });
  const base = made.connection.url;
  const post = (path: string, body: unknown) =>
    made.fetch(`${base}${path}`, { method: 'POST', body: JSON.stringify(body) });
  for (const user of names) {
    await post('/_integration/authorization/v1/evaluate', { user, action: hostile, resource: hostile });
  }
  const headers = { 'x-hostile': hostile, authorization: `bearer ${await made.tokens.issue({ user: hostile })}` };
  const path = `/${encodeURIComponent(hostile)}?q=${encodeURIComponent(hostile)}`;
  await made.fetch(base + path, { method: 'PATCH', headers, body: JSON.stringify({ [hostile]: hostile }) });
  await post(`/_db/x/${'y'.repeat(60_000)}`, 'z'.repeat(200_000));
  made.route('GET', '/_db/:db/throws', () => {
    throw new Error(hostile);
  });
  await made.fetch(`${base}/_db/x/throws`, { headers });
  made.fail({ status: 503, body: hostile, headers: { 'x-a': '<b>' }, path: '/%3Cb%3E' });
  return made;
}

beforeAll(async () => {
  mock = await openHostile();
  url = (await listen(mock, { console: true })).console?.url ?? '';
  const opened = await openChromium();
  page = opened.page;
  close = () => opened.hands.close();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => faults.push('dialog')));
  page.on('console', (message) => {
    // A refused question is an answer, which Chromium logs as well.
    const isRefusal = message.text().includes('status of 400');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
}, 60_000);
afterAll(async () => {
  await close();
  await mock[Symbol.asyncDispose]();
});

async function go(fragment: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url + fragment);
  await page.locator('nav').waitFor();
}

/** Clicks on everything that a selector finds, and closes what it opens. */
async function openAll(selector: string, atLeast: number): Promise<void> {
  await page.locator(selector).first().waitFor();
  const found = await page.locator(selector).all();
  expect(found.length).toBeGreaterThanOrEqual(atLeast);
  for (const one of found) {
    await one.click();
    await page.waitForTimeout(60);
    await page.keyboard.press('Escape');
  }
}

const field = (label: string) => page.getByLabel(label, { exact: true }).first();
const button = (name: string) => page.getByRole('button', { name, exact: true }).first();

const views: readonly (readonly [name: string, visit: () => Promise<void>])[] = [
  [
    'requests',
    async () => {
      await go('#/requests');
      await openAll('.list-row', 6);
      await field('Text').fill(hostile);
    },
  ],
  [
    'permissions',
    async () => {
      await go(`#/permissions?resource=${encodeURIComponent(hostile)}`);
      await openAll('.matrix button.cell', 3);
      await openAll('.matrix tbody th button', 3);
      await openAll('.items button.link', 9);
    },
  ],
  [
    'what if',
    async () => {
      await go('#/what-if');
      for (const label of ['User', 'Action', 'Resource']) await field(label).fill(hostile);
      await page.getByLabel('Decision', { exact: true }).getByText('Deny').first().waitFor();
    },
  ],
  [
    'tokens',
    async () => {
      await go('#/tokens');
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { exp: 1e300, iat: -1e15, nbf: hostile, preferred_username: hostile, [hostile]: [hostile] };
      for (const token of [hostile, 'a.b.c', `${part({ alg: hostile })}.${part(claims)}.x`, 'x'.repeat(100_000)]) {
        await field('Token').fill(token);
        await page.waitForTimeout(150);
      }
      await field('User').fill(hostile);
      await button('Mint').click();
      await page.getByText('Made a valid token.').waitFor();
    },
  ],
  [
    'clock and faults',
    async () => {
      await go('#/clock');
      await field('Name').fill(hostile.slice(0, 99));
      await button('Take a snapshot').click();
      await field('Set and stop the clock').fill(hostile);
      await button('Set').click();
      await button('Export').click();
      await page.waitForTimeout(300);
    },
  ],
  [
    'decision log',
    async () => {
      await go('#/log');
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
      const texts = [hostile, '__proto__', 'red\u001b[31m\u0007', 'a\u202eb\u2066', '', 'x'.repeat(100_000), '\ud800'];
      const lines = texts.flatMap((odd) => [
        decisionOf({ subject: { user: odd, groups: [odd] }, action: odd, resource: odd, enforced: false }),
        decisionOf({ subject: { userHash: odd }, masked: [odd], action: odd, effect: 'Deny' }),
        decisionOf({ subject: { user: odd }, because: [{ role: odd, policy: odd, statement: 0 }], effect: 'Deny' }),
      ]);
      const name = `${hostile.slice(0, 40).replaceAll('/', '')}\u202e.log`;
      const buffer = Buffer.from(bytesOf([hostile, ...lines]));
      await field('A decision log, also gzip: choose it, or drop it here').setInputFiles({
        name,
        mimeType: 'text/html',
        buffer,
      });
      await page.getByText('Unused permissions').waitFor();
      for (const list of ['By user', 'By action']) {
        const links = page.getByLabel(list).first().locator('button.link');
        for (let row = 0; row < 4; row += 1) {
          await links.nth(row).click();
          await page.getByRole('button', { name: 'Only ' }).click();
        }
      }
      const shown = String(await page.evaluate('document.body.innerText')).replaceAll(/[\n\t]/g, ' ');
      expect(shown).toContain('red\ufffd[31m');
      // Nothing of the log leaves the tab.
      expect(sent.filter((one) => /red|xxx|__proto__/.test(decodeURIComponent(one)))).toEqual([]);
      expect(shown).toBe(printable(shown));
      expect(shown).not.toMatch(/x{200}/);
    },
  ],
  [
    'fragments',
    async () => {
      const odd = [
        '#/__proto__',
        '#javascript:alert(1)',
        `#/${hostile}`,
        '#%',
        '#/requests?%E0%A4%A',
        '#/requests?id=x',
      ];
      for (const fragment of odd) await go(fragment);
      await go(`#/what-if?__proto__=1&as=${encodeURIComponent(hostile)}&user=${encodeURIComponent(hostile)}`);
    },
  ],
];

test.skipIf(!browsers[0]?.isInstalled()).each(views)('executes nothing and fails nowhere in %s', async (_, visit) => {
  await visit();
  expect(await page.evaluate('window.executed')).toBeUndefined();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expect(faults).toEqual([]);
});
