import { connect } from 'node:http2';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { heldBytes } from '../../support/heap.ts';
import { isRelease } from '../../support/thorough.ts';

const mebibyte = 1_048_576;
const path = '/_db/shop/up';
const route = '/_db/:db/up';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const ways: Readonly<Record<string, (mock: Mock) => Promise<object>>> = {
  'in memory': async (mock) => mock.connection,
  'over fetch': async (mock) => portOf(mock),
  'over nodeTransport': async (mock) => ({ ...(await portOf(mock)), transport: nodeTransport() }),
};

async function portOf(mock: Mock): Promise<{ url: string }> {
  const server = await listen(mock);
  closing.push(() => server.close());
  return { url: server.url };
}

async function clientOf(mock: Mock, way: string) {
  const token = await mock.tokens.issue({ user: 'root' });
  const client = createClient({ url: '', ...(await ways[way]?.(mock)), credentials: credentials.bearer(token) });
  closing.push(() => client.close({ graceMs: 0 }));
  return client.database('shop').route('up');
}

/** Chunks of 64 KiB; `sent` counts them. */
function upload(count: number) {
  const sent = { chunks: 0 };
  async function* chunks() {
    for (; sent.chunks < count; sent.chunks += 1) yield new Uint8Array(65_536).fill(sent.chunks);
  }
  return { sent, chunks };
}

async function sizeOf(body: ReadableStream<Uint8Array> | undefined): Promise<number> {
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += chunk.length;
  return bytes;
}

// Node's fetch keeps what it sends until the end, for a redirect: the sender, in this process, would be measured.
test.runIf(isRelease).each(['in memory', 'over nodeTransport'])(
  '%s a handler reads 200 MB, and memory stays flat',
  async (way) => {
    await using mock = await createMock();
    let held = 0;
    mock.route(
      'POST',
      route,
      async ({ body }) => {
        const before = heldBytes() + process.memoryUsage().arrayBuffers;
        let [bytes, most] = [0, 0];
        for await (const chunk of body ?? []) {
          bytes += chunk.length;
          // Near the end, when all before it would still be there.
          if (bytes > 190 * mebibyte && most === 0) most = heldBytes() + process.memoryUsage().arrayBuffers;
        }
        held = most - before;
        return { body: { bytes } };
      },
      { body: 'stream' },
    );
    const { chunks } = upload(3_200);
    const { body } = await (await clientOf(mock, way)).post('', chunks());
    expect(body).toEqual({ bytes: 200 * mebibyte });
    expect(held).toBeLessThan(30 * mebibyte);
  },
);

describe.each(Object.keys(ways))('%s', (way) => {
  test('a handler that reads slowly makes its caller wait', async () => {
    await using mock = await createMock();
    const { sent, chunks } = upload(800);
    const go = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    mock.route(
      'POST',
      route,
      async ({ body }) => {
        const reader = body?.getReader();
        await reader?.read();
        waits.resolve();
        await go.promise;
        reader?.releaseLock();
        return { body: { rest: await sizeOf(body) } };
      },
      { body: 'stream' },
    );
    const answered = (await clientOf(mock, way)).post('', chunks());
    await waits.promise;
    // What sockets and streams buffer at most, once nothing is added any more.
    let before = -1;
    const settled = () => {
      const now = sent.chunks;
      const isSettled = now === before;
      before = now;
      return isSettled;
    };
    await expect.poll(settled, { interval: 300 }).toBe(true);
    expect(sent.chunks).toBeLessThan(700);
    go.resolve();
    expect((await answered).body).toEqual({ rest: expect.any(Number) });
    expect(sent.chunks).toBe(800);
  });

  test('a handler may answer without reading its body', async () => {
    await using mock = await createMock();
    mock.route('POST', route, () => ({ status: 409, body: { message: 'no' } }), { body: 'stream' });
    const target = await clientOf(mock, way);
    for (const body of ['text', new Uint8Array(3 * mebibyte)]) {
      await expect(target.post('', body)).rejects.toMatchObject({ status: 409 });
    }
    expect(mock.requests.map(({ status }) => status)).toEqual([409, 409]);
  });

  test('a handler gets text, bytes beyond the limit, and nothing of a request without a body', async () => {
    await using mock = await createMock();
    mock.route('*', route, async ({ body }) => ({ body: { bytes: body && (await sizeOf(body)) } }), { body: 'stream' });
    const target = await clientOf(mock, way);
    expect((await target.post('', 'Käse')).body).toEqual({ bytes: 5 });
    expect((await target.put('', new Uint8Array(3 * mebibyte))).body).toEqual({ bytes: 3 * mebibyte });
    expect((await target.get()).body).toEqual({});
  });

  test('a caller that aborts ends the body with an error', async () => {
    await using mock = await createMock();
    const ended = Promise.withResolvers<unknown>();
    const began = Promise.withResolvers<void>();
    mock.route(
      'POST',
      route,
      async ({ body }) => {
        const reader = body?.getReader();
        await reader?.read();
        began.resolve();
        const read = async () => {
          while (!(await reader?.read())?.done);
          return 'ended';
        };
        ended.resolve(await read().catch(() => 'failed'));
        return {};
      },
      { body: 'stream' },
    );
    const controller = new AbortController();
    async function* endless() {
      for (;;) {
        yield new Uint8Array(1_000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    const target = (await clientOf(mock, way)).with({ signal: controller.signal });
    const call = target.post('', endless()).catch(({ code }) => code);
    await began.promise;
    controller.abort();
    expect(await call).toBe('ABORTED');
    expect(['failed', 'ended']).toContain(await ended.promise);
  });
});

test('over HTTP/2 a handler reads its body as a stream, too', async () => {
  await using mock = await createMock();
  mock.route('POST', route, async ({ body }) => ({ body: { bytes: await sizeOf(body) } }), { body: 'stream' });
  const { url } = await portOf(mock);
  const session = connect(url);
  closing.push(async () => session.destroy());
  const authorization = `bearer ${await mock.tokens.issue({ user: 'root' })}`;
  const stream = session.request({ ':method': 'POST', ':path': path, authorization });
  stream.end(Buffer.alloc(3 * mebibyte));
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  expect(JSON.parse(text)).toEqual({ bytes: 3 * mebibyte });
});

test('refuses other options', async () => {
  await using mock = await createMock();
  const add = (options: unknown) => () => mock.route('POST', route, () => ({}), options as { body: 'stream' });
  expect(add({ body: 'bytes' })).toThrow('body: expected one of stream, got a string');
  expect(add({ stream: true })).toThrow('stream: unknown');
});
