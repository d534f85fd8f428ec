import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type ForwardOptions, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { partOf } from '../../support/thorough.ts';

/** A request as the running service got it. */
interface Got {
  readonly request: IncomingMessage;
  readonly answer: ServerResponse;
}

/** Starts a real service on a port of its own. */
async function start(handle: RequestListener): Promise<{ origin: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((incoming, answer) => {
    got.push({ request: incoming, answer });
    handle(incoming, answer);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const read = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
/** Answers with what arrived. */
const echo: RequestListener = async (incoming, answer) => {
  const { method, url, headers } = incoming;
  answer.end(JSON.stringify({ method, url, headers, body: await read(incoming) }));
};

const base = '/_service/uds/_db/shop/orders';

/** A mock on a port whose service `orders` is a running one. */
async function open(handle: RequestListener = echo, config: MockConfig = {}, options: ForwardOptions = {}) {
  const service = await start(handle);
  const mock = await createMock({ authentication: { mode: 'None' }, ...config });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  mock.service('orders', service.origin, options);
  const { url } = await listen(mock);
  return { ...service, mock, url: `${url}${base}`, port: Number(new URL(url).port) };
}

/** Sends bytes to a port, and resolves with all that comes back. */
function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let all = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    all += part;
  });
  // Not ended: the mock would take the caller for gone.
  socket.write(text, 'latin1');
  return once(socket, 'close').then(() => all);
}

