import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { createClient, type Transport } from '../../../src/index.ts';
import { serve } from '../../support/server.ts';
import { refused, ways } from './support.ts';

const routeOver = (addresses: readonly string[], transport: ReturnType<(typeof ways)[number]['make']>) =>
  createClient({ url: addresses[0] ?? '', retry: 0, transport: failover(addresses, { transport }) }).route('svc');

/** Yields letters, and counts what ended it. */
function letters(count: number, fail?: Error) {
  const seen = { ended: 0, given: 0 };
  async function* source() {
    try {
      for (let i = 0; i < count; i++) {
        seen.given++;
        yield new Uint8Array([65 + i]);
      }
      if (fail) throw fail;
    } finally {
      seen.ended++;
    }
  }
  return { seen, source: source() };
}

describe.each(ways)('an upload with failover, over $name', ({ make }) => {
  test.each([1, 2, 3])('of every kind arrives whole after %i failed addresses', async (moves) => {
    // First, so that it does not get a port that was closed.
    const server = await serve();
    const gone = await Promise.all(Array.from({ length: moves }, refused));
    const form = new FormData();
    form.set('file', new Blob(['F'.repeat(200_000)]), 'f.txt');
    const big = 'B'.repeat(300_000);
    const bodies: readonly (() => unknown)[] = [
      () => new Blob([big]),
      () => new URLSearchParams({ a: '1' }),
      () => letters(9).source,
      () => Readable.from(letters(9).source),
      () => Readable.from(['A', 'BC', 'DEFGHI']),
      () => Readable.toWeb(Readable.from(letters(9).source)),
      () => new Blob([big]).stream(),
      () => () => letters(9).source,
      () => letters(0).source,
    ];
    for (const body of bodies) {
      await routeOver([...gone, server.url], make()).post('', body() as never);
    }
    const nine = 'ABCDEFGHI';
    expect(server.seen.map((wire) => wire.body.toString())).toEqual([
      big,
      'a=1',
      nine,
      nine,
      nine,
      nine,
      big,
      nine,
      '',
    ]);
    await routeOver([...gone, server.url], make()).post('', form);
    expect(server.seen.at(-1)?.body.toString()).toContain('F'.repeat(200_000));
  });

  test('whose source fails is an UploadError, and leaves the address in use', async () => {
    const servers = [await serve(), await serve()];
    const route = routeOver(
      servers.map(({ url }) => url),
      make(),
    );
    const failure = Object.assign(new Error('the source failed'), { code: 'ECONNREFUSED' });
    for (const count of [0, 1, 2, 3, 9]) {
      await expect(route.post('', letters(count, failure).source)).rejects.toMatchObject({ code: 'UPLOAD' });
    }
    await route.post('', {});
    expect(servers.map(({ seen }) => seen.length)).toEqual([1, 0]);
  });

  test('ends its source when no address is left', async () => {
    const { seen, source } = letters(9);
    await expect(routeOver([await refused(), await refused()], make()).post('', source)).rejects.toMatchObject({
      code: 'NETWORK',
    });
    await expect.poll(() => seen.ended).toBe(seen.given > 0 ? 1 : 0);
  });
});

test.each(['before', 'after'] as const)(
  'a source is ended by a request that cancels its body %s the response',
  async (when) => {
    let cancelled = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: () => void cancelled++,
      },
      { highWaterMark: 0 },
    );
    const early: Transport = {
      async send(_, { body: sent }) {
        // The cast: a stream is sent as a stream.
        const reader = (sent as ReadableStream).getReader();
        await reader.read();
        if (when === 'before') await reader.cancel();
        else setTimeout(() => reader.cancel());
        return Object.assign(Response.json({}), { bytes: async () => new Uint8Array() });
      },
    };
    const url = 'http://a.example';
    const client = createClient({ url, transport: failover([{ url, transport: early }]) });
    await client.route('svc').with({ responseType: 'stream' }).post('', body);
    await expect.poll(() => cancelled).toBe(1);
  },
);

test('an address that still reads a body after its request went to the next one gets no end of the body', async () => {
  const server = await serve();
  let late: Promise<unknown> | undefined;
  const slow: Transport = {
    async send(_, { body }) {
      // The cast: a stream is sent as a stream.
      const reader = (body as ReadableStream).getReader();
      await reader.read();
      late = reader.read().then(({ done }) => done);
      late.catch(() => undefined);
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    },
  };
  const addresses = [{ url: 'http://a.example', transport: slow }, server.url];
  await createClient({ url: server.url, transport: failover(addresses) })
    .route('svc')
    .post('', letters(9).source);
  expect(server.seen.map((wire) => wire.body.toString())).toEqual(['ABCDEFGHI']);
  await expect(late).rejects.toThrow('the request has moved');
});
