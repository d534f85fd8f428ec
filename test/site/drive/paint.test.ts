import { expect, test } from 'vitest';
import { openSite } from './open-site.ts';

const loads = 3;

/** When a page shows something, from the start of its navigation. The page is another one each time. */
const firstPaint = `new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntriesByName('first-contentful-paint')[0].startTime))
    .observe({ type: 'paint', buffered: true });
})`;

// Printed, not checked: what else runs on the machine decides it as well.
test.each(['', 'guides/guard-a-service.html'])('the first paint of /%s at a four times slowed CPU', async (path) => {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    await using site = await openSite();
    const session = await site.page.context().newCDPSession(site.page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await site.go(path);
    times.push(Number(await site.page.evaluate(firstPaint)));
  }
  const [fastest = 0, median = 0, slowest = 0] = times.sort((a, b) => a - b).map(Math.round);
  console.log(`first paint of /${path}: ${median} ms (${fastest} to ${slowest})`);
  expect(fastest).toBeGreaterThan(0);
});
