import { createServer, request as send } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createGuard, type GuardedRequest, type GuardOptions } from '../../../src/enforce/guard/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { allow } from './outcomes.ts';

const token = 'header.claims.signature';
const cookie = `X-ArangoDB-Token-JWT=${token}`;
const ask = { action: 'orders:write', resource: 'order:7' };
const site = 'https://orders.test';

async function statusOf(request: GuardedRequest, options: GuardOptions = { cookies: true }): Promise<number> {
  return (await createGuard(clientOver(allow.answer).client, options).check(request, ask)).status;
}

describe('a cookie from a page', () => {
  const from = (method: string, headers: Record<string, string>, url = `${site}/orders`) =>
    new Request(url, { method, headers: { cookie, ...headers } });

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s needs no origin', async (method) => {
    expect(await statusOf(from(method, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }))).toBe(200);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PURGE', 'get-all'])('%s needs an allowed origin', async (method) => {
    expect(await statusOf(from(method, {}))).toBe(403);
    expect(await statusOf(from(method, { origin: site }))).toBe(200);
  });

  test.each<[string, Record<string, string>, number]>([
    ['of this service, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }, 200],
    ['of this service, by Origin', { origin: site }, 200],
    ['of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that a user typed', { 'sec-fetch-site': 'none' }, 403],
    ['of another host', { origin: 'https://evil.test' }, 403],
    ['of another scheme', { origin: 'http://orders.test' }, 403],
    ['of another port', { origin: 'https://orders.test:8443' }, 403],
    ['of a host with the same prefix', { origin: 'https://orders.test.evil.test' }, 403],
    ['of a sandbox', { origin: 'null' }, 403],
    ['with an empty origin', { origin: '' }, 403],
    ['with two origins', { origin: `${site}, ${site}` }, 403],
    ['with a Referer alone', { referer: `${site}/` }, 403],
  ])('counts by the origin of that page: %s', async (_name, headers, expected) => {
    expect(await statusOf(from('POST', headers))).toBe(expected);
  });

  test('accepts a named origin, behind a proxy', async () => {
    const options = { cookies: true, origins: ['https://shop.example.com'] };
    const inside = 'http://10.0.0.7:3000/orders';
    expect(await statusOf(from('POST', { origin: 'https://shop.example.com' }, inside), options)).toBe(200);
    expect(await statusOf(from('POST', { origin: 'https://example.com' }, inside), options)).toBe(403);
    expect(await statusOf(from('POST', { origin: 'null' }, 'data:text/plain,x'), options)).toBe(403);
  });

  test('a WebSocket begins with a GET but is not a read', async () => {
    const upgrade = { connection: 'upgrade', upgrade: 'WebSocket' };
    const open = (origin: string) =>
      statusOf({ method: 'GET', headers: { cookie, host: 'orders.test', ...upgrade, origin } });
    expect(await open('https://evil.test')).toBe(403);
    expect(await open('http://orders.test')).toBe(200);
  });

  test.each<[string, Record<string, string | string[]> | Headers]>([
    ['two headers', { upgrade: ['websocket', 'websocket'] }],
    ['two headers in other cases', { Upgrade: 'websocket', upgrade: 'h2c' }],
    ['a list', { upgrade: 'h2c, websocket' }],
    ['a version', { upgrade: 'websocket/13' }],
    ['another protocol', { upgrade: 'spdy/3' }],
    [
      'two headers of a Request',
      new Headers([
        ['upgrade', 'websocket'],
        ['upgrade', 'websocket'],
      ]),
    ],
  ])('an Upgrade in %s is not a read', async (_name, upgrade) => {
    const evil = { cookie, host: 'orders.test', origin: 'https://evil.test' };
    const headers =
      upgrade instanceof Headers ? new Headers([...upgrade, ...Object.entries(evil)]) : { ...evil, ...upgrade };
    expect(await statusOf({ method: 'GET', headers })).toBe(403);
  });

  test('Sec-Fetch-Site overrides an Origin that looks like the request’s own, as behind a proxy', async () => {
    for (const sent of ['cross-site', 'same-site', 'same-origin, cross-site', 'unheard-of']) {
      expect(await statusOf(from('POST', { origin: site, 'sec-fetch-site': sent }))).toBe(403);
    }
    const twice = { cookie, host: 'orders.test', origin: site, 'sec-fetch-site': ['same-origin', 'cross-site'] };
    const socket = { encrypted: true };
    expect(await statusOf(Object.assign({ method: 'POST', headers: twice }, { socket }))).toBe(403);
    expect(await statusOf(from('POST', { origin: site, 'sec-fetch-site': 'none' }))).toBe(200);
  });

  test('a named origin stays allowed, whatever Sec-Fetch-Site says', async () => {
    const options = { cookies: true, origins: ['https://shop.example.com', site] };
    for (const sent of ['cross-site', 'same-site']) {
      for (const origin of options.origins) {
        expect(await statusOf(from('POST', { origin, 'sec-fetch-site': sent }), options)).toBe(200);
      }
    }
  });

  test('headers without a method count as those of a write', async () => {
    expect(await statusOf({ cookie })).toBe(403);
    expect(await statusOf(new Headers({ cookie, 'sec-fetch-site': 'same-origin' }))).toBe(200);
  });

  test('a bearer token without a cookie is accepted from any origin', async () => {
    expect(await statusOf(from('POST', { authorization: `Bearer ${token}`, origin: 'https://evil.test' }))).toBe(200);
  });

  test('a forgery causes no request to the services', async () => {
    const { client, sent } = clientOver(allow.answer);
    await createGuard(client, { cookies: true }).check(from('POST', { origin: 'https://evil.test' }), ask);
    expect(sent).toEqual([]);
  });
});

