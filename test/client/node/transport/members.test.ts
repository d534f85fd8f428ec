import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decoderFor } from '../../../../src/client/node/transport/decode.ts';
import { failureOf } from '../../../support/failure.ts';
import { serve } from '../../../support/server.ts';
import { clientOver } from './support.ts';

const first = zlib.zstdCompressSync('first '.repeat(3));
const second = zlib.zstdCompressSync('second');
// RFC 8878, 3.1.2: a frame without content of its own.
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const gzipped = Buffer.concat([zlib.gzipSync('first first first '), zlib.gzipSync('second')]);
const text = 'first first first second';

const decode = (coding: string, chunks: readonly Uint8Array[]) =>
  // The cast: Node can decode each of these.
  buffer(decoderFor(coding)?.(Readable.from(chunks)) as AsyncIterable<Uint8Array>);

describe('Codings of several members', () => {
  test.each([
    ['gzip', gzipped],
    ['zstd', Buffer.concat([first, second])],
    ['zstd', Buffer.concat([skippable, first, skippable, second, skippable])],
    ['zstd, gzip', zlib.gzipSync(Buffer.concat([first, second]))],
    [
      'gzip, zstd',
      Buffer.concat([zlib.zstdCompressSync(gzipped.subarray(0, 9)), zlib.zstdCompressSync(gzipped.subarray(9))]),
    ],
  ])('%s is whole, wherever its chunks end', async (coding, bytes) => {
    expect(String(await decode(coding, [bytes]))).toBe(text);
    expect(
      String(
        await decode(
          coding,
          Array.from(bytes, (byte) => Buffer.from([byte])),
        ),
      ),
    ).toBe(text);
    for (let at = 1; at < bytes.length; at++) {
      expect(String(await decode(coding, [bytes.subarray(0, at), bytes.subarray(at)]))).toBe(text);
    }
  });

  test('two frames of zstd in one chunk of a response, as text, stream and error', async () => {
    const server = await serve(({ target }, response) => {
      const status = target.endsWith('error') ? 400 : 200;
      response.writeHead(status, { 'content-type': 'text/plain', 'content-encoding': 'zstd' });
      response.end(Buffer.concat([first, second]));
    });
    const R = clientOver(server.url).route();
    expect((await R.get()).body).toBe(text);
    expect(await new Response((await R.with({ responseType: 'stream' }).get()).body).text()).toBe(text);
    expect(await failureOf(R.get('error'))).toMatchObject({ body: text });
  });

  test.each([
    ['gzip', zlib.gzipSync(text)],
    ['gzip', gzipped],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', first],
    ['gzip, br', zlib.brotliCompressSync(gzipped)],
  ])('%s that ends early is an error, wherever it ends', async (coding, bytes) => {
    const boundary = bytes === gzipped ? zlib.gzipSync('first first first ').length : 0;
    for (let end = 1; end < bytes.length; end++) {
      if (end === boundary) continue;
      await expect(decode(coding, [bytes.subarray(0, end)]), `after ${end}`).rejects.toThrow();
    }
  });

  test('a response whose coding ends early is a NetworkError; an error keeps what came of its body', async () => {
    const server = await serve(({ target }, response) => {
      const status = target.endsWith('error') ? 400 : 200;
      response.writeHead(status, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(zlib.gzipSync('text '.repeat(9)).subarray(0, -8));
    });
    const R = clientOver(server.url).route().with({ retry: 0 });
    expect(await failureOf(R.get())).toMatchObject({ code: 'NETWORK', cause: { code: 'Z_BUF_ERROR' } });
    expect(await failureOf(R.get('error'))).toMatchObject({ status: 400, body: 'text '.repeat(9) });
  });

  test('a second frame that is cut or not zstd is an error, and leaving the body ends its source', async () => {
    await expect(decode('zstd', [Buffer.concat([first, second.subarray(0, -2)])])).rejects.toThrow();
    await expect(decode('zstd', [Buffer.concat([first, Buffer.from('no zstd')])])).rejects.toThrow();
    let ended = false;
    async function* frames() {
      try {
        for (;;) yield Buffer.concat([first, second]);
      } finally {
        ended = true;
      }
    }
    for await (const _ of decoderFor('zstd')?.(frames()) ?? []) break;
    await expect.poll(() => ended).toBe(true);
    const failing = Readable.from(
      (async function* () {
        yield first;
        throw new Error('the socket broke');
      })(),
    );
    await expect(buffer(decoderFor('zstd')?.(failing) as AsyncIterable<Uint8Array>)).rejects.toThrow('broke');
  });
});
