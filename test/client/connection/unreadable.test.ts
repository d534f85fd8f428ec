import {
  appendFileSync,
  createReadStream,
  mkdtempSync,
  openAsBlob,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { type UploadBody, uploadWithProgress } from '../../../src/client/stream/index.ts';
import { createClient, type Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serve } from '../../support/server.ts';
import { transports } from '../../support/transports.ts';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'file.bin');

// What nothing handles would end the process of a caller.
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note).off('uncaughtException', note);
  expect(unhandled).toEqual([]);
});

/** A file that changes after it was opened. */
async function changed(how: () => void, bytes = 100_000): Promise<Blob> {
  writeFileSync(path, new Uint8Array(bytes));
  const blob = await openAsBlob(path, { type: 'image/png' });
  how();
  return blob;
}

const changes: readonly (readonly [string, () => Promise<Blob>])[] = [
  ['grown', () => changed(() => appendFileSync(path, 'more'))],
  ['removed', () => changed(() => rmSync(path))],
  ['truncated', () => changed(() => truncateSync(path, 10))],
  ['emptied behind a part', async () => new Blob(['part', await changed(() => truncateSync(path, 0))])],
];

const formOf = (blob: Blob): FormData => {
  const form = new FormData();
  form.append('name', 'a');
  form.append('file', blob, 'a.png');
  return form;
};

const own = new Error('the source failed');
const iterator = (before: number, next: () => IteratorResult<string> = () => fail()) => {
  let left = before;
  return {
    [Symbol.asyncIterator]: () => ({ next: async () => (left-- > 0 ? { value: 'part', done: false } : next()) }),
  };
};
function fail(): never {
  throw own;
}
const sources: readonly (readonly [string, () => AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>])[] = [
  ['an iterator that fails at once', () => iterator(0) as never],
  ['an iterator that fails after a byte', () => iterator(1) as never],
  ['an iterator that fails after many', () => iterator(200) as never],
  ['a file that is not there', () => createReadStream(join(folder, 'none'))],
  ['a destroyed stream', () => Readable.from(['part']).destroy(own)],
  [
    'a stream that is destroyed while it is read',
    () => {
      let reads = 0;
      const source: Readable = new Readable({
        read() {
          setImmediate(() => (reads++ === 3 ? source.destroy() : source.push('part')));
        },
      });
      return source;
    },
  ],
  ['a web stream in error', () => new ReadableStream({ start: (controller) => controller.error(own) })],
];

const ways = [
  ...transports,
  { name: 'failover over fetch', make: failover },
  { name: 'failover over nodeTransport', make: (urls: string[]) => failover(urls, { transport: nodeTransport() }) },
];

describe.each(ways)('A body from a file, a form or a stream, over $name', ({ name: _, ...way }) => {
  /** A route to a server, and another address of the same deployment. */
  async function routes(): Promise<{ route: Route; asked: () => number; others: () => number }> {
    const server = await serve();
    const other = await serve();
    const { make, ...send } = { make: undefined, ...way };
    const transport = make?.([server.url, other.url]);
    const client = createClient({ url: server.url, ...send, ...(transport && { transport }), timeout: 20_000 });
    return { route: client.route(), asked: () => server.seen.length, others: () => other.connections() };
  }
  const put = (route: Route, body: unknown) => route.request({ method: 'PUT', body, retry: 2 });

  test.each(changes)('a file that was %s is one UploadError', async (_how, open) => {
    const { route, asked, others } = await routes();
    const sends: ((blob: Blob) => Promise<unknown>)[] = [
      (blob) => put(route, blob),
      (blob) => route.post('', blob),
      (blob) => put(route, formOf(blob)),
      (blob) => route.post('', formOf(blob)),
      (blob) => uploadWithProgress(route, '', blob, { onProgress: () => undefined, method: 'PUT' }),
      (blob) => uploadWithProgress(route, '', formOf(blob), { onProgress: () => undefined }),
      (blob) => put(route.with({ idleTimeoutMs: 10_000 }), blob),
      (blob) => put(route, () => blob.stream()),
    ];
    for (const send of sends) {
      const error = await failureOf(send(await open()));
      expect(error).toMatchObject({ code: 'UPLOAD', cause: { name: 'NotReadableError' } });
    }
    await route.put('', 'next');
    expect([asked(), others()]).toEqual([1, 0]);
  });

  test.each(sources)('%s is one UploadError', async (_how, make) => {
    const { route, asked, others } = await routes();
    for (const send of [() => put(route, make()), () => route.post('', make()), () => put(route, make)]) {
      expect(await failureOf(send())).toMatchObject({ code: 'UPLOAD' });
    }
    await route.put('', 'next');
    expect([asked(), others()]).toEqual([1, 0]);
  });

  test('a form with a file arrives whole, and progress reports the size of the body', async () => {
    const server = await serve();
    const { make, ...send } = { make: undefined, ...way };
    const transport = make?.([server.url]);
    const route = createClient({ url: server.url, ...send, ...(transport && { transport }) }).route();
    const form = formOf(new Blob(['bytes'], { type: 'image/png' }));
    await route.post('', form);
    const seen: unknown[] = [];
    const onProgress = ({ total }: { total: number | undefined }): void => void seen.push(total);
    await uploadWithProgress(route, '', form as UploadBody, { onProgress });
    for (const { headers, body } of server.seen) {
      const type = headers.get('content-type')?.[0] ?? '';
      const sent = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
      expect([sent.get('name'), await (sent.get('file') as File).text()]).toEqual(['a', 'bytes']);
    }
    expect(server.seen[0]?.headers.get('content-length')).toEqual([String(server.seen[0]?.body.length)]);
    expect(seen).toEqual(seen.map(() => server.seen[1]?.body.length));
    expect(seen.length).toBeGreaterThan(0);
  });
});