describe('a cookie in several headers, as HTTP/2 may send it', () => {
  const crumbs = ['theme=dark', cookie, 'lang=en'];
  test.each<[string, GuardedRequest]>([
    ['a list', { method: 'GET', headers: { cookie: crumbs } }],
    ['a list of headers alone', { cookie: crumbs, 'sec-fetch-site': 'same-origin' }],
    ['headers in two cases', { method: 'GET', headers: { cookie: 'theme=dark', Cookie: cookie } }],
    ['Headers', { method: 'GET', headers: new Headers(crumbs.map((crumb) => ['cookie', crumb])) }],
    [
      'raw headers beside the joined ones',
      Object.assign(
        { method: 'GET', headers: { cookie: crumbs.join('; ') } },
        { rawHeaders: crumbs.flatMap((crumb) => ['cookie', crumb]) },
      ),
    ],
  ])('%s', async (_name, request) => {
    expect(await statusOf(request)).toBe(200);
    expect(await statusOf(request, {})).toBe(401);
  });

  test('over HTTP/2 itself, where the own origin comes from :authority', async () => {
    const server = createHttp2Server(async (incoming, response) => {
      response.statusCode = await statusOf(incoming).catch(() => 500);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const session = connect(`http://127.0.0.1:${port}`);
    const ask = (headers: Record<string, string | string[]>) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': '/', cookie: crumbs, ...headers });
        stream.on('response', ({ ':status': status }) => resolve(status)).on('error', reject);
        stream.end();
      });
    try {
      expect(await ask({ ':method': 'GET' })).toBe(200);
      expect(await ask({ ':method': 'POST' })).toBe(403);
      expect(await ask({ ':method': 'POST', origin: `http://127.0.0.1:${port}` })).toBe(200);
      expect(await ask({ ':method': 'POST', origin: 'http://evil.test' })).toBe(403);
    } finally {
      session.close();
      server.close();
    }
  });
});

