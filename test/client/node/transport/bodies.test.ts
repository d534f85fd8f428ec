import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../../src/index.ts';
import { failureOf } from '../../../support/failure.ts';
import { json, serve, serveRaw } from '../../../support/server.ts';
import { clientOver } from './support.ts';

const text = 'grüße '.repeat(5_000);
const plain = Buffer.from(text);

const codings: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['gzip', zlib.gzipSync(plain)],
  ['x-gzip', zlib.gzipSync(plain)],
  ['GZIP', zlib.gzipSync(plain)],
  ['deflate', zlib.deflateSync(plain)],
  ['deflate', zlib.deflateRawSync(plain)],
  ['br', zlib.brotliCompressSync(plain)],
  ['zstd', zlib.zstdCompressSync(plain)],
  ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(plain))],
  ['identity', plain],
];

describe('Compressed response bodies', () => {
  test.each(codings)('%s: as text, bytes, blob and stream', async (encoding, bytes) => {
    const server = await serve((_wire, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': encoding }).end(bytes);
    });
    const R = clientOver(server.url).route();
    expect((await R.get()).body).toBe(text);
    expect(Buffer.from((await R.with({ responseType: 'bytes' }).get()).body ?? [])).toEqual(plain);
    expect(await (await R.with({ responseType: 'blob' }).get()).body?.text()).toBe(text);
    expect(await new Response((await R.with({ responseType: 'stream' }).get()).body).text()).toBe(text);
    expect(server.seen[0]?.headers.get('accept-encoding')).toEqual(['gzip, deflate, br, zstd']);
  });

  test('an unknown coding stays as it is; an empty body and a HEAD are valid', async () => {
    const server = await serve((wire, response) => {
      const unknown = wire.target.endsWith('unknown');
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': unknown ? 'rot13' : 'gzip' });
      response.end(unknown ? 'uryyb' : '');
    });
    const R = clientOver(server.url).route();
    expect((await R.get('unknown')).body).toBe('uryyb');
    expect((await R.get('empty')).body).toBeUndefined();
    expect((await R.head('empty')).status).toBe(200);
  });

  test('rejects more than five codings, as fetch does', async () => {
    const server = await serve((wire, response) => {
      const codings = Array(wire.target.endsWith('five') ? 5 : 6).fill('gzip');
      const body = codings.reduce<Buffer>((bytes) => zlib.gzipSync(bytes), Buffer.from('text'));
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': codings.join(', ') }).end(body);
    });
    const R = clientOver(server.url).route();
    expect((await R.get('five')).body).toBe('text');
    const error = await failureOf(R.get('six'));
    expect(error.code).toBe('NETWORK');
    expect(error.message).toContain('more than 5 content codings');
    await expect.poll(() => server.sockets.size).toBe(1);
  });

  test('an error that decodes to gigabytes, and one that decodes to nothing, costs no time', async () => {
    // 268 MB of gzip members without content: 650 kB of gzip.
    const members = Buffer.concat(Array(13_000).fill(zlib.gzipSync('')));
    const chunks = Array.from({ length: 1_000 }, () => members);
    const bomb = await buffer(Readable.from(chunks).pipe(zlib.createGzip({ level: 1 })));
    const server = await serve((_wire, response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'content-encoding': 'gzip, gzip' }).end(bomb);
    });
    const before = process.cpuUsage();
    expect(await failureOf(clientOver(server.url).route().get())).toMatchObject({ status: 500 });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  test('a body that cannot be decoded is a NetworkError, also of an error response', async () => {
    for (const status of [200, 500]) {
      const server = await serve((_wire, response) => {
        response.writeHead(status, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('not gzip');
      });
      expect(await failureOf(clientOver(server.url).route().post())).toMatchObject({ code: 'NETWORK' });
    }
  });
});

test('sends a form with files, a Blob and parameters as fetch does', async () => {
  const sent = async (over: 'fetch' | 'node') => {
    const form = new FormData();
    form.append('na"me\r\n', 'line\nbreak');
    form.append('file', new File(['content of a'], 'a "file".txt', { type: 'text/plain' }));
    form.append('bytes', new Blob([new Uint8Array([0, 255])]));
    const server = await serve(json({}));
    const R = (over === 'node' ? clientOver(server.url) : createClient({ url: server.url })).route();
    for (const body of [
      form,
      new Blob(['x'], { type: 'image/png' }),
      new Blob(['x']),
      new URLSearchParams('a=ü&a=2'),
    ]) {
      await R.post(body);
    }
    return server.seen.map(({ headers, body }) => {
      const type = headers.get('content-type')?.join() ?? '';
      const boundary = /boundary=(.*)/.exec(type)?.[1] ?? 'none';
      const normal = (given: string) => given.replaceAll(boundary, 'B');
      // The names of header fields differ in case.
      const content = normal(body.toString('latin1')).replace(/^(content-[a-z]+):/gim, (name) => name.toLowerCase());
      return [normal(type), content, headers.has('content-length')];
    });
  };
  expect(await sent('node')).toEqual(await sent('fetch'));
});

describe('Back-pressure', () => {
  test('an unread response is not read from the socket', async () => {
    let written = 0;
    const chunk = Buffer.alloc(65_536);
    const server = await serveRaw((_request, response) => {
      const more = () => {
        while (written < 100 * chunk.length && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', () => {
        written += chunk.length;
        more();
      });
      more();
    });
    const { body } = await clientOver(server.url).route().with({ responseType: 'stream' }).get();
    await expect.poll(() => written).toBeGreaterThan(0);
    let last = -1;
    await expect
      .poll(
        () => {
          const settled = written === last;
          last = written;
          return settled;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(written).toBeLessThan(90 * chunk.length);
    const reader = body?.getReader();
    let read = 0;
    while (read < last) read += (await reader?.read())?.value?.length ?? 0;
    await expect.poll(() => written).toBeGreaterThan(last);
    await reader?.cancel();
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('an upload that the server does not read is not read from its source', async () => {
    let pulled = 0;
    const source = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const server = await serveRaw((request) => request.pause());
    const controller = new AbortController();
    const call = failureOf(
      clientOver(server.url).route().request({ method: 'POST', body: source, signal: controller.signal }),
    );
    let last = -1;
    await expect
      .poll(
        () => {
          const settled = pulled > 0 && pulled === last;
          last = pulled;
          return settled;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(pulled).toBeLessThan(1_000);
    controller.abort();
    expect((await call).code).toBe('ABORTED');
  });
});

test('an upload that is refused early ends: its source is cancelled', async () => {
  const cancelled = Promise.withResolvers<void>();
  const source = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1_024)),
    cancel: () => cancelled.resolve(),
  });
  const server = createServer((_request, response) => {
    response.writeHead(413, { 'content-type': 'application/json', connection: 'close' }).end('{"message":"too large"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // The cast: a server that listens on a port has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await failureOf(clientOver(url).route().post(source))).toMatchObject({ status: 413, message: /too large$/ });
  await cancelled.promise;
});
