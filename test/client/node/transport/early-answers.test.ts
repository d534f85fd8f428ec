import { request as ask, createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { UploadBody } from '../../../../src/client/stream/index.ts';
import { failureOf } from '../../../support/failure.ts';
import { json, serve } from '../../../support/server.ts';
import { partOf } from '../../../support/thorough.ts';
import { clientOver } from './support.ts';

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // The cast: a server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers each connection's first request after its first bytes, keeps it alive, and reads no more of it. */
const answeringEarly = (status: number): Promise<string> =>
  listen(
    createNetServer((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write(`HTTP/1.1 ${status} Early\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
      });
    }),
  );

/** A gateway that keeps its client's connection while the guard behind it refuses without reading. */
async function gatewayBeforeGuard(): Promise<string> {
  const guard = createNetServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'));
  });
  const { port } = new URL(await listen(guard));
  return listen(
    createServer((incoming, response) => {
      const { method, url, headers } = incoming;
      const onward = ask({ host: '127.0.0.1', port, method, path: url, headers });
      onward.once('response', ({ statusCode = 502 }) => void response.writeHead(statusCode).end());
      onward.on('error', () => response.headersSent || response.writeHead(403).end());
      incoming.pipe(onward);
    }),
  );
}

const bytes = new Uint8Array(20_000_000);
const bodies: readonly (readonly [string, () => UploadBody | string | AsyncIterable<Uint8Array>])[] = [
  ['bytes', () => bytes],
  ['a megabyte', () => bytes.subarray(0, 1_000_000)],
  ['text', () => 'x'.repeat(5_000_000)],
  ['a Blob', () => new Blob([bytes])],
  [
    'a form',
    () => {
      const form = new FormData();
      form.append('file', new Blob([bytes]), 'a.bin');
      return form;
    },
  ],
  [
    'a stream',
    async function* () {
      for (let part = 0; part < 20; part++) yield bytes.subarray(0, 1_000_000);
    },
  ],
];

describe('An answer before the body was taken', () => {
  test.each(bodies)('%s: each call gets the 403', async (_, make) => {
    for (const url of [await answeringEarly(403), await gatewayBeforeGuard()]) {
      const R = clientOver(url, {}, { timeout: 5_000 }).route();
      for (let call = 0; call < partOf(8, 3); call++)
        expect(await failureOf(R.put('', make()))).toMatchObject({ status: 403 });
    }
  });

  test('a success while bytes wait to be sent is followed by a new connection', async () => {
    const R = clientOver(await answeringEarly(200), {}, { timeout: 5_000 }).route();
    for (let call = 0; call < 3; call++) expect((await R.put('', bytes)).status).toBe(200);
  });

  test('calls that wait for the one connection get their answers', async () => {
    const R = clientOver(await answeringEarly(403), { connections: 1 }, { timeout: 5_000 }).route();
    const errors = await Promise.all(Array.from({ length: 6 }, () => failureOf(R.put('', bytes))));
    expect(errors.map(({ status }) => status)).toEqual(Array(6).fill(403));
  });

  test('a small body and a body that was taken leave the connection open', async () => {
    const server = await serve((wire, ...rest) => json({}, wire.method === 'POST' ? 409 : 200)(wire, ...rest));
    const R = clientOver(server.url, { connections: 1 }).route();
    await failureOf(R.post({ small: true }));
    await failureOf(R.post({ small: true }));
    await R.put('', bytes);
    await R.put('', bytes);
    expect(server.connections()).toBe(1);
  });
});
