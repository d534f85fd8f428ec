import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockConsole } from '../../../src/console/mock/mock-api.ts';
import { serveConsole as serveWithKey } from '../../../src/console/server/serve.ts';
import { browsers, openChromium } from './browsers.ts';
import { openCompany } from './company.ts';
import { Person, pictures } from './person.ts';
import { serveConsole } from './serve.ts';
import { fillLog, openShop } from './shop.ts';

// The figures are reported, not asserted: a busy machine would fail a test that asserts a time.

async function report(name: string, figures: object): Promise<void> {
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
  console.log(name, JSON.stringify(figures));
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the CPU. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of the page's main thread, in milliseconds of the CPU: what a frame costs if nothing else runs. */
function longestTask(events: readonly TraceEvent[]): number {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isMain = ({ pid, tid }: TraceEvent) => threads.some((one) => one.pid === pid && one.tid === tid);
  const tasks = events.filter((event) => event.ph === 'X' && event.name.endsWith('RunTask') && isMain(event));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** Scrolls the list to its end with the wheel, and measures the frames meanwhile. */
async function scrollThrough(page: Page): Promise<readonly number[]> {
  await page.evaluate(`
    window.frames_ = [];
    let last = performance.now();
    const frame = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
  `);
  const atEnd = `(() => { const list = document.querySelector('[role=listbox]');
    return list.scrollTop + list.clientHeight >= list.scrollHeight - 1; })()`;
  // The script of the check would count as work of the page: it runs seldom.
  do {
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, 2_000);
  } while (!(await page.evaluate(atEnd)));
  // The cast: the numbers that the script above collects.
  return (await page.evaluate('window.frames_')) as readonly number[];
}

/** Writes a million lines as a sidecar does: 1,000 users with 120,000 questions. */
async function writeMillion(file: string): Promise<void> {
  const out = createWriteStream(file);
  const start = Date.UTC(2026, 10, 1);
  for (let batch = 0; batch < 1_000; batch += 1) {
    const lines = Array.from({ length: 1_000 }, (_, i) => {
      const question = (batch * 1_000 + i) % 120_000;
      const user = `user-${question % 1_000}`;
      const [action, resource] = [`orders:action-${question % 12}`, `order:${Math.floor(question / 1_000)}`];
      const [message, event] = i % 50 ? ['Access Granted', 'Access Granted'] : ['Permission denied', 'Access Denied'];
      const time = new Date(start + (batch * 1_000 + i) * 2_000).toISOString().replace('.000', '');
      const method = 'Permissive.Evaluate';
      const fields = { level: 'info', method, user, action, resource, roles: [], context: 'null', message, time };
      return `${JSON.stringify(fields).slice(0, -1)},"message":"${event}"}\n`;
    });
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** The peak of the memory of the page's process in MB, of all its threads; undefined where the system does not tell. */
async function peakMemory(page: Page): Promise<number | undefined> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    });
  const most = Math.max(0, ...(await Promise.all(peaks)));
  return most > 0 ? Math.round(most / 1_000) : undefined;
}

let folder = '';
let million = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arango-services-log-'));
  million = join(folder, 'sidecar.log');
  await writeMillion(million);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Collects the time between frames that are more than 100 ms apart. */
const watchFrames = `window.gaps_ = [];
  let last = performance.now();
  const frame = (now) => { if (now - last > 100) window.gaps_.push(Math.round(now - last)); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);`;

describe.each(browsers.filter((browser) => browser.isInstalled()))('in $name', (browser) => {
  test('a million decisions of the command line are read, twice, while the page answers', async () => {
    await using mock = await openShop();
    const api = createMockConsole(mock);
    const { size } = await stat(million);
    let open = 0;
    async function* read() {
      open += 1;
      try {
        yield* createReadStream(million);
      } finally {
        open -= 1;
      }
    }
    const overview = async () => ({ ...(await api.overview()), log: { name: 'sidecar.log', size } });
    const served = await serveWithKey({ ...api, overview, log: read }, 0);
    const person = new Person(`million-${browser.name}`, await browser.open());
    try {
      await person.open(`${served.url}#key=${served.key}`);
      await person.sees('Decision log');
      await person.run(watchFrames);
      for (const turn of [1, 2]) {
        const start = performance.now();
        await person.click(turn === 1 ? 'Decision log' : 'Read sidecar.log');
        await person.sees('Reading sidecar.log');
        // Another view is usable meanwhile.
        await person.click('Tokens');
        await person.sees('No token yet');
        await person.click('Decision log');
        const isRead = "return document.body.innerText.includes('1,000,000 decisions in 1,000,000 lines');";
        await expect.poll(() => person.run(isRead), { timeout: 170_000, interval: 100 }).toBe(true);
        const readMs = Math.round(performance.now() - start);
        await person.sees('20,000 denied, 980,000 allowed', 'Unused permissions');
        await report(`million-${browser.name}-${turn}`, { readMs, gapsMs: await person.run('return window.gaps_;') });
        await expect.poll(() => open).toBe(0);
        await person.click('Close the log');
      }
    } finally {
      await person.close();
      await served.close();
    }
  }, 400_000);
});

