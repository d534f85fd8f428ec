import { expect, onTestFinished, test, vi } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { events } from '../../../src/client/stream/index.ts';
import { createClient } from '../../../src/index.ts';
import { serve } from '../../support/server.ts';

// A wait that is not woken outlasts the test.
const retryMs = 1_000_000_000;

type Route = ReturnType<ReturnType<typeof createClient>['route']>;

/** Follows the events of a route; resolves with them and with the code of the error that ended them. */
async function follow(route: Route, given = {}): Promise<string[]> {
  const seen: string[] = [];
  const stream = route.with({ responseType: 'stream' });
  const resume = async (headers = {}) => (await stream.with({ headers }).get('changes')).body;
  try {
    for await (const { data } of events(undefined, { resume, retryMs, longestRetryMs: retryMs, ...given }))
      seen.push(data);
    return seen;
  } catch (error) {
    return [...seen, (error as { code: string }).code];
  }
}

/** Resolves once a wait before the next connection has begun. */
async function waiting(): Promise<void> {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => void timers.mockRestore());
  await expect.poll(() => timers.mock.calls.filter(([, ms]) => Number(ms) > retryMs / 4).length).toBeGreaterThan(0);
}

const eventStream = () =>
  serve((_wire, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: one\n\n');
  });

const ways = {
  fetch: () => ({}),
  nodeTransport: () => ({ transport: nodeTransport() }),
};

test.each(Object.entries(ways))('over %s, closing ends the wait after a stream', async (_, own) => {
  const client = createClient({ url: (await eventStream()).url, ...own() });
  const [following] = [follow(client.route()), await waiting()];
  await client.close({ graceMs: Number.POSITIVE_INFINITY });
  expect(await following).toEqual(['one', 'ABORTED']);
});

test('closing ends the wait after a failure, also of the first connection', async () => {
  const { url } = await serve((_wire, response) => void response.writeHead(503).end());
  const client = createClient({ url, retry: 0 });
  const [following] = [follow(client.route()), await waiting()];
  await client.close({ graceMs: Number.POSITIVE_INFINITY });
  expect(await following).toEqual(['ABORTED']);
});

test('closing a client ends waits of derived clients; a derived client that closes ends its own waits', async () => {
  const client = createClient({ url: (await eventStream()).url });
  const [left, right] = [client.with({ timeout: 60_000 }), client.with({ timeout: 60_000 })];
  const followed = [follow(left.route()), follow(right.database('shop').route())];
  await waiting();
  await left.close({ graceMs: Number.POSITIVE_INFINITY });
  expect(await followed[0]).toEqual(['one', 'ABORTED']);
  await client.close({ graceMs: Number.POSITIVE_INFINITY });
  expect(await followed[1]).toEqual(['one', 'ABORTED']);
});

test('a signal still ends a wait, and leaves nothing that closing would wait for', async () => {
  const client = createClient({ url: (await eventStream()).url });
  const controller = new AbortController();
  const [following] = [follow(client.route(), { signal: controller.signal }), await waiting()];
  controller.abort();
  expect(await following).toEqual(['one', 'ABORTED']);
  await client.close({ graceMs: Number.POSITIVE_INFINITY });
});

test('hides from inspection the signal that an error keeps for closing', async () => {
  const { url } = await serve((_wire, response) => void response.writeHead(503).end());
  await using client = createClient({ url, retry: 0 });
  const error = await client
    .route()
    .get()
    .catch((failure: unknown) => failure);
  expect(Object.getOwnPropertyNames(error)).not.toContain('lifetime');
  expect(JSON.stringify(error)).not.toContain('ifetime');
  expect((await import('node:util')).inspect(error, { depth: 9 })).not.toContain('ifetime');
});
