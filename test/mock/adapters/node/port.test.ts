import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListenOptions, listen } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { runsOf } from '../../../support/thorough.ts';
import { exchange, noLogin as none, raw, start } from './port-support.ts';

const echoed = async (url: string, init?: RequestInit): Promise<unknown> => (await fetch(url, init)).json();

describe('listen', () => {
  test('listens on a free port of 127.0.0.1', async () => {
    const { server } = await start();
    expect(server.port).toBeGreaterThan(0);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.connection).toEqual({ url: server.url, retry: 0, transport: undefined, graceMs: 0 });
    expect(await echoed(`${server.url}/_api/version`)).toMatchObject({ server: 'arango' });
  });

  test.each([
    ['::1', /^http:\/\/\[::1\]:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ])('host %s has a URL that a client can use', async (host, url) => {
    const { server } = await start({ host });
    expect(server.url).toMatch(url);
    expect((await fetch(`${server.url}/_api/version`)).status).toBe(200);
  });

  test('a port in use rejects with EADDRINUSE, and the mock can still be disposed', async () => {
    const { server } = await start();
    const other = await createMock(none);
    await expect(listen(other, { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await other[Symbol.asyncDispose]();
  });

  test.each([
    [{ port: -1 }, /^port: expected a port from 0 to 65535/],
    [{ port: 65_536 }, /^port: /],
    [{ port: 1.5 }, /^port: /],
    [{ host: '' }, /^host: expected a host name/],
    [{ cors: ['*'] }, /^cors\[0\]: expected an origin/],
    [{ cors: ['http://a.test', 'http://a.test/page'] }, /^cors\[1\]: /],
    [{ cors: ['null'] }, /^cors\[0\]: /],
    [{ cors: ['ftp://a.test'] }, /^cors\[0\]: /],
    [{ ports: 1 }, /^ports: unknown \(did you mean "port"\?\); accepted are port, host, .*cors/],
  ])('refuses %o', async (options, message) => {
    const mock = await createMock(none);
    // The cast: untyped callers may pass this.
    await expect(listen(mock, options as ListenOptions)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  test('two ports serve one mock, and two mocks share nothing', async () => {
    const { mock, server } = await start();
    const second = await listen(mock);
    const { mock: other, server: third } = await start();
    for (const { url } of [server, second, third]) await (await fetch(`${url}/_api/version`)).text();
    expect([mock.requests.length, other.requests.length]).toEqual([2, 1]);
  });
});

describe('a request arrives as it was sent', () => {
  test('path, query, headers and body', async () => {
    const { mock, server } = await start();
    const url = `${server.url}/_db/my%20db/_echo/a%2Fb/%C3%BC?x=1&x=2&y=%20`;
    const body = JSON.stringify({ text: 'Käse 🧀' });
    const got = await echoed(url, { method: 'PUT', headers: { 'X-Tenant': 'acme', cookie: 'a=1' }, body });
    expect(got).toMatchObject({
      method: 'PUT',
      path: '/_db/my%20db/_echo/a%2Fb/%C3%BC',
      query: 'x=1&x=2&y=%20',
      headers: { 'x-tenant': 'acme' },
      body: { text: 'Käse 🧀' },
    });
    expect(mock.requests.at(-1)).toMatchObject({ method: 'PUT', status: 200, headers: { cookie: '<redacted>' } });
  });

  test('a repeated header becomes one list, as with fetch', async () => {
    const { server } = await start();
    const { text } = await raw(`${server.url}/_db/x/_echo/`, { headers: { 'x-a': ['1', '2'] } });
    expect(JSON.parse(text)).toMatchObject({ headers: { 'x-a': '1, 2' } });
  });

  test('names of Object.prototype are ordinary names', async () => {
    const { server } = await start();
    const headers = { constructor: '1', 'to-string': '2', valueof: '3' };
    const { text } = await raw(`${server.url}/_db/__proto__/_echo/constructor?__proto__=1`, { headers });
    expect(JSON.parse(text)).toMatchObject({ path: '/_db/__proto__/_echo/constructor', headers });
  });

  test('a body in chunks, an empty one, and bytes that are not text', async () => {
    const { mock, server } = await start();
    const seen: unknown[] = [];
    mock.route('*', '/_db/:db/seen', ({ body }) => {
      seen.push(body);
      return {};
    });
    const url = `${server.url}/_db/x/seen`;
    const chunked = new ReadableStream({
      start(controller) {
        for (const part of ['{"a":', '[1,2]', '}']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    // `duplex` is not in the DOM's types.
    await fetch(url, { method: 'POST', headers, body: chunked, duplex: 'half' } as RequestInit);
    await fetch(url, { method: 'POST', body: '' });
    await fetch(url, { method: 'POST', body: new Uint8Array([0xff, 0x00]) });
    await fetch(url);
    expect(seen).toEqual([{ a: [1, 2] }, undefined, new Uint8Array([0xff, 0x00]), undefined]);
  });

  test('an absolute URL in the request line, as for a proxy, is matched by its path', async () => {
    const { server } = await start();
    const got = await exchange(
      server.port,
      'GET http://other.test/_db/x/_echo/y?z=1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    expect(got).toMatch(/^HTTP\/1\.1 200 /);
    expect(got).toContain('"path":"/_db/x/_echo/y","query":"z=1"');
  });
});

describe('an answer leaves as the mock made it', () => {
  test('HEAD gets the headers without a body, and the connection stays open', async () => {
    const { server } = await start();
    const got = await exchange(
      server.port,
      'HEAD /_api/version HTTP/1.1\r\nhost: localhost\r\n\r\nGET /_api/version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    expect(got.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(got.match(/"server":"arango"/g)).toHaveLength(1);
  });

  test('several set-cookie stay several', async () => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/cookies', () => {
      const headers = new Headers();
      headers.append('set-cookie', 'a=1; Path=/');
      headers.append('set-cookie', 'b=2');
      return new Response('ok', { headers });
    });
    const { headers, text } = await raw(`${server.url}/_db/x/cookies`);
    expect([headers['set-cookie'], text]).toEqual([['a=1; Path=/', 'b=2'], 'ok']);
  });

  test('corrects a wrong content-length of a custom route', async () => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/wrong', () => ({
      body: 'four',
      headers: { 'content-length': '99', 'transfer-encoding': 'chunked' },
    }));
    const { headers, text } = await raw(`${server.url}/_db/x/wrong`);
    expect([headers['content-length'], headers['transfer-encoding'], text]).toEqual(['4', undefined, 'four']);
  });

  test.each([204, 205, 304])('%i has no body', async (status) => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/nothing', () => ({ status, body: 'not sent' }));
    expect(await raw(`${server.url}/_db/x/nothing`)).toMatchObject({ status, text: '' });
  });

  test.each([
    ['a header name', { headers: { 'a b': '1' } }],
    ['a header value', { headers: { a: 'x\r\nset-cookie: stolen=1' } }],
    ['a status', { status: 42 }],
  ])('%s that HTTP does not know is an opaque 500', async (_, reply) => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/odd', () => reply);
    const { status, headers, text } = await raw(`${server.url}/_db/x/odd`);
    expect([status, headers['set-cookie'], JSON.parse(text).errorMessage]).toEqual([500, undefined, 'internal error']);
  });

  test('a stream is sent as it comes, and is cancelled when its client disconnects', async () => {
    const { mock, server } = await start();
    let cancelled: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    mock.route('GET', '/_db/:db/stream', () => {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('first')),
        cancel: () => cancelled(),
      });
      return new Response(stream, { headers: { 'content-type': 'text/plain' } });
    });
    const gone = new AbortController();
    const response = await fetch(`${server.url}/_db/x/stream`, { signal: gone.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe('first');
    gone.abort();
    await ended;
  });

  test('a stream that fails cuts off the answer', async () => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/stream', () => {
      let pulls = 0;
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (pulls++ > 0) controller.error(new Error('enough'));
          else controller.enqueue(new Uint8Array(3));
        },
      });
      return new Response(stream);
    });
    const response = await fetch(`${server.url}/_db/x/stream`);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect((await fetch(`${server.url}/_api/version`)).status).toBe(200);
  });
});

