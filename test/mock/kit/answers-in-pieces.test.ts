import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { events, ndjson, readLines } from '../../../src/client/stream/index.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { streamBody } from '../../../src/mock/kit/streamed-body.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';

const ways = [
  { name: 'mock.fetch', connect: async (mock: Mock) => createClient({ ...mock.connection, retry: 0 }) },
  {
    name: 'the port',
    connect: async (mock: Mock) => {
      const server = await listen(mock);
      onTestFinished(() => server.close());
      return createClient({ url: server.url, retry: 0 });
    },
  },
];

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe.each(ways)('a body in pieces through $name', ({ connect }) => {
  const serve = async (answer: () => { headers?: Record<string, string>; body: unknown }) => {
    const mock = await createMock({ authentication: { mode: 'None' } });
    mock.route('GET', '/_db/:db/feed', answer);
    const client = await connect(mock);
    return client.route('feed').with({ responseType: 'stream' });
  };

  test('of a generator: text and bytes', async () => {
    const route = await serve(() => ({
      body: (async function* () {
        yield 'first\n';
        yield new Uint8Array([0x73, 0x32, 0x0a]);
      })(),
    }));
    const { body, headers } = await route.get();
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(await collect(readLines(body))).toEqual(['first', 's2']);
  });

  test('of events has their content type if the request accepts only that', async () => {
    const route = await serve(() => ({
      body: (async function* () {
        yield { id: '1', data: { a: 1 } };
      })(),
    }));
    const { body, headers } = await route.with({ headers: { accept: 'text/event-stream' } }).get();
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(await collect(events(body))).toMatchObject([{ id: '1', data: '{"a":1}' }]);
  });

  test('of a ReadableStream is sent as it comes, and cancelled with the reader', async () => {
    let pulled = 0;
    let cancelled = false;
    const route = await serve(() => ({
      headers: { 'content-type': 'text/plain' },
      body: new ReadableStream<Uint8Array>(
        {
          // Long from the fourth line on, so that the sockets between are soon full.
          pull(controller) {
            pulled += 1;
            controller.enqueue(new TextEncoder().encode(`line ${pulled}${' '.repeat(pulled > 3 ? 65_536 : 0)}\n`));
          },
          cancel() {
            cancelled = true;
          },
        },
        { highWaterMark: 0 },
      ),
    }));
    for await (const line of readLines((await route.get()).body)) if (line === 'line 3') break;
    await expect.poll(() => cancelled).toBe(true);
  });

  test('as server-sent events: values and text of several lines', async () => {
    const route = await serve(() => ({
      headers: { 'content-type': 'text/event-stream' },
      body: (async function* () {
        yield { data: { id: 7 }, event: 'created', id: '1' };
        yield { data: 'two\r\nlines' };
        yield ': a comment as text\n\ndata: raw\n\n';
      })(),
    }));
    expect(await collect(events((await route.get()).body))).toEqual([
      { event: 'created', data: '{"id":7}', id: '1' },
      { event: undefined, data: 'two\nlines', id: undefined },
      { event: undefined, data: 'raw', id: undefined },
    ]);
  });

  test('as JSON lines: values of all kinds', async () => {
    const route = await serve(() => ({
      headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
      body: (async function* () {
        yield* [{ a: 1 }, 'text', null, [2]];
      })(),
    }));
    expect(await collect(ndjson((await route.get()).body))).toEqual([{ a: 1 }, 'text', null, [2]]);
  });

  test.each([
    { field: 'event', event: { data: 1, event: 'created\ndata: forged' } },
    { field: 'id', event: { data: 1, id: '1\r2' } },
    { field: 'id', event: { data: 1, id: '1\0' } },
    { field: 'id', event: { data: 1, id: 7 } },
    { field: 'retry', event: { data: 1, retry: 0.5 } },
    { field: 'retry', event: { data: 1, retry: -1 } },
  ])('as server-sent events refuses $event', async ({ field, event }) => {
    const read = streamBody(Readable.from([event]), 'text/event-stream').getReader();
    await expect(read.read()).rejects.toThrow(new RegExp(`^${field} of an event: expected`));
    const route = await serve(() => ({
      headers: { 'content-type': 'text/event-stream' },
      body: Readable.from([{ data: 'first', id: '1', event: 'created', retry: 0 }, event]),
    }));
    const seen: unknown[] = [];
    const readAll = async () => {
      for await (const { data } of events((await route.get()).body)) seen.push(data);
    };
    await expect(readAll()).rejects.toMatchObject({ code: 'NETWORK' });
    expect(seen).toEqual(['first']);
  });

  test('that fails, or yields something else, breaks the response', async () => {
    const failing = await serve(() => ({
      body: (async function* () {
        yield 'begun\n';
        throw new Error('the handler failed');
      })(),
    }));
    await expect((async () => collect(readLines((await failing.get()).body)))()).rejects.toMatchObject({
      code: 'NETWORK',
    });
    const odd = await serve(() => ({
      body: (async function* () {
        yield { data: 'no event stream' };
      })(),
    }));
    await expect((async () => collect(readLines((await odd.get()).body)))()).rejects.toMatchObject({ code: 'NETWORK' });
  });

  test('of a service is checked by its document: status and content type', async () => {
    const content = { 'application/x-ndjson': {}, 'text/event-stream': {} };
    const document = { openapi: '3.1.0', paths: { '/feed': { get: { responses: { 200: { content } } } } } };
    const mock = await createMock({ authentication: { mode: 'None' } });
    let type = 'application/x-ndjson';
    const get = () => ({
      headers: { 'content-type': type },
      body: (async function* () {
        yield { data: 1 };
      })(),
    });
    mock.service('orders', { '/feed': { get } }, { document, validate: openApiValidator() });
    const client = await connect(mock);
    const feed = client.service('orders').with({ responseType: 'text' });
    expect((await feed.get('feed')).body).toBe('{"data":1}\n');
    type = 'text/event-stream';
    expect((await feed.get('feed')).body).toBe('data: 1\n\n');
    type = 'text/csv';
    await expect(feed.get('feed')).rejects.toThrow('headers.content-type: expected one of');
  });

  test('a handler that never yields ends with the mock', async () => {
    const mock = await createMock({ authentication: { mode: 'None' } });
    let isOver = false;
    mock.route('GET', '/_db/:db/feed', () => ({
      body: (async function* () {
        try {
          yield 'begun\n';
          await new Promise(() => {});
        } finally {
          isOver = true;
        }
      })(),
    }));
    const client = await connect(mock);
    const { body } = await client.route('feed').with({ responseType: 'stream' }).get();
    const reading = collect(readLines(body));
    setTimeout(() => mock.reset(), 50);
    await expect(reading).rejects.toMatchObject({ code: 'NETWORK' });
    // A generator that waits cannot be ended: its `finally` runs after the wait.
    expect(isOver).toBe(false);
  });
});
