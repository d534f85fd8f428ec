import { expect, test } from 'vitest';
import { createNews } from '../../src/console/news.js';
import { toEventStream } from '../../src/console/server/event-stream.js';

test('forgets a follower whose stream is cancelled, whether it was read or not', async () => {
  const news = createNews();
  const streams = [0, 1, 3].map((reads) => ({ reads, stream: toEventStream((signal) => news.follow(signal)) }));
  expect(news.isFollowed).toBe(true);
  for (const { reads, stream } of streams) {
    news.emit({ type: 'faults' });
    const reader = stream.getReader();
    for (let read = 0; read < reads; read += 1) {
      news.emit({ type: 'reset' });
      news.emit({ type: 'faults' });
      await reader.read();
    }
    await reader.cancel();
  }
  expect(news.isFollowed).toBe(false);
});

test('tells a slow reader the newest of each kind only, and all requests', async () => {
  const news = createNews();
  const leaving = new AbortController();
  const events = news.follow(leaving.signal);
  for (let id = 1; id <= 300; id += 1) {
    news.emit({ type: 'requests', rows: [{ id } as never] });
    news.emit({ type: 'state', revision: id });
    news.emit({ type: 'faults' });
  }
  const told: unknown[] = [];
  for await (const event of events) {
    told.push(event.type === 'requests' ? event.rows.length : event);
    if (event.type === 'faults') leaving.abort();
  }
  expect(told).toEqual([300, { type: 'state', revision: 300 }, { type: 'faults' }]);
});

test('starts a slow reader again, and keeps at most 10,000 rows for it', async () => {
  const news = createNews();
  const leaving = new AbortController();
  const row = { id: 1 } as never;
  const events = news.follow(leaving.signal);
  for (let index = 0; index < 50_000; index += 1) news.emit({ type: 'requests', rows: [row] });
  news.emit({ type: 'faults' });
  let rows = 0;
  const types = new Set<string>();
  for await (const event of events) {
    types.add(event.type);
    if (event.type === 'requests') rows += event.rows.length;
    if (event.type === 'faults') leaving.abort();
  }
  expect([...types]).toEqual(['reset', 'requests', 'faults']);
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThanOrEqual(10_000);
});
