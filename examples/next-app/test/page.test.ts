import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMock, type Mock } from 'arango-services/mock';
import { listen, type MockServer } from 'arango-services/mock/node';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// Pages are rendered at their first request, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const allow = (actions: string[]) => ({ statements: [{ effect: 'Allow' as const, actions, resources: ['orders'] }] });

let mock: Mock;
let port: MockServer;
/** The gateway alone, as browsers reach it, with this server behind it as `web`. */
let gateway = '';
let server: ChildProcess;
let url = '';

beforeAll(async () => {
  const users = ['alice', 'bob'].map((name) => ({ name, password: 'pw' }));
  const policies = { write: allow(['orders:write']), export: allow(['orders:export']) };
  const roles = { clerk: { policies: ['write'] }, auditor: { policies: ['export'] } };
  const bindings = [
    { user: 'alice', role: 'clerk', scope: allow(['*']) },
    { user: 'bob', role: 'auditor', scope: allow(['*']) },
  ];
  mock = await createMock({ users, policies, roles, bindings });
  port = await listen(mock);
  const env = { ...process.env, ARANGO_URL: port.url };
  server = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '--port', '0'], { env });
  let output = '';
  for await (const text of server.stdout ?? []) {
    output += text;
    [url = ''] = /http:\/\/localhost:\d+/.exec(output) ?? [];
    if (url && /Ready/.test(output)) break;
  }
  server.stdout?.resume();
  gateway = (await listen(mock, { gateway: true })).url.replace('127.0.0.1', 'localhost');
  mock.service('web', url, { authentication: 'optional' });
}, 60_000);
afterAll(async () => {
  server?.kill();
  await Promise.all([server && once(server, 'exit'), mock?.[Symbol.asyncDispose]()]);
});

const cookieOf = async (user: string) => `X-ArangoDB-Token-JWT=${await mock.tokens.issue({ user })}`;
async function read(headers: Record<string, string>, from = url): Promise<string> {
  const response = await fetch(from, { headers });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/no-store/)]);
  return (await response.text()).replace(/<!-- -->/g, '');
}

test('each caller gets the page of its own, also at the same time', async () => {
  const cookies = await Promise.all(['alice', 'bob'].map(cookieOf));
  const pages = await Promise.all(Array.from({ length: 20 }, (_, index) => read({ cookie: cookies[index % 2] ?? '' })));
  for (const [index, page] of pages.entries()) {
    const [own, other] = index % 2 === 0 ? ['alice', 'bob'] : ['bob', 'alice'];
    expect(page).toContain(`Orders of ${own}`);
    expect(page).not.toContain(other);
    expect(page.includes('New order</button>')).toBe(own === 'alice');
  }
});

test('the token of a gateway comes first', async () => {
  const authorization = `bearer ${await mock.tokens.issue({ user: 'bob' })}`;
  expect(await read({ authorization, cookie: await cookieOf('alice') })).toContain('Orders of bob');
});

test('behind the gateway it is the page of its caller', async () => {
  const web = `${gateway}/_service/uds/_db/shop/web/`;
  expect(await read({ cookie: await cookieOf('alice') }, web)).toContain('Orders of alice');
  expect(await read({}, web)).toContain('Please sign in.');
});

test.each([{}, { cookie: 'X-ArangoDB-Token-JWT=forged' }, { cookie: 'X-ArangoDB-Token-JWT=\u00fc not a token' }])(
  'without a valid token it asks to sign in',
  async (headers) => {
    expect(await read(headers as Record<string, string>)).toContain('Please sign in.');
  },
);

test.skipIf(!process.env.CHROME_PATH)(
  'the page takes over without a flicker, and asks only what is new',
  async () => {
    const browser = await chromium.launch({ executablePath: process.env.CHROME_PATH ?? '', args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${gateway}/_service/uds/_db/shop/web/`);
      // The cookie of the gateway's login is that of the host, whatever the port.
      await page.evaluate(async () => {
        const body = { credentials: { username: 'alice', password: 'pw' }, options: { cookies: true } };
        await fetch('/_login', { method: 'POST', body: JSON.stringify(body) });
      });
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        // The page has no icon.
        if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) faults.push(message.text());
      });
      const asked: unknown[] = [];
      page.on('request', (request) => request.url().endsWith('/permissions') && asked.push(request.postDataJSON()));
      // The texts that the page had at any time.
      await page.addInitScript(() => {
        const texts = new Set<string>();
        Object.assign(globalThis, { texts });
        new MutationObserver(() => {
          const text = document.querySelector('main')?.innerText;
          if (text !== undefined) texts.add(text);
        }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      });
      await page.goto(url);
      await page.locator('main[data-export=false]').waitFor();
      const texts = await page.evaluate(() => [...(globalThis as unknown as { texts: Set<string> }).texts]);
      expect(texts).toEqual(['Orders of alice\n\nNew order']);
      expect(asked).toEqual([{ items: [{ action: 'orders:export', resource: 'orders' }] }]);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  60_000,
);
