import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { events, ndjson, progress, readLines } from '../../../src/client/stream/index.ts';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serveRaw } from '../../support/server.ts';

const encoder = new TextEncoder();

/** A stream of a text, in chunks of this many bytes; `cancelled` tells if it was cancelled. */
function streamOf(text: string, size = 5) {
  const bytes = encoder.encode(text);
  let at = 0;
  const state = { cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(at, at + size));
        at += size;
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('lines', () => {
  test('a byte order mark at the start is dropped, and one of a later line is kept', async () => {
    const { stream } = streamOf('\ufeffa\n\ufeffb\r\nc\ufeff\n\ufeff\n\ufeff', 2);
    expect(await all(readLines(stream))).toEqual(['a', '\ufeffb', 'c\ufeff', '\ufeff', '\ufeff']);
    expect(await all(readLines(streamOf('\ufeff\ufeffa').stream))).toEqual(['\ufeffa']);
    expect(await all(ndjson(streamOf('\ufeff1\n\ufeff"\ufeff"\n\ufeff\n3').stream))).toEqual([1, '\ufeff', 3]);
  });

  test('are the same however the body is split', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (texts, end, size) => {
          const whole = texts.map((text) => text + end).join('');
          expect(await all(readLines(streamOf(whole, size).stream))).toEqual(texts);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a last line without a line end counts; an empty body has none', async () => {
    expect(await all(readLines(streamOf('a\n\nb').stream))).toEqual(['a', '', 'b']);
    expect(await all(readLines(undefined))).toEqual([]);
    expect(await all(readLines(streamOf('').stream))).toEqual([]);
  });

  test('leaving the loop cancels the body', async () => {
    const { stream, state } = streamOf('a\nb\nc\nd\ne\nf\n', 2);
    for await (const line of readLines(stream)) if (line === 'b') break;
    expect(state.cancelled).toBe(true);
  });

  test('a line over maxBytes fails with its number, and cancels the body', async () => {
    const { stream, state } = streamOf(`ok\n${'x'.repeat(11)}\n`, 3);
    const error = await failureOf(all(readLines(stream, { maxBytes: 10 })));
    expect(error).toMatchObject({ code: 'PARSE', line: 2, message: 'line 2 is longer than 10 bytes' });
    expect(state.cancelled).toBe(true);
    expect(await all(readLines(streamOf(`${'x'.repeat(10)}\n`).stream, { maxBytes: 10 }))).toHaveLength(1);
  });

  test.each([0, -1, 1.5, '1'])('rejects maxBytes %s', async (maxBytes) => {
    expect(await failureOf(all(readLines(undefined, { maxBytes: maxBytes as number })))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'maxBytes',
    });
  });
});

describe('ndjson', () => {
  const Item = z.object({ id: z.number() });

  test('yields each value, typed by a schema', async () => {
    expect(await all(ndjson(streamOf('{"id":1}\n\n[2]\n"x"').stream))).toEqual([{ id: 1 }, [2], 'x']);
    const ids: number[] = [];
    for await (const { id } of ndjson(streamOf('{"id":1}\n{"id":2}\n').stream, Item)) ids.push(id);
    expect(ids).toEqual([1, 2]);
  });

  test('a line that is not valid JSON, or does not match, fails with its number', async () => {
    const broken = await failureOf(all(ndjson(streamOf('{"id":1}\n\n{canary\n').stream)));
    expect(broken).toMatchObject({ code: 'PARSE', line: 3, message: 'line 3 is not valid JSON' });
    expect(JSON.stringify(broken)).not.toContain('canary');
    const unfit = await failureOf(all(ndjson(streamOf('{"id":1}\n{"id":"canary"}\n').stream, Item)));
    expect(unfit).toMatchObject({ code: 'SCHEMA', line: 2, issues: [{ path: ['id'] }] });
    expect(JSON.stringify(unfit)).not.toContain('canary');
  });
});

describe('events', () => {
  const text = ': hello\n\nevent: made\nid: 7\ndata: {"a":\ndata: 1}\n\ndata: last\n\ndata: not ended';

  test.each([1, 4, 1_000])('do not depend on chunks, here of %i bytes', async (size) => {
    expect(await all(events(streamOf(text, size).stream))).toEqual([
      { event: 'made', data: '{"a":\n1}', id: '7' },
      { event: undefined, data: 'last', id: undefined },
    ]);
  });

  test('an event over maxBytes fails, after the events before it', async () => {
    const seen: string[] = [];
    const reading = async () => {
      const long = `data: a\n\ndata: ${'x'.repeat(500)}\n\n`;
      for await (const { data } of events(streamOf(long, 9).stream, { maxBytes: 100 })) seen.push(data);
    };
    expect(await failureOf(reading())).toMatchObject({ code: 'PARSE', line: 2 });
    expect(seen).toEqual(['a']);
  });
});

test('over a connection: lines come while the server writes, and leaving the loop closes the connection', async () => {
  let closed = false;
  const server = await serveRaw((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"id":1}\n{"id":2}\n{"id"');
    response.on('close', () => {
      closed = true;
    });
  });
  const { body } = await createClient({ url: server.url }).route('svc').with({ responseType: 'stream' }).get();
  const seen: unknown[] = [];
  for await (const value of ndjson(body)) {
    seen.push(value);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([{ id: 1 }, { id: 2 }]);
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(true);
});

describe('progress', () => {
  test('counts the bytes and changes nothing', async () => {
    const seen: number[] = [];
    const watched = progress(streamOf('12345678901', 5).stream, ({ bytes }) => void seen.push(bytes));
    expect(await new Response(watched as BodyInit).text()).toBe('12345678901');
    expect(seen).toEqual([5, 10, 11]);
  });
});

test('events: takes time linear in the bytes of a chunk', async () => {
  // 4 Mi lines that end with \r: searching from each of them to the end would take minutes.
  const { stream } = streamOf('\r'.repeat(4_194_304), 4_194_304);
  for await (const event of events(stream)) expect(event).toBeUndefined();
});
