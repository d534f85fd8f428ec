import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';
import { browsers, openChromium } from './browsers.ts';
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