describe('a running service behind the mock’s gateway', () => {
  test.each(['the port', 'mock.fetch'])('gets method, path, query, headers and body, by %s', async (way) => {
    const { mock, url, got } = await open();
    const target = way === 'the port' ? url : `http://mock.test${base}`;
    const ask = way === 'the port' ? fetch : mock.fetch;
    const answer = await ask(`${target}//a%2Fb/%C3%A4/?q=1&q=%20`, {
      method: 'PUT',
      headers: { 'x-tenant': 'acme', 'content-type': 'text/plain' },
      body: 'hello ä',
    });
    const { headers, ...seen } = JSON.parse(await answer.text());
    expect(seen).toEqual({ method: 'PUT', url: '/a%2Fb/%C3%A4/?q=1&q=%20', body: 'hello ä' });
    expect(headers).toMatchObject({ 'x-tenant': 'acme', 'content-type': 'text/plain', 'content-length': '8' });
    expect(headers['transfer-encoding']).toBeUndefined();
    // The service has the id that the answer has, and the mock names the route.
    expect(headers['x-arango-platform-request-id']).toBe(answer.headers.get('x-arango-platform-request-id'));
    expect(answer.headers.get('x-arango-platform-route')).toBe('orders');
    expect(got).toHaveLength(1);
    await ask(target);
    expect(got[1]?.request.url).toBe('/');
  });

  test('sees the Host and the Origin of the page, for its check of cross-site requests', async () => {
    const { port } = await open();
    const lines = [`POST ${base}/x HTTP/1.1`, `host: localhost:${port}`, `origin: http://localhost:${port}`];
    const answer = await sendRaw(
      port,
      [...lines, 'sec-fetch-site: same-origin', 'connection: close', 'content-length: 0', '', ''].join('\r\n'),
    );
    const { headers } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
    expect(headers).toMatchObject({
      host: `localhost:${port}`,
      origin: `http://localhost:${port}`,
      'sec-fetch-site': 'same-origin',
    });
  });

  test.each<[ForwardOptions['passMode'], string, RegExp]>([
    [undefined, '', /^bearer (?!SENT)/],
    ['override', '', /^bearer (?!SENT)/],
    ['pass', 'a=1; X-ArangoDB-Token-JWT=SENT', /^bearer SENT$/],
    ['remove', '', /^$/],
  ])('gets the credentials of the gateway (%s)', async (passMode, cookies, authorization) => {
    const { url, mock } = await open(echo, { authentication: { mode: 'Native' } }, { passMode });
    const token = await mock.tokens.issue({ user: 'alice', groups: ['g'] });
    const cookie = `a=1; X-ArangoDB-Token-JWT=${token}`;
    const { headers } = JSON.parse(await (await fetch(`${url}/x`, { headers: { cookie } })).text());
    expect(headers.authorization.replace(token, 'SENT')).toMatch(authorization);
    expect(headers.cookie.replace(token, 'SENT')).toBe(cookies);
    expect(headers['arangodb-platform-authenticated']).toBeUndefined();
  });

  test('is not asked without an identity, unless that is optional', async () => {
    const required = await open(echo, { authentication: { mode: 'Native' } });
    const refused = await fetch(`${required.url}/x`, { method: 'POST', body: 'x'.repeat(3_000_000) });
    expect([refused.status, await refused.json(), required.got.length]).toEqual([401, { message: 'Unauthorized' }, 0]);
    const open2 = await open(echo, { authentication: { mode: 'Native' } }, { authentication: 'optional' });
    const { headers } = JSON.parse(await (await fetch(`${open2.url}/x`)).text());
    expect(headers['arangodb-platform-authenticated']).toBe('false');
  });

  test('its status, headers, cookies and redirects are passed on, and no redirect is followed', async () => {
    const { url, got, mock } = await open((incoming, answer) => {
      answer.appendHeader('set-cookie', 'a=1').appendHeader('set-cookie', 'b=2');
      answer.setHeader('x-arango-platform-route', 'forged').setHeader('x-own', 'é');
      answer.writeHead(307, { location: 'http://169.254.169.254/latest', connection: 'close, x-hop', 'x-hop': '1' });
      answer.end(incoming.url);
    });
    const answer = await fetch(`${url}/x`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, 'http://169.254.169.254/latest']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('x-arango-platform-route')).toBe('orders');
    expect(answer.headers.get('x-hop')).toBeNull();
    await expect(mock.fetch(`http://mock.test${base}/x`)).rejects.toThrow('fetch failed');
    expect(got).toHaveLength(2);
  });

  test('its encoded body stays encoded, and HEAD and 204 have none', async () => {
    const { url, port } = await open((incoming, answer) => {
      if (incoming.url === '/none') return void answer.writeHead(204).end();
      answer.writeHead(200, { 'content-encoding': 'x-odd', 'content-length': '5' });
      answer.end(incoming.method === 'HEAD' ? undefined : 'bytes');
    });
    const raw = await sendRaw(port, `GET ${base}/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect(raw).toContain('content-encoding: x-odd');
    expect(raw).toContain('bytes');
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
    expect((await fetch(`${url}/none`)).status).toBe(204);
  });

  test.each(['the port', 'mock.fetch'])('streams both ways at once, by %s', async (way) => {
    const { url, mock } = await open((incoming, answer) => void incoming.pipe(answer));
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit;
    if (way === 'the port') {
      const outgoing = request(`${url}/x`, { method: 'POST' });
      outgoing.write('one');
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const chunks = incoming[Symbol.asyncIterator]();
      expect(String((await chunks.next()).value)).toBe('one');
      outgoing.write('two');
      expect(String((await chunks.next()).value)).toBe('two');
      outgoing.end();
      expect((await chunks.next()).done).toBe(true);
      return;
    }
    const pending = mock.fetch(`http://mock.test${base}/x`, init);
    void writer.write(new TextEncoder().encode('one'));
    const reader = (await pending).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('one');
    void writer.write(new TextEncoder().encode('two'));
    expect((await reader?.read())?.value).toBe('two');
    void writer.close();
    expect((await reader?.read())?.done).toBe(true);
  });

  test.each(['the port', 'mock.fetch'])('bodies may be larger than limits.bodyBytes, by %s', async (way) => {
    const bytes = partOf(64, 4) * 1_048_576;
    const { url, mock } = await open(async (incoming, answer) => {
      let size = 0;
      for await (const chunk of incoming) size += chunk.length;
      answer.end(String(size));
    });
    const body = new Blob([new Uint8Array(bytes)]);
    const target = way === 'the port' ? url : `http://mock.test${base}`;
    const answer = await (way === 'the port' ? fetch : mock.fetch)(`${target}/x`, { method: 'POST', body });
    expect(await answer.text()).toBe(String(bytes));
    expect(mock.requests.at(-1)?.body).toBe(way === 'the port' ? undefined : `[${bytes} bytes]`);
  });

  test('a caller that gives up ends the request, before the answer and in mid-answer', async () => {
    const { url, got } = await open((incoming, answer) => {
      if (incoming.url === '/stream') answer.write('first');
    });
    for (const path of ['/silent', '/stream']) {
      const abort = new AbortController();
      const asked = fetch(`${url}${path}`, { signal: abort.signal });
      if (path === '/stream') await (await asked).body?.getReader().read();
      await expect.poll(() => got.at(-1)?.request.url).toBe(path);
      abort.abort();
      await asked.catch(() => undefined);
      await expect.poll(() => got.at(-1)?.answer.destroyed).toBe(true);
    }
  });

  test('a restore cuts an answer off, at the caller and at the service', async () => {
    const { url, got, mock } = await open((_, answer) => void answer.write('first'));
    const start = mock.snapshot();
    const reader = (await fetch(`${url}/x`)).body?.getReader();
    await reader?.read();
    mock.restore(start);
    await expect(reader?.read()).rejects.toThrow();
    await expect.poll(() => got[0]?.answer.destroyed).toBe(true);
  });

  test('a service that ends in mid-answer cuts the answer off', async () => {
    const { url } = await open((_, answer) => {
      answer.writeHead(200, { 'content-length': '10' }).write('five!');
      setTimeout(() => answer.destroy(), 20);
    });
    await expect(fetch(`${url}/x`).then((answer) => answer.text())).rejects.toThrow();
  });

  test('an answer before the end of an upload counts', async () => {
    const { url } = await open((_, answer) => {
      answer.writeHead(413).end('too much');
    });
    const answer = await fetch(`${url}/x`, { method: 'POST', body: new Uint8Array(8 * 1_048_576) });
    expect([answer.status, await answer.text()]).toEqual([413, 'too much']);
  });
});

