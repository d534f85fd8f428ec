import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ListenOptions, listen, listenGrpc } from '../../../../src/console/mock/node.ts';
import { waitTimes } from '../../../../src/mock/adapters/node/timeouts.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { noLogin, raw } from './port-support.ts';

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';

async function start(options: ListenOptions, grpc: boolean): Promise<{ port: number; url: string }> {
  const mock = await createMock(noLogin);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const { port } = grpc ? await listenGrpc(mock, options) : await listen(mock, options);
  return { port, url: `http://127.0.0.1:${port}` };
}

/**
 * Returns what a connection receives after sending `text` and then nothing; undefined if it is still open after
 * `patienceMs`. The default leaves a busy machine time to end it.
 */
async function silence(port: number, text: string, patienceMs = 10_000): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let got = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      got += chunk;
    });
  if (text !== '') socket.write(text);
  const ended = once(socket, 'close').then(() => got);
  return Promise.race([ended, new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs))]);
}

const halves: readonly (readonly [string, string])[] = [
  ['a request line', 'GET / HT'],
  ['headers', 'GET / HTTP/1.1\r\nhost: localhost\r\nx-a: '],
  ['a body', 'POST /_db/a/_echo/b HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nfour'],
  ['the first bytes of HTTP/2', 'PRI * HT'],
];

describe.each([
  ['HTTP', false],
  ['gRPC', true],
])('a port for %s', (_, grpc) => {
  // The gRPC port answers any request of HTTP/1.1 as soon as its headers are there.
  test.each(halves.filter(([what]) => !(grpc && what === 'a body')))('ends half of a request: %s', async (_, text) => {
    const { port } = await start({ requestTimeoutMs: 80, idleTimeoutMs: 60_000 }, grpc);
    const said = await silence(port, text);
    if (text.startsWith('PRI')) expect(said).toBe('');
    else expect(said).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('ends a connection that never sent anything, and a session without a stream', async () => {
    const { port } = await start({ requestTimeoutMs: 60_000, idleTimeoutMs: 80 }, grpc);
    expect(await silence(port, '')).toBe('');
    expect(await silence(port, preface)).not.toBeUndefined();
  });

  test('waits as long as the options say', async () => {
    const { port } = await start({ requestTimeoutMs: 60_000, idleTimeoutMs: 60_000 }, grpc);
    const waits = ['', 'PRI * HT', preface, 'GET / HT'].map((text) => silence(port, text, 400));
    expect(await Promise.all(waits)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('ends an incomplete HTTP/2 request, and its session once it has no streams', async () => {
    const { url } = await start({ requestTimeoutMs: 80, idleTimeoutMs: 600 }, grpc);
    const session = connectHttp2(url);
    const path = grpc ? '/service.AuthorizationPoolService/GetRole' : '/_db/a/_echo/b';
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' };
    const stream = session.request(headers);
    stream.on('error', () => {}).write('four');
    const closed = once(session, 'close');
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(session.closed).toBe(false);
    await closed;
  });
});

test('a port cuts off neither an answer that takes longer than both timeouts, nor a connection in use', async () => {
  const mock = await createMock(noLogin);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  mock.route('POST', '/_db/:db/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 900));
    return { body: 'slow' };
  });
  // Long enough for a request to arrive on a busy machine.
  const { url } = await listen(mock, { requestTimeoutMs: 600, idleTimeoutMs: 600 });
  const session = connectHttp2(url);
  onTestFinished(() => session.destroy());
  const ask = async (): Promise<string> => {
    let text = '';
    const stream = session.request({ ':method': 'POST', ':path': '/_db/a/slow' });
    stream.end('x');
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return text;
  };
  const [first, ...others] = await Promise.all([ask(), ask(), raw(`${url}/_db/a/slow`, { method: 'POST' }, 'x')]);
  expect([first, others[0], others[1]]).toEqual(['slow', 'slow', expect.objectContaining({ text: 'slow' })]);
});

test('the timeouts of a port are 60 s and 5 minutes by default, and an HTTP/1.1 connection may idle between two requests', async () => {
  expect(waitTimes({})).toEqual({ requestTimeoutMs: 60_000, idleTimeoutMs: 300_000 });
  const { port } = await start({ requestTimeoutMs: 300, idleTimeoutMs: 300 }, false);
  const request = 'GET /_api/version HTTP/1.1\r\nhost: localhost\r\n\r\n';
  expect(await silence(port, request, 700)).toBeUndefined();
});

test.each([
  [{ requestTimeoutMs: 0 }, 'requestTimeoutMs'],
  [{ idleTimeoutMs: -1 }, 'idleTimeoutMs'],
  [{ idleTimeoutMs: 1.5 }, 'idleTimeoutMs'],
  [{ requestTimeoutMs: Number.POSITIVE_INFINITY }, 'requestTimeoutMs'],
  [{ requestTimeoutMs: '60s' }, 'requestTimeoutMs'],
])('%j is refused', async (options, field) => {
  const mock = await createMock();
  for (const open of [listen, listenGrpc]) {
    // The cast: untyped callers may pass this.
    await expect(open(mock, options as ListenOptions)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
  }
});
