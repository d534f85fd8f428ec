import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { createClient, isUploadError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve, serveRaw } from '../../support/server.ts';
import { transports } from '../../support/transports.ts';

async function* parts(...chunks: (Uint8Array | string)[]) {
  yield* chunks;
}

describe.each(transports)('uploads over $name', ({ name: _, ...way }) => {
  const routeOf = (url: string) => createClient({ url, ...way, retry: 3 }).route('svc');

  test('async iterables and Node streams are sent as bytes', async () => {
    const server = await serve(json({}));
    const route = routeOf(server.url);
    await route.post('', parts('a', new TextEncoder().encode('ü'), 'c'));
    await route.put('', Readable.from([Buffer.from('node '), 'stream']));
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['aüc', 'node stream']);
  });

  test('an iterable need not set done to false', async () => {
    const server = await serve(json({}));
    const left = ['a', 'b'];
    const next = async () => (left.length > 0 ? { value: left.shift() } : { done: true });
    await routeOf(server.url).post('', { [Symbol.asyncIterator]: () => ({ next }) });
    expect(String(server.seen[0]?.body)).toBe('ab');
  });

  test('a failing source is an UploadError with its own error as the cause, and never resent', async () => {
    const server = await serve(json({}));
    const own = new Error('canary: the disk is gone');
    let reads = 0;
    const failing = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          reads += 1;
          if (reads % 2 === 1) controller.enqueue(new TextEncoder().encode('part'));
          else controller.error(own);
        },
      });
    const put = (body: unknown) => routeOf(server.url).request({ method: 'PUT', path: '', body, retry: 3 });
    for (const body of [
      failing(),
      (async function* () {
        yield 'part';
        throw own;
      })(),
    ]) {
      const error = await failureOf(put(body));
      expect([isUploadError(error), error.code, error.cause === own]).toEqual([true, 'UPLOAD', true]);
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('canary');
    }
    expect(reads).toBe(2);
  });

  test('an upload ends with an early response, and its iterable is closed', async () => {
    const server = await serveRaw((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('{}');
    });
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          yield new Uint8Array(1_024);
        }
      } finally {
        closed = true;
      }
    }
    const error = await failureOf(routeOf(server.url).post('', endless()));
    expect(['HTTP', 'NETWORK']).toContain(error.code);
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(true);
  });

  test.each(['read to its end', 'cancelled'])(
    'an upload ends with an early response that is a stream, %s',
    async (how) => {
      const server = await serveRaw((_, response) => {
        response.writeHead(200).write('first');
        if (how !== 'cancelled') response.end();
      });
      let cancelled = 0;
      let pulled = 0;
      const source = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => (pulled++ === 0 ? controller.enqueue(new Uint8Array(1)) : new Promise(() => {})),
          cancel: () => void cancelled++,
        },
        { highWaterMark: 0 },
      );
      const { body } = await routeOf(server.url).with({ responseType: 'stream' }).post('', source);
      // The cast: the response has a body.
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      expect(cancelled).toBe(0);
      if (how === 'cancelled') await reader.cancel();
      else await reader.read();
      await expect.poll(() => cancelled).toBe(1);
    },
  );
});

describe('A stream of known length', () => {
  const form = { 'content-length': 10 };

  test('reaches a database that refuses chunked bodies over nodeTransport, and not over fetch', async () => {
    const server = await serveRaw((request, response) => {
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      request.resume().on('end', () => response.writeHead(isChunked ? 501 : 200).end());
    });
    const over = createClient({ url: server.url, transport: nodeTransport() }).route('svc');
    expect((await over.with({ headers: form }).put('', parts('abcde', 'fghij'))).status).toBe(200);
    expect(await failureOf(over.put('', parts('abcde', 'fghij')))).toMatchObject({ status: 501 });
    const plain = createClient({ url: server.url }).route('svc');
    expect(await failureOf(plain.put('', parts('abcde')))).toMatchObject({ status: 501 });
    expect((await plain.put('', new Blob(['abcde']))).status).toBe(200);
  });

  test('is sent by nodeTransport with a content-length, not chunked', async () => {
    const server = await serve(json({}));
    const route = createClient({ url: server.url, transport: nodeTransport() }).route('svc', form);
    await route.post('', parts('abcde', 'fghij'));
    const [wire] = server.seen;
    expect([wire?.headers.get('content-length'), wire?.headers.has('transfer-encoding'), `${wire?.body}`]).toEqual([
      ['10'],
      false,
      'abcdefghij',
    ]);
  });

  test.each(['short', 'too long'])('%s: a partial body is not taken for the whole', async (text) => {
    let whole = 0;
    const server = await serve((_wire, response) => {
      whole++;
      response.end();
    });
    const length = text === 'short' ? text.length + 1 : text.length - 1;
    const route = createClient({ url: server.url, transport: nodeTransport(), retry: 3 }).route();
    const headers = { 'content-length': length };
    expect(await failureOf(route.request({ method: 'PUT', headers, body: parts(text) }))).toMatchObject({
      code: 'NETWORK',
      cause: { code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' },
    });
    expect(whole).toBe(0);
  });

  test.each([
    ['a text', { transport: nodeTransport() }, 'abcd', '4'],
    ['no number', { transport: nodeTransport() }, parts('abcd'), 'four'],
    ['a sign', { transport: nodeTransport() }, parts('abcd'), '+4'],
    ['a fraction', { transport: nodeTransport() }, parts('abcd'), '4.0'],
    ['fetch', {}, parts('abcd'), '4'],
    ['the caller’s fetch', { fetch: (url: string, init: RequestInit) => fetch(url, init) }, parts('abcd'), '4'],
  ])('rejects %s', async (_what, way, body, length) => {
    const server = await serve(json({}));
    const headers = { 'content-length': length };
    const sent = createClient({ url: server.url, ...way })
      .route()
      .request({ method: 'POST', headers, body });
    expect(await failureOf(sent)).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'headers.content-length' });
    expect(server.seen).toEqual([]);
  });
});

test('a chunk of another type is the caller’s failure', async () => {
  const server = await serve(json({}));
  const numbers = parts(...([1, 2] as unknown as string[]));
  expect(await failureOf(createClient({ url: server.url }).route().post('', numbers))).toMatchObject({
    code: 'UPLOAD',
  });
});

test('a response overrides a failing source', async () => {
  const fetch = async (_url: string, { body }: RequestInit) => {
    await (body as ReadableStream).getReader().read().catch(String);
    return Response.json({ message: 'too large' }, { status: 413 });
  };
  const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('the disk is gone')) });
  const route = createClient({ url: 'http://host.test', fetch }).route();
  expect(await failureOf(route.post('', failing))).toMatchObject({ code: 'HTTP', status: 413, reason: 'too large' });
});

test.each([
  ['json', true],
  ['stream', false],
] as const)('a %s response before the end of the upload releases the source: %o', async (responseType, letsGo) => {
  let cancelled = false;
  const source = new ReadableStream({
    cancel: () => {
      cancelled = true;
    },
  });
  const route = createClient({ url: 'http://host.test', fetch: async () => Response.json({}) }).route();
  const { status } = await route.with({ responseType }).post('', source);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([status, cancelled]).toEqual([200, letsGo]);
});
