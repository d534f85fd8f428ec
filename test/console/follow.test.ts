import { expect, onTestFinished, test } from 'vitest';
import { createMockConsole } from '../../src/console/mock/mock-api.js';
import { follow, readOlder } from '../../src/console/page/follow.js';
import type { PageSession } from '../../src/console/page/page-session.js';
import { createValue } from '../../src/console/page/ui/value.js';
import { createMock } from '../../src/mock/index.js';

/** A page that follows a mock with a number of requests. */
async function openPage(requests: number, limit = 10_000) {
  const mock = await createMock({ limits: { log: limit } });
  const ask = async (count: number) => {
    for (let index = 0; index < count; index += 1) await mock.fetch(`${mock.connection.url}/_api/version`);
  };
  await ask(requests);
  const api = createMockConsole(mock);
  // The cast: what following reads of a session.
  const session = {
    api,
    overview: await api.overview(),
    state: createValue(undefined),
    requests: createValue([]),
    olderRequests: createValue(0),
    isLogRead: createValue(false),
    changes: createValue(0),
    heardAt: createValue(0),
    isLive: createValue(false),
    replica: createValue(null),
  } as unknown as PageSession;
  const leaving = new AbortController();
  onTestFinished(async () => {
    leaving.abort();
    await mock[Symbol.asyncDispose]();
  });
  void follow(session, leaving.signal);
  await expect.poll(() => session.isLive.get()).toBe(true);
  const ids = () => session.requests.get().map(({ id }) => id);
  return { mock, api, session, ask, ids };
}

const down = (from: number, to: number): number[] => Array.from({ length: from - to + 1 }, (_, index) => from - index);

test('a page loads the newest rows of a log, and older ones as they are needed', async () => {
  const { session, ids } = await openPage(2_500);
  expect(ids()).toEqual(down(2_500, 2_301));
  expect(session.olderRequests.get()).toBe(2_300);
  await readOlder(session);
  expect(ids()).toEqual(down(2_500, 301));
  expect(session.olderRequests.get()).toBe(300);
  await readOlder(session);
  expect([ids(), session.olderRequests.get()]).toEqual([down(2_500, 1), 0]);
  await readOlder(session);
  expect(ids()).toHaveLength(2_500);
});

test('of two readers of older rows at once the second goes on behind the first', async () => {
  const { session, ids } = await openPage(2_500);
  await Promise.all([readOlder(session), readOlder(session)]);
  expect([ids(), session.olderRequests.get()]).toEqual([down(2_500, 1), 0]);
});

test('new rows are added while older ones are not loaded, and a full log loses its oldest', async () => {
  const { session, ids, ask } = await openPage(300, 300);
  expect(session.olderRequests.get()).toBe(100);
  await ask(30);
  await expect.poll(ids).toEqual(down(330, 101));
  expect(session.olderRequests.get()).toBe(70);
  await readOlder(session);
  expect([ids(), session.olderRequests.get()]).toEqual([down(330, 31), 0]);
  await ask(1);
  await expect.poll(ids).toEqual(down(331, 32));
});

test('a page of a log that was cleared meanwhile is dropped', async () => {
  const { session, api, ids, ask } = await openPage(300);
  const late = Promise.withResolvers<void>();
  const requests: typeof api.requests = async (options) => {
    const page = await api.requests(options);
    await late.promise;
    return page;
  };
  const reading = readOlder({ ...session, api: { ...api, requests } });
  await api.clearRequests();
  await ask(1);
  await expect.poll(ids).toEqual([301]);
  late.resolve();
  await reading;
  expect([ids(), session.olderRequests.get()]).toEqual([[301], 0]);
});
