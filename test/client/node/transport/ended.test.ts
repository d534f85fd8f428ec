import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serveBytes } from '../../../support/server.ts';
import { clientOver } from './support.ts';

const framings: readonly (readonly [string, (body: Buffer) => string, (body: Buffer) => Buffer])[] = [
  ['a length', ({ length }) => `content-length: ${length}\r\n`, (body) => body],
  [
    'chunks',
    () => 'transfer-encoding: chunked\r\n',
    (body) => Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
  ],
  ['its end', () => '', (body) => body],
];

/** Sends a body and closes the connection at once, or after a while. */
const closing = (head: string, body: Buffer, afterMs: number) =>
  serveBytes((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n${head}\r\n`);
    socket.write(body);
    setTimeout(() => socket.end(), afterMs);
  });

// undici 7 ends the process by an assertion that cannot be caught (nodejs/undici 5360).
describe.each(framings)('a connection that the server closes while a body of %s is not read', (_, head, wire) => {
  test.each([64, 80, 100, 120, 300, 2_000])('leaves %d kB to be read, slowly', async (kilobytes) => {
    const body = Buffer.alloc(kilobytes * 1_024, 'abcdefg');
    for (const afterMs of [0, 30]) {
      const { url } = await closing(head(body), wire(body), afterMs);
      const answer = await clientOver(url).route().with({ responseType: 'stream' }).get();
      await wait(60);
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body ?? []) {
        chunks.push(chunk);
        if (chunks.length % 8 === 1) await wait(1);
      }
      expect(Buffer.concat(chunks).equals(body)).toBe(true);
    }
  });

  test('ends no process if it is never read, and loses no byte if it is compressed', async () => {
    const large = Buffer.alloc(100_000);
    const unread = await closing(head(large), wire(large), 20);
    await clientOver(unread.url).route().with({ responseType: 'stream' }).get();
    await wait(60);
    const text = Array.from({ length: 300_000 }, (_v, index) => (index * 7_919) % 10_007).join();
    const packed = gzipSync(text);
    const { url } = await closing(
      `content-encoding: gzip\r\ncontent-type: text/plain\r\n${head(packed)}`,
      wire(packed),
      0,
    );
    expect((await clientOver(url).route().get()).body).toBe(text);
  });
});