test('a service that does not answer is the gateway’s 503', async () => {
  const service = await start(echo);
  const mock = await createMock({ authentication: { mode: 'None' } });
  const ask = () => mock.fetch(`http://mock.test${base}/x`);
  const silent = createTcp((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  // The cast: as above.
  const dead = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  mock.service('orders', dead);
  const answer = await ask();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/plain']);
  expect(await answer.text()).toMatch(/^upstream connect error/);
  // Restarted elsewhere.
  mock.service('orders', service.origin, { replace: true });
  expect((await ask()).status).toBe(200);
});

test('operations of another mock.service call are answered by their handlers, the others by the service', async () => {
  const { mock, got } = await open();
  mock.service('orders', { '/orders/{id}': { get: ({ path }) => ({ body: { mocked: path.id } }) } });
  const ask = async (path: string, method = 'GET') =>
    (await mock.fetch(`http://mock.test${base}${path}`, { method })).json();
  expect(await ask('/orders/7')).toEqual({ mocked: '7' });
  expect(await ask('/orders/7', 'PATCH')).toMatchObject({ method: 'PATCH', url: '/orders/7' });
  expect(await ask('/orders')).toMatchObject({ url: '/orders' });
  expect(got).toHaveLength(2);
});

describe('nothing is smuggled', () => {
  const raw = (port: number, ...lines: string[]) => sendRaw(port, lines.join('\r\n'));

  test('a body of a DELETE or GET is framed for the service', async () => {
    const { port, got } = await open();
    for (const method of ['DELETE', 'GET', 'OPTIONS']) {
      const inner = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
      const length = inner.length.toString(16);
      const head = [
        `${method} ${base}/x HTTP/1.1`,
        'host: localhost',
        'connection: close',
        'transfer-encoding: chunked',
      ];
      const answer = await raw(port, ...head, '', length, inner, '0', '', '');
      expect(answer).toContain('"url":"/x"');
      expect(answer).toContain('smuggled');
    }
    expect(got.map(({ request: { url } }) => url)).toEqual(['/x', '/x', '/x']);
  });

  test('headers of the connection stay, and `connection` removes none of the gateway', async () => {
    const { port, mock } = await open(echo, { authentication: { mode: 'Native' } }, { authentication: 'optional' });
    const names = 'authorization, cookie, arangodb-platform-authenticated, x-arango-platform-request-id, host, x-hop';
    const hop = [
      'te: trailers',
      'keep-alive: timeout=5',
      'proxy-authorization: Basic canary',
      'proxy-connection: close',
    ];
    const sent = async (...headers: string[]) => {
      const all = [`GET ${base}/x HTTP/1.1`, 'host: localhost', `connection: close, ${names}`, ...hop, ...headers];
      const answer = await raw(port, ...all, 'x-hop: 1', 'x-end: 1', '', '');
      return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)).headers;
    };
    const unknown = await sent();
    expect(unknown).toMatchObject({ 'arangodb-platform-authenticated': 'false', 'x-end': '1', host: 'localhost' });
    expect(unknown['x-arango-platform-request-id']).toMatch(/^[\da-f-]{36}$/);
    for (const name of ['te', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'x-hop', 'upgrade'])
      expect([name, unknown[name]]).toEqual([name, undefined]);
    const token = await mock.tokens.issue({ user: 'alice' });
    expect((await sent(`authorization: bearer ${token}`)).authorization).toMatch(/^bearer /);
  });

  test('an upgrade is a plain request', async () => {
    const { port } = await open();
    const answer = await raw(
      port,
      `GET ${base}/x HTTP/1.1`,
      'host: localhost',
      'connection: upgrade, close',
      'upgrade: websocket',
      '',
      '',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).not.toContain('"upgrade"');
  });

  test('an answer that switches protocols, or has an odd status, is a 503', async () => {
    const tcp = createTcp((socket) => {
      socket.once('data', (data) => {
        const odd = String(data).includes('/odd') ? '199 Odd' : '101 Switching Protocols';
        socket.end(`HTTP/1.1 ${odd}\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`);
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void tcp.close());
    await once(tcp, 'listening');
    const mock = await createMock({ authentication: { mode: 'None' } });
    // The cast: as above.
    mock.service('orders', `http://127.0.0.1:${(tcp.address() as AddressInfo).port}`);
    expect((await mock.fetch(`http://mock.test${base}/odd`)).status).toBe(503);
    expect((await mock.fetch(`http://mock.test${base}/switch`)).status).toBe(503);
  });

  test('dot segments, absolute targets and other hosts reach only this service', async () => {
    const { port, got } = await open();
    for (const target of [
      `${base}/../../../etc`,
      `http://evil.test${base}/x`,
      `${base}/@evil.test/`,
      `${base}//evil.test/`,
    ])
      await raw(port, `GET ${target} HTTP/1.1`, 'host: localhost', 'connection: close', '', '');
    expect(got.map(({ request: { url } }) => url)).toEqual(['/../../../etc', '/x', '/@evil.test/', '/evil.test/']);
  });
});

describe('the URL of a service', () => {
  const refusal = (mock: Mock, name: string, url: unknown, options?: ForwardOptions) => {
    try {
      mock.service(name, url as string, options);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test.each([
    'http://127.0.0.1:3000',
    'http://localhost:3000/',
    'http://[::1]:3000',
    'https://127.0.0.2',
    'HTTP://LOCALHOST',
    'http://2130706433:80',
  ])('may be %s', async (url) => expect(refusal(await createMock(), 'orders', url)).toBeUndefined());

  test.each([
    'http://10.0.0.1:3000',
    'http://169.254.169.254',
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://db.localhost',
    'http://0.0.0.0:3000',
    'http://[::]:3000',
  ])('may be %s only with allowRemote', async (url) => {
    const mock = await createMock();
    expect(refusal(mock, 'orders', url)).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'url' });
    expect(String(refusal(mock, 'orders', url))).toContain('allowRemote');
    expect(refusal(mock, 'orders', url, { allowRemote: true })).toBeUndefined();
  });

  test.each([
    '',
    'orders',
    '127.0.0.1:3000',
    'http://',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'unix:/var/run/docker.sock',
    'http://127.0.0.1:3000/base',
    'http://127.0.0.1:3000/?q',
    'http://127.0.0.1:3000/#f',
    'http://user:canary@127.0.0.1:3000',
    'http://127.0.0.1:70000',
  ])('cannot be %j, and is not quoted', async (url) => {
    const error = refusal(await createMock(), 'orders', url, { allowRemote: true });
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'url' });
    expect(String(error)).not.toContain('canary');
  });

  test('replaces another only with `replace`', async () => {
    const mock = await createMock();
    mock.service('orders', 'http://127.0.0.1:3000');
    expect(refusal(mock, 'orders', 'http://127.0.0.1:3001')).toMatchObject({ field: 'name' });
    expect(refusal(mock, 'orders', 'http://127.0.0.1:3001', { replace: true })).toBeUndefined();
  });
});

test('services of the configuration forward to their URL, and survive a reset', async () => {
  const { origin } = await start(echo);
  const mock = await createMock({
    services: { orders: { url: origin, authentication: 'optional' }, 'a.b': { url: origin, global: true } },
  });
  const ask = async (path: string) => (await mock.fetch(`http://mock.test${path}`)).status;
  expect(await ask(`${base}/x`)).toBe(200);
  expect(await ask('/_service/uds/_global/a.b/x')).toBe(401);
  mock.reset();
  expect(await ask(`${base}/x`)).toBe(200);
  const services = JSON.parse(JSON.stringify(mock.settings)).services;
  expect(services.orders).toMatchObject({ url: origin, global: false, passMode: 'override' });
});

test('a running service streams both ways over HTTP/2', async () => {
  const { url } = await open((incoming, answer) => void incoming.pipe(answer));
  const session = connectHttp2(new URL(url).origin);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': `${base}/x` });
  stream.write('one');
  const chunks = stream[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe('one');
  stream.end('two');
  expect(String((await chunks.next()).value)).toBe('two');
});
