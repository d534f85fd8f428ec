import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const text = JSON.stringify({ message: 'ä'.repeat(40) });
const kinds: [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 9)), gzipSync(bytes.subarray(9))])],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
];

/** A mock, open to all, and a service that runs on a port of its own. */
async function open(handle: RequestListener) {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const mock = await createMock({ authentication: { mode: 'None' } });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  // The cast: a server that listens on a port has an AddressInfo.
  mock.service('orders', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { mock, path: '/_service/uds/_db/shop/orders/x' };
}

test.each(kinds)(
  'a service that answers in %s is decoded by fetch, and stays encoded over a port',
  async (name, encode) => {
    const bytes = encode(Buffer.from(text));
    const headers = { 'content-type': 'application/json', 'content-encoding': name, 'content-length': bytes.length };
    const { mock, path } = await open((_, answer) => answer.writeHead(200, headers).end(bytes));
    const answer = await mock.fetch(`http://mock.test${path}`);
    expect([answer.headers.get('content-encoding'), answer.headers.get('content-length')]).toEqual([
      name,
      `${bytes.length}`,
    ]);
    expect(await answer.text()).toBe(text);
    const client = createClient({ ...mock.connection, database: 'shop' });
    expect((await client.service('orders').get('x')).body).toEqual(JSON.parse(text));
    const { url } = await listen(mock);
    const { get } = process.getBuiltinModule('node:http');
    const sent = await new Promise<Buffer>((resolve) => {
      get(`${url}${path}`, async (incoming) => resolve(Buffer.concat(await incoming.toArray())));
    });
    expect(sent).toEqual(bytes);
  },
);

test('an encoded body arrives as it is sent, and its failure is that of the call', async () => {
  const { mock, path } = await open((request, answer) => {
    answer.writeHead(200, { 'content-encoding': request.url === '/x' ? 'gzip' : 'x-odd' });
    if (request.url !== '/x') return void answer.end('plain');
    const gzip = createGzip();
    gzip.pipe(answer);
    gzip.write('first');
    gzip.flush();
  });
  const reader = (await mock.fetch(`http://mock.test${path}`)).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  await reader?.cancel();
  expect(await (await mock.fetch(`http://mock.test${path}/odd`)).text()).toBe('plain');

  mock.route('GET', '/_db/:db/bad', () => ({ headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }));
  mock.route('HEAD', '/_db/:db/bad', () => ({ headers: { 'content-encoding': 'gzip' } }));
  await expect((await mock.fetch('http://mock.test/_db/x/bad')).text()).rejects.toThrow('terminated');
  expect((await mock.fetch('http://mock.test/_db/x/bad', { method: 'HEAD' })).status).toBe(200);
  const failure = await failureOf(
    createClient({ ...mock.connection, database: 'x' })
      .route('bad')
      .get(),
  );
  expect(failure).toMatchObject({ name: 'NetworkError' });
});
