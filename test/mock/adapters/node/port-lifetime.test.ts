import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { exchange, noLogin, raw, start } from './port-support.ts';

const refused = expect.objectContaining({ code: 'ECONNREFUSED' });

/** A connection to the port, and whether its other end is still there. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.resume();
  return { socket, closed };
}

describe('close of a port', () => {
  test('frees the port', async () => {
    const { server } = await start();
    await server.close();
    await expect(raw(`${server.url}/_api/version`)).rejects.toEqual(refused);
    await using again = await listen(await createMock(noLogin), { port: server.port });
    expect(again.port).toBe(server.port);
  });

  test('can be called again, also together with both disposals', async () => {
    const { mock, server } = await start();
    await Promise.all([server.close(), server.close(), server[Symbol.asyncDispose](), mock[Symbol.asyncDispose]()]);
    await expect(raw(`${server.url}/_api/version`)).rejects.toEqual(refused);
  });

  test('disposing of the mock closes all of its ports', async () => {
    const { mock, server } = await start();
    const second = await listen(mock);
    await mock[Symbol.asyncDispose]();
    for (const { url } of [server, second]) await expect(raw(`${url}/_api/version`)).rejects.toEqual(refused);
  });

  test('`await using` closes the port and leaves the mock', async () => {
    const { mock } = await start();
    let url: string;
    {
      await using server = await listen(mock);
      ({ url } = server);
      expect((await raw(`${url}/_api/version`)).status).toBe(200);
    }
    await expect(raw(`${url}/_api/version`)).rejects.toEqual(refused);
    expect((await mock.fetch('http://mock.test/_api/version')).status).toBe(200);
  });

  test('does not wait for connections that are idle, kept alive, or never sent anything', async () => {
    const { server } = await start();
    const agent = new Agent({ keepAlive: true });
    await raw(`${server.url}/_api/version`, { agent });
    const silent = await open(server.port);
    await server.close();
    await silent.closed;
    agent.destroy();
  });

  test('lets a response in flight finish, and then closes its connection', async () => {
    const { mock, server } = await start();
    let answer: () => void = () => {};
    let arrived: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    mock.route('GET', '/_db/:db/slow', async () => {
      arrived();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { body: 'late' };
    });
    const agent = new Agent({ keepAlive: true });
    const call = raw(`${server.url}/_db/x/slow`, { agent });
    await begun;
    const closed = server.close();
    answer();
    expect((await call).text).toBe('late');
    await closed;
    agent.destroy();
  });

  test('cuts off responses that do not end: one that never comes, a body that never ends', async () => {
    const { mock, server } = await start();
    mock.route('GET', '/_db/:db/never', () => new Promise(() => {}));
    const never = await open(server.port);
    never.socket.write('GET /_db/x/never HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const half = await open(server.port);
    half.socket.write('POST /_db/x/_echo/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nhalf');
    await server.close();
    await Promise.all([never.closed, half.closed]);
  });
});

describe('half a second of grace', () => {
  // Only our own timers are faked: the sockets of node:http use others.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('an answer 499 ms after `close` still arrives', async () => {
    const { mock, server } = await start();
    let answer: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      mock.route('GET', '/_db/:db/slow', async () => {
        resolve();
        await new Promise<void>((done) => {
          answer = done;
        });
        return { body: 'late' };
      });
    });
    const call = raw(`${server.url}/_db/x/slow`);
    await begun;
    const closed = server.close();
    vi.advanceTimersByTime(499);
    answer();
    expect((await call).text).toBe('late');
    await closed;
  });

  test('a connection without an answer is cut after 500 ms', async () => {
    const { mock, server } = await start();
    const begun = new Promise<void>((resolve) => {
      mock.route('GET', '/_db/:db/never', () => {
        resolve();
        return new Promise(() => {});
      });
    });
    const call = raw(`${server.url}/_db/x/never`);
    const cut = expect(call).rejects.toMatchObject({ code: 'ECONNRESET' });
    await begun;
    const closed = server.close();
    vi.advanceTimersByTime(500);
    await Promise.all([cut, closed]);
  });
});

test('a connection that is kept alive stays open for two minutes, longer than clients keep an idle one', async () => {
  const { server } = await start();
  const agent = new Agent({ keepAlive: true });
  const { headers } = await raw(`${server.url}/_api/version`, { agent });
  agent.destroy();
  expect(headers['keep-alive']).toBe('timeout=120');
});

describe('a client that disconnects', () => {
  test('ends a scripted delay, and the mock goes on', async () => {
    const { mock, server } = await start();
    // Longer than a test may take: only the abort can end it.
    mock.fail({ path: '/slow', delayMs: 600_000, status: 503 });
    const request = httpRequest(`${server.url}/_db/x/slow`).on('error', () => {});
    request.end();
    const { socket } = await once(request, 'socket').then(([one]) => ({ socket: one }));
    if (socket.connecting) await once(socket, 'connect');
    while (mock.requests.length === 0) {
      request.destroy();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(mock.requests.at(-1)).toMatchObject({ path: '/_db/x/slow' });
    expect((await raw(`${server.url}/_api/version`)).status).toBe(200);
  });

  test('in the middle of its body is not logged', async () => {
    const { mock, server } = await start();
    const { socket, closed } = await open(server.port);
    socket.write('POST /_db/x/_echo/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nhalf');
    socket.end();
    await closed;
    expect((await raw(`${server.url}/_api/version`)).status).toBe(200);
    expect(mock.requests.map(({ path }) => path)).toEqual(['/_api/version']);
  });
});

describe('faults on a port', () => {
  test('`drop` closes the connection without an answer', async () => {
    const { mock, server } = await start();
    mock.fail({ path: '/version', drop: true });
    await expect(raw(`${server.url}/_api/version`)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await raw(`${server.url}/_api/version`)).status).toBe(200);
    expect(mock.requests.map(({ status }) => status)).toEqual([0, 200]);
  });

  test('`drop` gives the same error code in memory and on a port, whether the connection is new or not', async () => {
    const { mock, server } = await start();
    const failures: unknown[] = [];
    for (const fetched of [mock.fetch, fetch, fetch]) {
      await (await fetched(`${server.url}/_api/version`)).text();
      mock.fail({ path: '/version', drop: true });
      await fetched(`${server.url}/_api/version`).catch(({ cause }) => failures.push(cause.code));
    }
    expect(failures).toEqual(['ECONNRESET', 'ECONNRESET', 'ECONNRESET']);
  });

  test('`drop` sends an unreadable response to clients that would retry', async () => {
    const { mock, server } = await start();
    mock.fail({ method: 'POST', drop: true });
    const head = 'HTTP/1.1\r\nhost: localhost\r\nuser-agent: Mozilla/5.0\r\ncontent-length: 0\r\n\r\n';
    const got = await exchange(server.port, `GET /_api/version ${head}POST /_api/version ${head}`);
    const [, second = ''] = got.split(/(?=HTTP\/1.1 )/);
    expect(got).toMatch(/^HTTP\/1\.1 200 /);
    expect(second.match(/content-length: \d/g)).toEqual(['content-length: 1', 'content-length: 2']);
  });

  test('a scripted status, header and body arrive', async () => {
    const { mock, server } = await start();
    mock.fail({ path: '/version', status: 429, headers: { 'Retry-After': '1' }, body: { busy: true } });
    const { status, headers, text } = await raw(`${server.url}/_api/version`);
    expect([status, headers['retry-after'], text]).toEqual([429, '1', '{"busy":true}']);
  });
});

describe('CORS on a port', () => {
  const page = 'http://localhost:5173';
  const asks = { origin: page, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-tenant' };

  test('is off: no headers, and a preflight is a normal request', async () => {
    const { mock, server } = await start();
    const got = await raw(`${server.url}/_api/version`, { method: 'OPTIONS', headers: asks });
    expect(got.status).toBe(405);
    expect(Object.keys(got.headers).filter((name) => /^access-control|^vary/.test(name))).toEqual([]);
    expect(mock.requests).toHaveLength(1);
  });

  test('answers the preflight of a listed origin itself', async () => {
    const { mock, server } = await start({ cors: ['http://other.test', page] });
    const { status, headers, text } = await raw(`${server.url}/_db/x/y`, { method: 'OPTIONS', headers: asks });
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'x-tenant',
      vary: 'origin',
    });
    expect(headers['access-control-allow-methods']).toContain('PUT');
    expect(mock.requests).toHaveLength(0);
  });

  test('lets a page send the header that refreshes', async () => {
    const { mock, server } = await start({ cors: [page] }, { platform: 'next', fidelity: 'sidecar' });
    const url = `${server.url}/_integration/authorization/v1/evaluate`;
    const names = 'content-type,grpc-metadata-x-arangodb-authorization-refresh';
    const preflight = { ...asks, 'access-control-request-method': 'POST', 'access-control-request-headers': names };
    const { headers } = await raw(url, { method: 'OPTIONS', headers: preflight });
    expect(headers).toMatchObject({ 'access-control-allow-origin': page, 'access-control-allow-headers': names });
    const question = { user: 'alice', action: 'orders:read', resource: 'orders' };
    const options = { method: 'POST', body: JSON.stringify(question) };
    await raw(url, { ...options, headers: { origin: page } });
    expect(mock.refreshes).toBe(0);
    await raw(url, { ...options, headers: { origin: page, [names.split(',')[1] ?? '']: 'true' } });
    expect(mock.refreshes).toBe(1);
  });

  test('lets a page read the answer, including errors and headers', async () => {
    const { server } = await start({ cors: [page] }, {});
    const url = `${server.url}/_management/permissions/policy`;
    const { status, headers } = await raw(url, { headers: { origin: page } });
    expect(status).toBe(401);
    expect(headers).toMatchObject({ 'access-control-allow-origin': page, 'www-authenticate': 'Unauthorized' });
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(
      expect.arrayContaining(['content-type', 'www-authenticate']),
    );
  });

  test.each(['http://evil.test', 'http://localhost:5174', 'https://localhost:5173', 'null'])(
    'sends no headers to a page of %s',
    async (origin) => {
      const { server } = await start({ cors: [page] });
      for (const method of ['GET', 'OPTIONS']) {
        const got = await raw(`${server.url}/_api/version`, { method, headers: { ...asks, origin } });
        expect(got.headers['access-control-allow-origin']).toBeUndefined();
        expect(got.headers.vary).toBe('origin');
      }
    },
  );
});