describe("Node's requests", () => {
  /** A guard's answer to a request as Node reads it. */
  async function overHttp(headers: string[], method = 'POST'): Promise<number> {
    const server = createServer(async (incoming, response) => {
      response.statusCode = await statusOf(incoming).catch(() => 500);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      return await new Promise((resolve, reject) => {
        const host = headers.includes('host') ? [] : ['host', `127.0.0.1:${port}`];
        send({ port, host: '127.0.0.1', method, headers: [...host, ...headers], agent: false })
          .on('response', (response) => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
          .end();
      });
    } finally {
      server.close();
    }
  }

  test('authenticate with a bearer token', async () => {
    expect(await overHttp(['Authorization', `Bearer ${token}`])).toBe(200);
    expect(await overHttp([])).toBe(401);
  });

  test('are 401 with two authorization headers, although Node shows only the first', async () => {
    expect(await overHttp(['Authorization', `Bearer ${token}`, 'authorization', `Bearer ${token}`])).toBe(401);
  });

  test('take their own origin from Host', async () => {
    const page = (origin: string) => overHttp(['cookie', cookie, 'host', 'orders.test', 'origin', origin]);
    expect(await page('http://orders.test')).toBe(200);
    expect(await page('https://orders.test')).toBe(403);
    expect(await page('http://evil.test')).toBe(403);
    expect(await overHttp(['cookie', cookie], 'GET')).toBe(200);
  });

  test('over TLS their scheme is https', async () => {
    const headers = { cookie, host: 'orders.test', origin: site };
    const incoming = { method: 'POST', url: '/orders', headers };
    expect(await statusOf(Object.assign(incoming, { socket: { encrypted: true } }))).toBe(200);
    expect(await statusOf(Object.assign(incoming, { socket: {} }))).toBe(403);
  });
});

test.each([
  ['nothing', undefined],
  ['text', `Bearer ${token}`],
  ['an array', [`Bearer ${token}`]],
  ['an object of a framework that wraps the request', new (class Wrapped {})()],
  ['invalid headers', { headers: new Map([['authorization', `Bearer ${token}`]]).entries() }],
])('rejects %s as a request', async (_name, request) => {
  // The cast: a value that JavaScript callers may pass.
  const check = createGuard(clientOver(allow.answer).client).check(request as GuardedRequest, ask);
  await expect(check).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'request' });
  await expect(check).rejects.not.toThrow(token);
});

test.each<unknown>([7, null, [7], ['Bearer t', 7], {}])('an Authorization of %j is not a token', async (value) => {
  // The cast: JavaScript frameworks may parse headers.
  const headers = { authorization: value, cookie } as unknown as Record<string, string>;
  expect(await statusOf({ method: 'GET', headers })).toBe(401);
});

describe('the own origin of a request', () => {
  const post = (origin: string, url: string | undefined, headers: Record<string, string>) =>
    statusOf({ method: 'POST', ...(url !== undefined && { url }), headers: { cookie, origin, ...headers } });

  test('is that of an absolute http URL, whatever Host says', async () => {
    expect(await post('http://orders.test', 'http://orders.test/x', { host: 'evil.test' })).toBe(200);
    expect(await post('http://evil.test', 'http://orders.test/x', { host: 'evil.test' })).toBe(403);
  });

  test('does not come from a URL inside the query', async () => {
    expect(await post('http://orders.test', '/x?next=https://evil.test', { host: 'orders.test' })).toBe(200);
  });

  test('does not exist without Host and an absolute URL', async () => {
    expect(await post('http://undefined', '/x', {})).toBe(403);
    expect(await post('http://undefined', undefined, {})).toBe(403);
  });
});

test('a header without a value does not count beside the same name in another case', async () => {
  const headers = { authorization: undefined, Authorization: `bearer ${token}` };
  expect(await statusOf({ method: 'POST', headers })).toBe(200);
});

test('rawHeaders: a value that reads like the name of a header does not count as one', async () => {
  const rawHeaders = ['Authorization', `bearer ${token}`, 'x-note', 'authorization'];
  // The cast: what Node's requests have besides the type's fields.
  const request = { method: 'POST', headers: { authorization: `bearer ${token}` }, rawHeaders } as GuardedRequest;
  expect(await statusOf(request)).toBe(200);
});

test('a header named like a field of a request is only a header if a guard gets headers alone', async () => {
  expect(await statusOf({ cookie, method: 'GET' })).toBe(403);
});
