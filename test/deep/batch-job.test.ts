import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { nodeTransport } from '../../src/client/node/index.ts';
import { ndjson, progress } from '../../src/client/stream/index.ts';
import { createClient, isArangoServicesError } from '../../src/index.ts';
import { heldBytes } from '../support/heap.ts';

const descriptors = () => readdirSync('/proc/self/fd').length;
const documents = 200_000;
const mebibyte = 1_048_576;

/** A server that cuts, answers 503 and accepts in turn. It counts complete requests. */
function startRough(port = 0): Promise<{ server: Server; port: number; taken: number[] }> {
  const taken: number[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    let bytes = 0;
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      let next = 0;
      const write = () => {
        while (next < documents) if (!response.write(`{"id":${next++},"text":"a document"}\n`)) return;
        response.end();
      };
      response.on('drain', write);
      return write();
    }
    const mine = request.url?.endsWith('killed') ? 2 : turn++ % 3;
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (mine === 0 && bytes > mebibyte) request.socket.destroy();
    });
    request.on('end', () => {
      if (mine === 1) return void response.writeHead(503).end();
      taken.push(bytes);
      response.end();
    });
  });
  return new Promise((done) => {
    server.listen(port, '127.0.0.1', () => {
      // The cast: a server that listens on a port has an AddressInfo.
      done({ server, port: (server.address() as AddressInfo).port, taken });
    });
  });
}

const stop = (server: Server) =>
  new Promise<void>((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

async function* rows() {
  for (let id = 0; id < documents; id++) yield `{"id":${id},"text":"a document"}\n`;
}
async function* large() {
  for (let i = 0; i < 300; i++) yield new Uint8Array(mebibyte);
}

test.each(['fetch', 'nodeTransport'])('a nightly job over %s leaves nothing behind', async (way) => {
  let { server, port, taken } = await startRough();
  const transport = way === 'fetch' ? undefined : nodeTransport();
  const client = createClient({ url: `http://127.0.0.1:${port}`, transport });
  const route = client.route('job').with({ retry: 4 });
  const run = async () => {
    taken.length = 0;
    await route.put('rows', () => rows());
    let seen = 0;
    for await (const _ of ndjson((await route.with({ responseType: 'stream' }).get('rows')).body)) seen++;
    expect(seen).toBe(documents);
    let sent = 0;
    const body = progress(
      () => large(),
      ({ bytes }) => {
        sent = bytes;
      },
    );
    await route.put('large', body);
    expect([sent, taken.at(-1), taken.length]).toEqual([300 * mebibyte, 300 * mebibyte, 2]);
    // Killed half-way: the call fails, and the next one goes to the new server.
    let killed: Promise<void> | undefined;
    const failing = progress(large(), ({ bytes }) => {
      if (bytes > 100 * mebibyte) killed ??= stop(server);
    });
    const error = await route.put('killed', failing).catch((reason: unknown) => reason);
    expect(isArangoServicesError(error) && error.code).toBe('NETWORK');
    await killed;
    ({ server, taken } = await startRough(port));
  };
  await run();
  const [heap, handles, open] = [heldBytes(), process.getActiveResourcesInfo().length, descriptors()];
  for (let round = 0; round < 2; round++) await run();
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(open + 2);
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(handles + 3);
  expect(heldBytes() - heap).toBeLessThan(5_000_000);
  await client.close();
  await stop(server);
});
