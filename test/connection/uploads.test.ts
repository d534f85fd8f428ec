import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createClient, isUploadError } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { json, serve, serveRaw } from '../support/server.ts';
import { transports } from '../support/transports.ts';

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

  test('a source that fails is an UploadError with its own error as the cause, and never sent again', async () => {
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

  test('an upload whose answer comes early ends, and its iterable is closed', async () => {
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
});

test('a chunk that is no bytes and no text is the caller’s failure', async () => {
  const server = await serve(json({}));
  const numbers = parts(...([1, 2] as unknown as string[]));
  expect(await failureOf(createClient({ url: server.url }).route().post('', numbers))).toMatchObject({
    code: 'UPLOAD',
  });
});