describe.skipIf(!browsers.find(({ name }) => name === 'chromium')?.isInstalled())('in Chromium', () => {
  test('10 000 requests scroll from the newest to the oldest', async () => {
    await using mock = await openShop();
    await fillLog(mock, 10_000);
    const { hands, page } = await openChromium();
    try {
      const person = new Person('speed', hands);
      await person.open(`${await serveConsole(mock)}#/requests`);
      await person.sees('10000 requests');
      await page.waitForTimeout(500);
      await page.getByRole('listbox').hover();
      const browser = page.context().browser();
      await browser?.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
      const frames = await scrollThrough(page);
      // The cast: Chromium's own format.
      const trace = JSON.parse(String(await browser?.stopTracing())) as { readonly traceEvents: readonly TraceEvent[] };
      const rows = await page.evaluate('document.querySelectorAll("[role=option]").length');
      await report('frames', {
        requests: 10_000,
        frames: frames.length,
        longestMs: Math.max(...frames),
        over50Ms: frames.filter((ms) => ms > 50).length,
        longestTaskCpuMs: longestTask(trace.traceEvents),
      });
      expect(await page.locator('div[role=option]').allTextContents()).toContainEqual(
        expect.stringContaining('orders:read on order:7'),
      );
      expect(Number(rows)).toBeLessThan(80);
    } finally {
      await hands.close();
    }
  }, 180_000);

  test('a log of a million decisions is read while the page stays usable', async () => {
    await using mock = await openShop();
    const { hands, page } = await openChromium();
    try {
      await page.goto(`${await serveConsole(mock)}#/log`);
      const browser = page.context().browser();
      await browser?.startTracing(page, { categories: ['toplevel'] });
      const start = performance.now();
      await page.getByLabel(/^A decision log/).setInputFiles(million);
      await page.getByText('1,000,000 decisions in 1,000,000 lines').waitFor({ timeout: 170_000 });
      const readMs = performance.now() - start;
      await page.getByText(/Enforcing them would deny/).waitFor({ timeout: 60_000 });
      await page.getByText('Unused permissions').waitFor();
      const shownMs = performance.now() - start;
      // The cast: Chromium's own format.
      const trace = JSON.parse(String(await browser?.stopTracing())) as { readonly traceEvents: readonly TraceEvent[] };
      await report('log', {
        decisions: 1_000_000,
        questions: 120_000,
        megabytes: Math.round((await stat(million)).size / 1e6),
        readMs: Math.round(readMs),
        shownMs: Math.round(shownMs),
        peakMegabytes: await peakMemory(page),
        longestTaskCpuMs: longestTask(trace.traceEvents),
      });
      expect(await page.getByLabel('By user', { exact: true }).first().textContent()).toContain('1,000');
    } finally {
      await hands.close();
    }
  }, 240_000);

  test('the first view appears at 300 users and 5 000 requests', async () => {
    await using mock = await openCompany(5_000);
    const { hands, page } = await openChromium();
    try {
      const url = await serveConsole(mock);
      const opened: number[] = [];
      let lengths: Promise<number>[] = [];
      const bytesSoFar = async () => (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
      page.on('response', (response) => {
        if (response.url().endsWith('/requests')) lengths.push(response.body().then((body) => body.length));
      });
      for (let turn = 0; turn < 3; turn += 1) {
        await page.goto('about:blank');
        lengths = [];
        const start = performance.now();
        await page.goto(`${url}#/requests`);
        await page.locator('div[role=option]').first().waitFor();
        opened.push(Math.round(performance.now() - start));
      }
      await page.getByText('5000 requests').waitFor();
      const loaded = await bytesSoFar();
      await page.getByRole('listbox').focus();
      await page.keyboard.press('End');
      await page.locator('[aria-posinset="5000"][aria-selected=true]').waitFor();
      await report('content', { requests: 5_000, users: 300, openedMs: opened, kilobytes: Math.round(loaded / 1_000) });
      expect(loaded).toBeLessThan((await bytesSoFar()) / 10);
    } finally {
      await hands.close();
    }
  }, 120_000);

  test('the first view appears on a cold cache with a CPU four times slower', async () => {
    await using mock = await openShop();
    const { hands, page } = await openChromium();
    try {
      const url = await serveConsole(mock);
      const session = await page.context().newCDPSession(page);
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      const start = Date.now();
      await page.goto(`${url}#/requests`);
      await page.locator('div[role=option]').first().waitFor();
      await report('first-view', { cpu: '4 times slower', cache: 'cold', ms: Date.now() - start });
      expect(await page.locator('div[role=option]').count()).toBe(6);
    } finally {
      await hands.close();
    }
  }, 60_000);
});
