import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMock, type Mock } from 'arango-services/mock';
import { listen, type MockServer } from 'arango-services/mock/node';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// Pages are rendered at their first request, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const allow = (actions: string[], resources = ['orders']) => ({
  statements: [{ effect: 'Allow' as const, actions, resources }],
});

let mock: Mock;
let port: MockServer;
/** The gateway alone, as browsers reach it, with this server behind it as `web`. */
let gateway = '';
let server: ChildProcess;
let url = '';

beforeAll(async () => {
  const users = ['alice', 'bob'].map((name) => ({ name, password: 'pw' }));
  const read = allow(['orders:read'], ['order:*']);
  const policies = { write: allow(['orders:write']), export: allow(['orders:export']), read };
  const roles = { clerk: { policies: ['write', 'read'] }, auditor: { policies: ['export'] } };
  const bindings = [
    { user: 'alice', role: 'clerk', scope: allow(['*'], ['*']) },
    { user: 'bob', role: 'auditor', scope: allow(['*'], ['*']) },
  ];
  mock = await createMock({ users, policies, roles, bindings });
  mock.route('GET', '/_db/shop/orders', ({ user }) => ({ body: [{ id: `${user}-1` }] }));
  mock.route('GET', '/_db/shop/orders/7', ({ user }) => ({ body: { id: '7', user } }));
  mock.route('POST', '/_db/shop/orders', ({ user }) => ({ body: { user } }));
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

test('the handler answers its caller as the platform decides', async () => {
  const get = async (id: string, headers: Record<string, string>) => fetch(`${url}/orders/${id}`, { headers });
  const alice = { cookie: await cookieOf('alice') };
  expect(await (await get('7', alice)).json()).toEqual({ id: '7', user: 'alice' });
  expect((await get('8', alice)).status).toBe(404);
  expect((await get('7', { cookie: await cookieOf('bob') })).status).toBe(403);
  expect((await get('7', {})).status).toBe(401);
});

/** Sends the form of alice's page, as a browser without JavaScript does; gives the page of the answer. */
async function submit(headers: Record<string, string>, to = url): Promise<string> {
  const page = await read({ cookie: await cookieOf('alice') }, to);
  const body = new FormData();
  for (const [, name = '', value = ''] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)) {
    body.set(name, value.replaceAll('&quot;', '"'));
  }
  body.set('total', '5');
  const answer = await fetch(to, { method: 'POST', body, headers: { origin: new URL(to).origin, ...headers } });
  return (await answer.text()).replace(/<!-- -->/g, '');
}
const added = () => mock.requests.filter(({ method, path }) => method === 'POST' && path === '/_db/shop/orders');

test('the action adds an order as its caller, behind the gateway, too', async () => {
  const cookie = await cookieOf('alice');
  expect(await submit({ cookie })).toContain('Added.');
  const web = `${gateway}/_service/uds/_db/shop/web/`;
  expect(await submit({ cookie, 'sec-fetch-site': 'same-origin' }, web)).toContain('Added.');
  expect(added().map(({ user }) => user)).toEqual(['alice', 'alice']);
});

test('the action refuses a caller without the permission, and the form of another site', async () => {
  const before = added().length;
  const cookie = await cookieOf('alice');
  expect(await submit({ authorization: `Bearer ${await mock.tokens.issue({ user: 'bob' })}` })).toContain(
    'may not add',
  );
  await submit({});
  await submit({ cookie, 'sec-fetch-site': 'cross-site' });
  await submit({ cookie, origin: 'https://elsewhere.example' });
  expect(added().length).toBe(before);
});

test('nothing is open to a request that goes round the proxy', async () => {
  const headers = { 'x-middleware-subrequest': Array.from({ length: 5 }, () => 'proxy').join(':') };
  expect(await read(headers)).toContain('Please sign in.');
  expect((await fetch(`${url}/orders/7`, { headers })).status).toBe(401);
});

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
      expect(texts).toEqual(['Orders of alice: alice-1\n\nNew order']);
      expect(asked).toEqual([{ items: [{ action: 'orders:export', resource: 'orders' }] }]);
      await page.getByLabel('Total').fill('5');
      await page.getByRole('button', { name: 'New order' }).click();
      await page.getByText('Added.').waitFor();
      expect(added().at(-1)).toMatchObject({ user: 'alice' });
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  60_000,
);
