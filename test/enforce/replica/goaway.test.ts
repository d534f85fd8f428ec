import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Http2Connection } from '../../../src/enforce/replica/http2-connection.ts';

test('after a GOAWAY no old stream stays open beside those of the next connection', async () => {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer();
  server.on('session', (session) => void sessions.push(session));
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200 });
    stream.write('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new Http2Connection(`http://127.0.0.1:${port}`, {});
  onTestFinished(() => {
    connection.close();
    server.close();
  });
  const open = async () => {
    const stream = await connection.request('GET', '/', {}, {});
    stream.on('error', () => {});
    await once(stream, 'data');
    return stream;
  };
  const first = await open();
  const before = connection.current;
  // As nginx and HAProxy do after a number of requests: open streams may continue.
  sessions[0]?.goaway();
  await expect.poll(() => (before as { closed: boolean }).closed).toBe(true);
  expect(first.closed).toBe(false);
  const second = await open();
  expect([connection.current === before, first.closed, second.closed]).toEqual([false, true, false]);
});