describe('the limits of a port', () => {
  test('refuses a body over the cap before it has arrived', async () => {
    const { server } = await start({}, { ...none, limits: { bodyBytes: 100 } });
    const head = 'POST /_db/x/_echo/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n';
    const socket = connect(server.port, '127.0.0.1').setEncoding('latin1');
    socket.write(head + 'x'.repeat(101));
    const [got] = (await once(socket, 'data')) as [string];
    expect(got).toMatch(/^HTTP\/1\.1 413 /);
    // The rest is discarded, and the connection can be reused.
    socket.write('x'.repeat(1_000_000 - 101));
    socket.write('GET /_api/version HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [next] = (await once(socket, 'data')) as [string];
    expect(next).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('a body of exactly the cap is served', async () => {
    const { server } = await start({}, { ...none, limits: { bodyBytes: 100 } });
    const post = (size: number) => fetch(`${server.url}/_db/x/_echo/`, { method: 'POST', body: 'x'.repeat(size) });
    expect((await post(100)).status).toBe(200);
    expect((await post(101)).status).toBe(413);
  });

  test('answers a header of 900 kB', async () => {
    const { server } = await start({}, {});
    const { status } = await raw(`${server.url}/_api/version`, {
      headers: { authorization: `bearer ${'x'.repeat(900_000)}` },
    });
    expect(status).toBe(401);
  });

  test.each([
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ])('answers invalid HTTP with 400, and keeps serving (%j)', async (text) => {
    const { server } = await start();
    expect(await exchange(server.port, text)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect((await fetch(`${server.url}/_api/version`)).status).toBe(200);
  });

  test('arbitrary bytes on a connection do not harm the mock', async () => {
    const { mock, server } = await start();
    const heads = [
      '',
      'GET / HTTP/1.1\r\n',
      'POST /_open/auth HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n',
    ];
    const bytes = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(bytes, async ([head, tail]) => {
        const socket = connect(server.port, '127.0.0.1').on('error', () => {});
        socket.end(Buffer.concat([Buffer.from(head), tail]));
        let got = '';
        for await (const chunk of socket.setEncoding('latin1')) got += chunk;
        expect(got).toMatch(/^(?:$|HTTP\/1\.1 [24]\d\d )/);
      }),
      runsOf(300),
    );
    expect((await fetch(`${server.url}/_api/version`)).status).toBe(200);
    expect(mock.requests.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
