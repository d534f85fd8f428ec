import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBothVersions } from '../../../../src/mock/adapters/node/both-versions.ts';
import { listenAt } from '../../../../src/mock/adapters/node/listening-address.ts';
import { waitTimes } from '../../../../src/mock/adapters/node/timeouts.ts';

const http1 = createServer(async (request, response) => response.end(`1: ${(await text(request)).length}`));
const http2 = createHttp2Server(async (request, response) => void response.end(`2: ${(await text(request)).length}`));
const server = serveBothVersions(http1, () => http2, waitTimes({}));
let port = 0;

beforeAll(async () => {
  ({ port } = await listenAt(server, { port: 0, host: '127.0.0.1' }));
});
afterAll(() => void server.close());

/**
 * Returns everything that the server writes until it closes a connection that sends these pieces, each in its own
 * packet.
 */
async function converse(pieces: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answer = text(socket);
  for (const piece of pieces) await new Promise((sent) => socket.write(piece, sent));
  socket.end();
  return answer;
}

test('the port answers HTTP/1.1, also with a body of many packets', async () => {
  const headers = { connection: 'close' };
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'x'.repeat(300_000), headers });
  expect(await response.text()).toBe('1: 300000');
});

test('the port answers HTTP/2 with prior knowledge, many requests on one connection', async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const ask = async (size: number): Promise<string> => {
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.end('y'.repeat(size));
    return text(stream);
  };
  expect(await Promise.all([ask(1), ask(200_000), ask(0)])).toEqual(['2: 1', '2: 200000', '2: 0']);
  session.close();
  await once(session, 'close');
});

test('the port answers HTTP/1.1 whose first line comes byte by byte and begins like HTTP/2', async () => {
  const request = 'PROPFIND / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
  expect(await converse([...request])).toMatch(/^HTTP\/1\.1 200 /);
});

test('the port answers HTTP/2 whose preface comes byte by byte', async () => {
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  const settings = '\x00\x00\x00\x04\x00\x00\x00\x00\x00';
  // The server answers with its own settings frame (type 4), as only HTTP/2 does.
  expect((await converse([...preface, settings])).charCodeAt(3)).toBe(4);
});

test('a connection that ends or breaks before its protocol is known leaves nothing behind', async () => {
  expect(await converse(['PR'])).toBe('');
  expect(await converse([])).toBe('');
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('PRI');
  socket.resetAndDestroy();
  await once(socket, 'close');
  await expect.poll(() => promisify(server.getConnections.bind(server))()).toBe(0);
});
