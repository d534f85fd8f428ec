import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DecisionLine } from '../../../src/policy/decision-line/line.ts';
import { bytesOf, decisionOf } from '../log/logs-of-tests.ts';
import { browsers, openChromium } from './browsers.ts';
import { serveConsole, serveLog } from './serve.ts';
import { openShop } from './shop.ts';

const canary = 'canary-of-the-log';

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const { hands, page } = await openChromium(options);
  onTestFinished(() => hands.close());
  return page;
}

async function shop() {
  const mock = await openShop();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** Serves a page of another site on a port of its own. */
async function serveOther(): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The cast: a server that listens on a port has an AddressInfo.
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** All ways in which a page of another site may try to read the log; each gives a text. */
const theft = `(async (url) => {
  const tried = {};
  const nothing = () => new Promise((resolve) => setTimeout(resolve, 1_000, 'nothing'));
  const tell = async (name, run) => {
    tried[name] = await Promise.race([run().catch((error) => 'refused ' + error.name), nothing()]);
  };
  const ask = (init) => async () => (await fetch(url, { method: 'POST', credentials: 'include', body: '{}', ...init })).text();
  await tell('cors', ask({ headers: { 'content-type': 'application/json', 'x-console-token': 'x' } }));
  await tell('simple', ask({ headers: { 'content-type': 'text/plain' } }));
  await tell('opaque', ask({ mode: 'no-cors' }));
  const element = (tag, source) => () => new Promise((resolve, reject) => {
    const one = Object.assign(document.createElement(tag), { [source]: url });
    one.onload = () => resolve('loaded ' + (one.contentDocument?.body?.innerText ?? ''));
    one.onerror = () => reject(new Error('error'));
    document.body.append(one);
  });
  await tell('script', element('script', 'src'));
  await tell('image', element('img', 'src'));
  await tell('frame', element('iframe', 'src'));
  await tell('object', element('object', 'data'));
  await tell('worker', async () => String(new Worker(url)));
  await tell('beacon', async () => String(navigator.sendBeacon(url, new Blob(['{}'], { type: 'text/plain' }))));
  await tell('form', () => new Promise((resolve) => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'target' });
    const form = Object.assign(document.createElement('form'), { method: 'POST', action: url, target: 'target', enctype: 'text/plain' });
    document.body.append(frame, form);
    frame.onload = () => { try { resolve(frame.contentDocument?.body?.innerText ?? ''); } catch (error) { resolve('refused'); } };
    form.submit();
  }));
  return tried;
})`;

describe.skipIf(!browsers[0]?.isInstalled())('the log in Chromium', () => {
  test('no page of another site reads the log of the command line, and no address has the key or the token', async () => {
    let reads = 0;
    const served = await serveLog(async function* () {
      reads += 1;
      yield bytesOf([decisionOf({ subject: { user: canary } })]);
    });
    const page = await open();
    const requests: string[] = [];
    const tokens = new Set<string>();
    page.on('request', (request) => {
      requests.push(`${request.method()} ${request.url()} ${request.headers().referer ?? ''}`);
      const token = request.headers()['x-console-token'];
      if (token) tokens.add(token);
    });
    await page.goto(`${served.url}#key=${served.key}`);
    await page.getByRole('link', { name: 'Decision log' }).click();
    await page.getByText('1 decision in 1 line').waitFor();
    expect([reads, tokens.size]).toEqual([1, 1]);
    expect(requests).toContainEqual(expect.stringMatching(/^POST .*\/_console\/api\/log /));
    for (const secret of [served.key, ...tokens]) {
      expect([...requests, page.url(), await page.content()].filter((text) => text.includes(secret))).toEqual([]);
    }
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    // The browser has the cookie of the console now.
    const other = await page.context().newPage();
    await other.goto(await serveOther());
    for (const path of ['_console/api/log', '_console/api/overview']) {
      const target = new URL(`/${path}`, served.url).href;
      for (const url of [target, target.replace('127.0.0.1', 'localhost')]) {
        const tried = (await other.evaluate(`${theft}(${JSON.stringify(url)})`)) as Record<string, string>;
        expect(Object.keys(tried)).toHaveLength(10);
        expect(JSON.stringify(tried)).not.toMatch(new RegExp(`${canary}|sidecar`));
      }
    }
    // Going there shows no more than a refusal.
    await other.goto(new URL('/_console/api/log', served.url).href);
    expect(await other.evaluate('document.body.innerText')).toContain('only the page of the console itself');
    expect(reads).toBe(1);
  });

  test('a log looks alike in each time zone and language, with days without decisions and a clock that goes back', async () => {
    const times = [
      '2026-03-29T02:30:00+01:00',
      '2026-03-28T23:59:59Z',
      '2026-04-20T00:00:00Z',
      '2026-03-29T01:29:59.999Z',
    ];
    const lines = times.map((time, i): DecisionLine => decisionOf({ time, effect: i % 2 ? 'Deny' : 'Allow' }));
    const url = `${await serveConsole(await shop())}#/log`;
    const seen: string[] = [];
    for (const timezoneId of ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles']) {
      const page = await open({ timezoneId, locale: timezoneId === 'UTC' ? 'en-US' : 'de-DE' });
      await page.goto(url);
      const buffer = Buffer.from(bytesOf(lines));
      await page.getByLabel(/^A decision log/).setInputFiles({ name: 'sidecar.log', mimeType: '', buffer });
      await page.getByText('Unused permissions').waitFor();
      await page.getByText('As a table').click();
      seen.push(String(await page.evaluate("document.querySelector('.timeline').innerText")));
      expect(await page.getByText(/^4 decisions in 4 lines from/).textContent()).toBe(
        '4 decisions in 4 lines from 2026-03-28T23:59:59Z to 2026-04-20T00:00:00Z.',
      );
    }
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]?.replaceAll(/\s+/g, ' ')).toContain(
      '2026-03-28 12:00 1 0 2026-03-29 00:00 1 1 2026-04-20 00:00 0 1',
    );
  });

  test('nothing of the view is clipped when it is printed', async () => {
    const users = Array.from({ length: 90 }, (_, i) => `user-${i}`);
    const lines = users.map((user) => decisionOf({ subject: { user }, enforced: false, effect: 'Deny' }));
    const page = await open();
    await page.goto(`${await serveConsole(await shop())}#/log`);
    const buffer = Buffer.from(bytesOf(lines));
    await page.getByLabel(/^A decision log/).setInputFiles({ name: 'sidecar.log', mimeType: '', buffer });
    await page.getByText('Unused permissions').waitFor();
    await page.emulateMedia({ media: 'print' });
    // Nothing scrolls by itself, and the navigation is gone.
    const clipped = `[...document.querySelectorAll('.shell, main, .page')].filter(
      (one) => one.scrollHeight > one.clientHeight + 1 || getComputedStyle(one).overflowY !== 'visible').length`;
    expect(await page.evaluate(clipped)).toBe(0);
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByText('Unused permissions').isVisible()).toBe(true);
  });
});
