import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock, type MockFault } from '../../../src/mock/index.ts';

/** A mock, open to all. */
async function open() {
  const mock = await createMock({ authentication: { mode: 'None' } });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

describe('a used Request', () => {
  test.each([undefined, 'stream'] as const)('is rejected (%s)', async (body) => {
    const mock = await open();
    let calls = 0;
    // The cast: the handler does not read its body, of either kind.
    mock.route('POST', '/x', () => ({ body: { calls: ++calls } }), { body } as { body: 'stream' });
    const request = () => new Request('http://a.test/x', { method: 'POST', body: 'x' });
    const [sent, locked] = [request(), request()];
    await (await mock.fetch(sent)).json();
    await expect(mock.fetch(sent)).rejects.toThrow(TypeError);
    locked.body?.getReader();
    await expect(mock.fetch(locked)).rejects.toThrow(TypeError);
    const read = request();
    await read.text();
    await expect(mock.fetch(read)).rejects.toThrow('the Request has been used');
    // Its headers and method are still good with another body, and one without a body is never used.
    expect(await (await mock.fetch(read, { body: 'other' })).json()).toEqual({ calls: 2 });
    const empty = new Request('http://a.test/x', { method: 'POST' });
    await mock.fetch(empty);
    expect(await (await mock.fetch(empty)).json()).toEqual({ calls: 4 });
  });
});

describe('a header with a list', () => {
  const cookies = ['a=1; Path=/', 'b=2'];
  const answer = { headers: { 'set-cookie': cookies, 'x-a': ['1', '2'], 'x-b': '3' }, body: 'x' };

  test.each(['a handler', 'a fault', 'a fault with its own body'])('of %s is sent as several', async (way) => {
    const mock = await open();
    if (way === 'a handler') mock.route('GET', '/x', () => answer);
    else mock.fail({ path: '/x', status: 200, ...answer, ...(way === 'a fault' && { body: undefined }) });
    const { headers } = await mock.fetch('http://a.test/x');
    expect([headers.getSetCookie(), headers.get('x-a'), headers.get('x-b')]).toEqual([cookies, '1, 2', '3']);
  });

  test('of a service is sent over a port', async () => {
    const mock = await open();
    mock.service('orders', { '/x': { get: () => answer } });
    const { url } = await listen(mock);
    const { headers } = await fetch(`${url}/_service/uds/_db/shop/orders/x`);
    expect(headers.getSetCookie()).toEqual(cookies);
  });

  test('that HTTP does not allow is refused', async () => {
    const mock = await open();
    expect(() => mock.fail({ status: 200, headers: { 'set-cookie': ['a=1', 'b\nc'] } })).toThrow('headers');
    mock.route('GET', '/x', () => ({ headers: { 'set-cookie': ['a\n=1'] } }));
    expect((await mock.fetch('http://a.test/x')).status).toBe(500);
  });
});

test('a handler may hand on an answer of fetch, which is decoded already', async () => {
  const [service, mock] = [await open(), await open()];
  const bytes = process.getBuiltinModule('node:zlib').gzipSync('plain text');
  service.route('GET', '/x', () => ({ headers: { 'content-encoding': 'gzip' }, body: bytes }));
  const { url: upstream } = await listen(service);
  mock.route('GET', '/x', () => fetch(`${upstream}/x`));
  const { url } = await listen(mock);
  for (const answer of [await mock.fetch('http://a.test/x'), await fetch(`${url}/x`)]) {
    expect(await answer.text()).toBe('plain text');
  }
  // A Response of the handler's own says what its bytes are.
  mock.route('GET', '/own', () => new Response(bytes, { headers: { 'content-encoding': 'gzip' } }));
  for (const answer of [await mock.fetch('http://a.test/own'), await fetch(`${url}/own`)]) {
    expect(await answer.text()).toBe('plain text');
  }
});

test.each<[string, RequestInit]>([
  ['GET', {}],
  ['GET with headers', { headers: { accept: 'text/plain', 'user-agent': 'mine', 'x-a': '1' } }],
  [
    'several',
    {
      headers: [
        ['x-a', '1'],
        ['x-a', '2'],
        ['cookie', 'a=1'],
        ['cookie', 'b=2'],
      ],
    },
  ],
  ['POST', { method: 'POST', body: 'ä' }],
  ['POST without a body', { method: 'POST' }],
  ['PUT of bytes', { method: 'PUT', body: new Uint8Array(3), headers: { 'content-type': 'image/png' } }],
  ['DELETE', { method: 'DELETE' }],
  ['a form', { method: 'POST', body: new URLSearchParams('a=1') }],
  ['a stream', { method: 'POST', body: new Blob(['a']).stream(), duplex: 'half' } as RequestInit],
])('handlers see the same headers over fetch, msw and a port: %s', async (_, init) => {
  const mock = await open();
  const seen: Record<string, string>[] = [];
  mock.route('*', '/x', ({ headers }) => ({ body: seen.push(Object.fromEntries([...headers])) }));
  mock.route('*', '/stream', ({ headers }) => ({ body: seen.push(Object.fromEntries([...headers])) }), {
    body: 'stream',
  });
  const { url } = await listen(mock);
  const { host } = new URL(url);
  const server = setupServer(...handlers(mock, { url: 'http://db.test' }));
  onTestFinished(() => server.close());
  const isStream = init.body instanceof ReadableStream;
  const path = isStream ? '/stream' : '/x';
  const fresh = () => ({ ...init, ...(isStream && { body: new Blob(['a']).stream() }) });
  await mock.fetch(`http://db.test${path}`, fresh());
  await fetch(`${url}${path}`, fresh());
  server.listen({ onUnhandledFrame: 'bypass' });
  await fetch(`http://db.test${path}`, fresh());
  const [byFetch, byPort, byMsw] = seen;
  expect(new Map(Object.entries(byFetch ?? {})).get('host')).toBe('db.test');
  expect(byPort).toEqual({ ...byFetch, host });
  expect(byMsw).toEqual(byFetch);
});

describe('the path of a filter', () => {
  test.each<[string, string[], string[]]>([
    [
      '/_db/:db/two',
      ['/_db/shop/two', '/_db/a%2Fb/two'],
      ['/_db/two', '/_db/shop/x/two', '/_db/shop/two/x', '/_db//two'],
    ],
    ['/{db}/two', ['/_db/shop/two'], ['/_db/shop/one']],
    ['/orders/*', ['/_db/shop/orders', '/_db/shop/orders/', '/_db/shop/orders/1/x'], ['/_db/shop/orders2']],
    ['/a.b(c)', ['/_db/shop/a.b(c)'], ['/_db/shop/aXb(c)']],
    ['wo', ['/_db/shop/two'], ['/_db/shop/twos']],
    ['/v1/items:batch', ['/_db/x/v1/items:batch'], ['/_db/x/v1/itemsXbatch']],
  ])('%s is the syntax of mock.route', async (path, matching, others) => {
    const mock = await open();
    mock.route('*', '/*', () => ({ status: 200 }));
    mock.fail({ path, status: 418, times: Number.POSITIVE_INFINITY });
    const statusOf = async (one: string) => (await mock.fetch(`http://a.test${one}`)).status;
    for (const one of matching) expect([one, await statusOf(one)]).toEqual([one, 418]);
    for (const one of others) expect([one, await statusOf(one)]).not.toEqual([one, 418]);
    expect(mock.requests.find({ path })?.path).toBe(matching[0]);
  });

  test.each(['/_db/:db-x/two', '/_db/:/two', '/a*b', '/*/two'])('%s is refused', async (path) => {
    const mock = await open();
    const fault: MockFault = { path, status: 500 };
    expect(() => mock.fail(fault)).toThrow('path: expected segments that are text, ":name" or "{name}"');
    expect(() => mock.requests.find({ path })).toThrow('path');
  });
});
