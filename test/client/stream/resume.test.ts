import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EventOptions, events, type Resume } from '../../../src/client/stream/index.ts';
import { createClient, HttpError, isInvalidArgumentError, NetworkError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serveRaw } from '../../support/server.ts';
import { isThorough } from '../../support/thorough.ts';

const eventTexts = Array.from(
  { length: 200 },
  (_, index) => `id:${index + 1}\r\ndata: ü${index}\n${index % 2 ? '\r' : ''}\n`,
);
const expected = eventTexts.map((_, index) => ({ event: undefined, data: `ü${index}`, id: `${index + 1}` }));
/** The stream from behind an id. */
const streamAfter = (id: string | undefined) =>
  Buffer.from(`retry: 0\n\n${eventTexts.slice(Number(id ?? 0)).join('')}`);

/** A body that ends, or fails with an error. */
const bodyOf = (bytes: Uint8Array | string, failure?: unknown) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      if (chunk.length > 0) controller.enqueue(chunk);
    },
    pull(controller) {
      if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const broken = new NetworkError({}, 'cut', 'ECONNRESET');

describe('events that are resumed', () => {
  test('a stream of 200 events, cut at every byte, loses and repeats none', async () => {
    const whole = streamAfter(undefined);
    // At every byte in a thorough run.
    for (let cut = 0; cut <= whole.length; cut += isThorough ? 1 : 13) {
      const ids: (string | undefined)[] = [];
      let opened = 0;
      const resume: Resume = async (headers) => {
        ids.push(headers['last-event-id']);
        return opened++ === 0 ? bodyOf(streamAfter(headers['last-event-id'])) : undefined;
      };
      const body = bodyOf(whole.subarray(0, cut), cut % 2 ? broken : undefined);
      const seen = await all(events(body, { resume, retryMs: 0 }));
      if (seen.length !== 200) expect.fail(`${seen.length} events after a cut at byte ${cut}`);
      expect(seen.map(({ id }) => id).join()).toBe(expected.map(({ id }) => id).join());
      expect(ids.at(-1)).toBe('200');
    }
  }, 120_000);

  test('open the first connection at once without a body, and again if it fails', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const times: number[] = [];
    const start = Date.now();
    const resume: Resume = async () => {
      times.push(Date.now() - start);
      if (times.length === 1) throw broken;
      return times.length === 2 ? bodyOf('data: 1\n\n') : undefined;
    };
    const seen = all(events(undefined, { resume, retryMs: 1_000 }));
    await vi.runAllTimersAsync();
    expect(await seen).toMatchObject([{ data: '1' }]);
    expect(times[0]).toBe(0);
    expect(times[1]).toBeGreaterThanOrEqual(500);
  });

  test('over a port: a server that cuts each connection a byte later than the one before', async () => {
    let connections = 0;
    const server = await serveRaw((request, response) => {
      const id = request.headers['last-event-id'] as string | undefined;
      if (id === '200') return void response.writeHead(204).end();
      const cut = (connections++ % 97) + 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(streamAfter(id).subarray(0, cut), () => response.destroy());
    });
    const route = createClient({ url: server.url, retry: 0 }).service('orders').with({ responseType: 'stream' });
    const open: Resume = async (headers) => (await route.with({ headers }).get('changes')).body;
    // The first connection may break before its headers have come.
    expect(await all(events(bodyOf(''), { resume: open, retryMs: 0, longestRetryMs: 1 }))).toEqual(expected);
    expect(connections).toBeGreaterThan(97);
  });

  test('ids with CR, LF or NUL are ignored, an empty one is not sent, and others are sent in UTF-8', async () => {
    const sentAfter = async (text: string) => {
      const sent: (string | undefined)[] = [];
      const resume: Resume = async (headers) => void sent.push(headers['last-event-id']);
      await all(events(bodyOf(text), { resume, retryMs: 0 }));
      return sent;
    };
    expect(await sentAfter('data: a\n\n')).toEqual([undefined]);
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n')).toEqual(['1']);
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\rdata: b\r\rid: 3\r\ndata: c\r\n\r\n')).toEqual(['3']);
    expect(await sentAfter('id: 1\ndata: a\n\nid\ndata: b\n\n')).toEqual([undefined]);
    expect(await sentAfter('id: 1\ndata: a\n\ndata: b\n\n')).toEqual(['1']);
    expect(await sentAfter('id: ü\ndata: a\n\n')).toEqual(['\xc3\xbc']);
    // An event that was not complete does not count.
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\ndata: b\n')).toEqual(['1']);
  });

  test('an id counts from the end of its block on, even if the block has no data', async () => {
    const sentAfter = async (...chunks: string[]) => {
      let sent: string | undefined;
      const resume: Resume = async (headers) => {
        sent = headers['last-event-id'];
        return undefined;
      };
      await all(events(new Blob(chunks).stream(), { resume, retryMs: 0 }));
      return sent;
    };
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\n\n')).toBe('2');
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\n')).toBe('1');
    expect(await sentAfter('id: 1\ndata: a\n\nevent: ping\nid:2\r\n\r\n: comment')).toBe('2');
    expect(await sentAfter('id: 1\rdata: a\r\rid: 2\r\r')).toBe('2');
    expect(await sentAfter('id: 1\ndata: a\n\nid\n\n')).toBeUndefined();
    expect(await sentAfter('id: 1\ndata: a\n\nid: 2\0\n\nidea: 3\n\n')).toBe('1');
    expect(await sentAfter('id: 1\nid: 2\0\n\n')).toBe('1');
    // As many bytes as are parsed at once, and a \r as the last of them.
    for (let size = 4_090; size < 4_100; size++) {
      expect(await sentAfter(`:${'x'.repeat(size)}\r\nid: 7\r\n\r\nid: 8\r\ndata: b\r\n`)).toBe('7');
    }
  });

  test('ids without data, cut at every byte: no event is lost or repeated', async () => {
    const texts = Array.from({ length: 20 }, (_, index) =>
      index % 3 ? `id:${index}\rdata: ${index}\r\n\r` : `: ping\nid: ${index}\r\n\r\n`,
    );
    const data = texts.flatMap((_, index) => (index % 3 ? [`${index}`] : []));
    const behind = (id = '-1') => Buffer.from(texts.slice(Number(id) + 1).join(''));
    for (let cut = 0; cut <= behind().length; cut++) {
      let opened = 0;
      const resume: Resume = async (headers) =>
        opened++ === 0 ? bodyOf(behind(headers['last-event-id'])) : void expect(headers['last-event-id']).toBe('19');
      const seen = await all(events(bodyOf(behind().subarray(0, cut)), { resume, retryMs: 0, longestRetryMs: 0 }));
      expect(seen.map((event) => event.data)).toEqual(data);
    }
  });

  test('an event ends with its last CR, even if no further byte arrives for a while', async () => {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const reading = events(body.readable);
    void writer.write(Buffer.from('data: a\r\r'));
    expect((await reading.next()).value?.data).toBe('a');
    void writer.write(Buffer.from('\ndata: b\r'));
    void writer.write(Buffer.from('\ndata: c\r\n\r'));
    expect((await reading.next()).value?.data).toBe('b\nc');
    void writer.close();
    expect((await reading.next()).done).toBe(true);
    expect(await all(events(bodyOf('\ufeffdata: a\r\rdata: b\r\r')))).toMatchObject([{ data: 'a' }, { data: 'b' }]);
  });

  test('a server that ends at once with retry: 0 causes no busy loop', async () => {
    let opened = 0;
    const resume: Resume = async () => {
      opened++;
      return bodyOf('retry: 0\n\n: nothing\n\n');
    };
    const signal = AbortSignal.timeout(400);
    const reading = all(events(bodyOf(''), { resume, retryMs: 0, signal }));
    expect(await failureOf(reading)).toMatchObject({ code: 'ABORTED' });
    expect(opened).toBeLessThan(6);
  });

  test.each([401, 403, 404, 400, 410])('a %d on resuming ends the iteration with that error', async (status) => {
    let calls = 0;
    const refused = new HttpError({}, { status, reason: 'no', details: [] } as never);
    const resume: Resume = async () => {
      calls++;
      throw refused;
    };
    const seen: string[] = [];
    const reading = async () => {
      for await (const { data } of events(bodyOf('data: a\n\n'), { resume, retryMs: 0 })) seen.push(data);
    };
    expect(await failureOf(reading())).toBe(refused);
    expect([seen, calls]).toEqual([['a'], 1]);
  });

  test('other failures are retried; 204 ends the iteration', async () => {
    const failures = [broken, ...[408, 429, 500, 503].map((status) => new HttpError({}, { status } as never))];
    const resume: Resume = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return undefined;
    };
    const body = bodyOf('data: a\n\n', new TypeError('terminated'));
    expect(await all(events(body, { resume, retryMs: 0, longestRetryMs: 1 }))).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  test('an error of the callback itself, and an event that is too long, end the iteration', async () => {
    const mistake = new RangeError('mine');
    const resume: Resume = () => Promise.reject(mistake);
    await expect(all(events(bodyOf(''), { resume, retryMs: 0 }))).rejects.toBe(mistake);
    const long = events(bodyOf(`data: ${'x'.repeat(200)}`), { resume, maxBytes: 100 });
    expect(await failureOf(all(long))).toMatchObject({ code: 'PARSE' });
  });

  test("waits as the server's retry says, doubles without events, and stops at the cap", async () => {
    const waits: number[] = [];
    let last = performance.now();
    const bodies = ['retry: 60\n\ndata: a\n\n', '', '', '', 'data: b\n\n'];
    const resume: Resume = async () => {
      waits.push(performance.now() - last);
      const text = bodies.shift();
      last = performance.now();
      return text === undefined ? undefined : bodyOf(text);
    };
    await all(events(bodyOf(''), { resume, retryMs: 0, longestRetryMs: 200 }));
    // Half of a wait beyond the server's own is random: 60, 60–120, 120–240 cut to 100–200, 100–200, 60 again.
    for (const [index, least] of [0, 59, 59, 99, 99, 59].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least);
  });

  test('the signal ends a wait, a read and an attempt with AbortError, and cancels the body', async () => {
    const reason = new Error('enough');
    const aborted = async (options: (signal: AbortSignal) => EventOptions, body: ReadableStream<Uint8Array>) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 20);
      const reading = all(events(body, { signal: controller.signal, ...options(controller.signal) }));
      expect(await failureOf(reading)).toMatchObject({ code: 'ABORTED', cause: reason });
    };
    await aborted(() => ({ resume: async () => undefined, retryMs: 60_000 }), bodyOf(''));
    await aborted(() => ({ resume: () => new Promise(() => undefined), retryMs: 0 }), bodyOf(''));
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    await aborted(() => ({}), endless);
    expect(cancelled).toBe(true);
    cancelled = false;
    const opened = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await failureOf(all(events(opened, { signal: AbortSignal.abort(reason) })))).toMatchObject({
      code: 'ABORTED',
    });
    expect(cancelled).toBe(true);
  });

  test('the signal ends the iteration over a silent iterable, between two events of a chunk, and a late body', async () => {
    const reason = new Error('enough');
    const silent = new AbortController();
    setTimeout(() => silent.abort(reason), 20);
    let returned = false;
    const iterable: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          returned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    expect(await failureOf(all(events(iterable, { signal: silent.signal })))).toMatchObject({ cause: reason });
    expect(returned).toBe(true);

    const between = new AbortController();
    const reading = events(bodyOf('data: a\n\ndata: b\n\n'), { signal: between.signal });
    expect((await reading.next()).value?.data).toBe('a');
    between.abort(reason);
    expect(await failureOf(reading.next())).toMatchObject({ code: 'ABORTED' });

    const late = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    const resume: Resume = async () => {
      late.abort(reason);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
    };
    const resuming = all(events(bodyOf(''), { resume, signal: late.signal, retryMs: 0 }));
    expect(await failureOf(resuming)).toMatchObject({ code: 'ABORTED' });
    await cancelled.promise;
  });

  test('a Retry-After beyond the longest timer waits, and a signal ends it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const late = new HttpError({}, { status: 503, retryAfterMs: 9e12 } as never);
    const resume: Resume = () => Promise.reject(late);
    const reading = failureOf(all(events(bodyOf(''), { resume, retryMs: 0, signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(1);
    // Without a timer the process would end.
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    expect(await reading).toMatchObject({ code: 'ABORTED' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a resume that throws at once ends the iteration with its error', async () => {
    const mistake = new RangeError('mine');
    const resume = () => {
      throw mistake;
    };
    await expect(all(events(bodyOf(''), { resume, retryMs: 0 }))).rejects.toBe(mistake);
  });

  test.each([
    ['resume', 'x'],
    ['signal', {}],
    ['retryMs', -1],
    ['longestRetryMs', 0.5],
    ['resum', 1],
  ])('the option %s is refused if it is %j', async (field, value) => {
    const error = await failureOf(all(events(undefined, { [field]: value })));
    expect(isInvalidArgumentError(error) && error.field).toBe(field);
  });
});
