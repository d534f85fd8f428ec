import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ListenOptions } from '../../../../src/console/mock/node.js';
import { start } from './port-support.ts';

/** Returns the answer of a port to a request with these headers. */
function send(port: number, headers: Record<string, string>, method = 'POST', host = '127.0.0.1') {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const options = { host, port, method, path: '/_open/auth', headers, setHost: false };
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject).end(method === 'POST' ? '{"username":"root","password":""}' : undefined);
  });
}

async function open(options: ListenOptions = {}) {
  const { mock, server } = await start(options);
  return {
    mock,
    server,
    send: (headers: Record<string, string>, method?: string) => send(server.port, headers, method),
  };
}

describe('a port bound to loopback', () => {
  test.each([
    'localhost',
    'localhost:1234',
    'LocalHost.',
    'db.localhost:80',
    '127.0.0.1',
    '127.8.9.1:99',
    '[::1]:8529',
    '[::ffff:127.0.0.1]',
  ])('answers requests for %s', async (host) => {
    const { send } = await open();
    expect((await send({ host })).status).toBe(200);
  });

  test.each([
    'evil.test',
    'localhost.evil.test',
    'notlocalhost',
    '127.0.0.1.evil.test',
    '10.0.0.1',
    'localhost@evil.test',
    'localhost, evil.test',
    'evil.test#localhost',
    '',
  ])('refuses requests for %s before anything is done', async (host) => {
    const { mock, send } = await open();
    await send({ host: 'localhost' });
    const { status, text } = await send({ host });
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: 403, errorMessage: expect.any(String) }]);
    expect(text).toContain('allowedHosts');
    expect(text).toContain('--allowed-host');
    expect(mock.requests).toHaveLength(1);
  });

  test('accepts the names in allowedHosts, and no others', async () => {
    const { send } = await open({ allowedHosts: ['db.test', '[::2]', '10.0.0.7'] });
    for (const host of ['db.test', 'DB.test:1', '[::2]:1', '10.0.0.7', 'localhost']) {
      expect([host, (await send({ host })).status]).toEqual([host, 200]);
    }
    for (const host of ['a.db.test', 'db.test.evil', '[::3]']) {
      expect([host, (await send({ host })).status]).toEqual([host, 403]);
    }
  });

  test.each(['https://evil.test', 'null', 'http://localhost.evil.test:80', 'file://', 'chrome-extension://abc'])(
    'refuses pages of %s, including preflights',
    async (origin) => {
      const { mock, send } = await open({ cors: ['http://app.test'] });
      for (const method of ['POST', 'GET', 'OPTIONS']) {
        const { status, text } = await send(
          { host: 'localhost', origin, 'access-control-request-method': 'POST' },
          method,
        );
        expect([status, JSON.parse(text)]).toMatchObject([403, { errorMessage: expect.stringContaining('--cors') }]);
      }
      expect(mock.requests).toHaveLength(0);
    },
  );

  test('accepts pages of this machine, of its own origin and in cors', async () => {
    const { send, server } = await open({ cors: ['http://app.test'], allowedHosts: ['db.test'] });
    for (const [origin, host] of [
      ['http://localhost:5173', 'localhost'],
      ['https://shop.localhost', 'localhost'],
      ['http://[::1]:3000', '127.0.0.1'],
      [server.url, server.url.slice('http://'.length)],
      ['http://db.test:8529', 'db.test:8529'],
      ['http://app.test', 'localhost'],
    ] as const) {
      expect([origin, (await send({ host, origin })).status]).toEqual([origin, 200]);
    }
  });
});

test('HTTP/2 is checked by its authority', async () => {
  const { mock, server } = await start();
  const session = connect(server.url);
  onTestFinished(() => session.destroy());
  const status = async (headers: Record<string, string>) => {
    const stream = session.request({ ':method': 'POST', ':path': '/_open/auth', ...headers });
    stream.end('{"username":"root","password":""}');
    stream.resume();
    const [answer] = await once(stream, 'response');
    return answer[':status'];
  };
  expect(await status({ ':authority': 'evil.test' })).toBe(403);
  expect(await status({ ':authority': 'localhost', origin: 'https://evil.test' })).toBe(403);
  expect(mock.requests).toHaveLength(0);
  expect(await status({ ':authority': 'localhost:80' })).toBe(200);
});

describe('a port that other machines can reach', () => {
  test('accepts any name, unless some are listed', async () => {
    const { server } = await start({ host: '0.0.0.0' });
    expect((await send(server.port, { host: 'anything.test', origin: 'http://page.test' })).status).toBe(200);
    const { server: listed } = await start({ host: '0.0.0.0', allowedHosts: ['db.test'] });
    expect((await send(listed.port, { host: 'anything.test' })).status).toBe(403);
    expect((await send(listed.port, { host: 'db.test' })).status).toBe(200);
  });
});

test.each([['http://db.test'], ['db.test:80'], ['db.test/x'], [''], ['[::1]:80'], [5]])(
  'allowedHosts refuses %j',
  async (host) => {
    await expect(start({ allowedHosts: ['localhost', host as string] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'allowedHosts[1]',
    });
  },
);
