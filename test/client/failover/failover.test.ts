import { describe, expect, onTestFinished, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials, isHttpError, isNetworkError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { inTurn, json, serve, serveRaw, type TestServer } from '../../support/server.ts';
import { refused, ways } from './support.ts';

const over = (addresses: readonly string[], transport: ReturnType<(typeof ways)[number]['make']>, options = {}) =>
  createClient({
    url: addresses[0] ?? '',
    retry: 0,
    transport: failover(addresses, { ...(transport && { transport }), ...options }),
  });

describe.each(ways)('failover over $name', ({ make }) => {
  test('after a refused connection every method is sent to the next address, bodies included', async () => {
    const server = await serve();
    const client = over([await refused(), server.url], make());
    await client.route('svc').get();
    for (const body of [{ a: 1 }, 'text', new Uint8Array([1, 2]), new Blob(['b'])])
      await client.route('svc').post('', body);
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST', 'POST']);
    expect(server.seen.map(({ body }) => body.toString('latin1'))).toEqual(['', '{"a":1}', 'text', '\x01\x02', 'b']);
  });

  test('QUERY is sent to the next address with its body, as a read is, after a 503 and a broken connection', async () => {
    const server = await serve();
    const busy = await serve(json({}, 503));
    const broken = await serveRaw((request) => request.socket.destroy());
    const client = over([busy.url, broken.url, server.url], make());
    await client.route('svc').request({ method: 'QUERY', body: { a: 1 } });
    expect(server.seen.map(({ method, body }) => `${method} ${body}`)).toEqual(['QUERY {"a":1}']);
  });

  test('a stream that no address has read yet is sent to the next address, once', async () => {
    const server = await serve();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (pulled++ < 3) controller.enqueue(new Uint8Array([65]));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    await over([await refused(), server.url], make())
      .route('svc')
      .post('', body);
    expect(server.seen.map((wire) => wire.body.toString())).toEqual(['AAA']);
  });

  test.each([0, 20])(
    'a stream that yields a chunk each %i ms arrives whole after one move and after two',
    async (delay) => {
      for (const gone of [[await refused()], [await refused(), await refused()]]) {
        const server = await serve();
        let sent = 0;
        const body = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              await new Promise((next) => setTimeout(next, delay));
              if (sent < 6) controller.enqueue(new Uint8Array([65 + sent++]));
              else controller.close();
            },
          },
          { highWaterMark: 0 },
        );
        await over([...gone, server.url], make())
          .route('svc')
          .post('', body);
        expect(server.seen.map((wire) => wire.body.toString())).toEqual(['ABCDEF']);
      }
    },
  );

  test('after a timeout the next request goes to another address', async () => {
    const silent = await serveRaw(() => undefined);
    const server = await serve();
    const route = over([silent.url, server.url], make()).route('svc').with({ timeout: 100 });
    await expect(route.post('', {})).rejects.toMatchObject({ code: 'TIMEOUT' });
    // `fetch` rejects a moment after the call.
    await new Promise((next) => setTimeout(next, 20));
    await route.with({ timeout: 5_000 }).post('', {});
    expect(server.seen).toHaveLength(1);
  });

  test('after a 503 a read is sent to the next address, a write is not, and the next request begins there', async () => {
    const [busy, server] = [await serve(json({}, 503)), await serve()];
    const client = over([busy.url, server.url], make());
    expect((await client.route('svc').get()).status).toBe(200);
    expect([busy.seen.length, server.seen.length]).toEqual([1, 1]);

    const other = over([busy.url, server.url], make());
    await expect(other.route('svc').post('', {})).rejects.toMatchObject({ status: 503, origin: busy.url });
    await other.route('svc').post('', {});
    expect([busy.seen.length, server.seen.length]).toEqual([2, 2]);
  });

  test('the first 503 is the answer if every address answers so', async () => {
    const servers = [await serve(json({ at: 1 }, 503, { 'retry-after': '7' })), await serve(json({ at: 2 }, 503))];
    const client = over(
      servers.map(({ url }) => url),
      make(),
    );
    const error = await client
      .route('svc')
      .get()
      .catch((failure: unknown) => failure);
    expect(isHttpError(error) && [error.status, error.body]).toEqual([503, { at: 1 }]);
    expect(servers.map(({ seen }) => seen.length)).toEqual([1, 1]);
  });

  test('after a broken connection a read is sent to the next address, and a write never', async () => {
    const broken = await serveRaw((request) => request.socket.destroy());
    const server = await serve();
    await over([broken.url, server.url], make()).route('svc').get();
    expect(server.seen).toHaveLength(1);
    const write = over([broken.url, server.url], make()).route('svc').post('', {});
    await expect(write).rejects.toMatchObject({ code: 'NETWORK', origin: broken.url });
    expect(server.seen).toHaveLength(1);
  });

  test('an error names the address that answered', async () => {
    const server = await serve(json({ error: true, errorMessage: 'no such thing' }, 404));
    const events: unknown[] = [];
    const addresses = [await refused(), server.url];
    const client = createClient({
      url: addresses[0] ?? '',
      transport: failover(addresses),
      observe: ({ origin, status }) => events.push([origin, status]),
    });
    await expect(client.route('svc').get('7')).rejects.toMatchObject({
      origin: server.url,
      status: 404,
      path: /svc\/7$/,
    });
    expect(events).toEqual([[server.url, 404]]);
  });

  test('an error of all addresses names each', async () => {
    const addresses = [await refused(), await refused()];
    const error = await over(addresses, make())
      .route('svc')
      .post('', {})
      .catch((failure: unknown) => failure);
    expect(isNetworkError(error) && error.cause?.code).toBe('ECONNREFUSED');
    expect(String(error)).toContain(`no address answered: ${addresses[0]} ECONNREFUSED, ${addresses[1]} ECONNREFUSED`);
  });

  test('redirects stay at the address that answered', async () => {
    const server: TestServer = await serve((wire, response) => {
      if (wire.target.endsWith('/new')) response.end('{}');
      else response.writeHead(307, { location: `${server.url}/base/new` }).end();
    });
    const client = over([await refused(), `${server.url}/base`], make());
    const { url, redirected } = await client.absoluteRoute('old').get();
    expect([url, redirected]).toEqual([`${server.url}/base/new`, true]);
    const plain = await client.absoluteRoute('new').get();
    expect([plain.url, plain.redirected]).toEqual([`${server.url}/base/new`, false]);
  });

  test('a redirect to another host is refused', async () => {
    const elsewhere = await serve();
    const server = await serve((_, response) => void response.writeHead(302, { location: elsewhere.url }).end());
    const client = over([await refused(), server.url], make());
    await expect(client.route('svc').get()).rejects.toMatchObject({ code: 'REDIRECT', origin: server.url });
    expect(elsewhere.seen).toEqual([]);
  });

  test('after an abort no other address is asked', async () => {
    const silent = await serveRaw(() => undefined);
    const server = await serve();
    const client = over([silent.url, server.url], make());
    await expect(client.route('svc').with({ timeout: 50 }).get()).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(server.seen).toEqual([]);
  });
});

test('after a refusal without a code only reads are sent to the next address: Deno repeats requests itself', async () => {
  const cause = new TypeError('client error (Connect): tcp connect error: Connection refused (os error 111)');
  const failing = { send: () => Promise.reject(new TypeError('fetch failed', { cause })) };
  const server = await serve();
  const addresses = [{ url: 'http://127.0.0.1:1', transport: failing }, server.url];
  const route = createClient({ url: server.url, retry: 0, transport: failover(addresses) }).route('svc');
  await expect(route.post('', {})).rejects.toMatchObject({ code: 'NETWORK', cause: { code: 'ECONNREFUSED' } });
  expect(server.seen).toEqual([]);
  expect((await route.get()).status).toBe(200);
});

describe('the order of addresses', () => {
  test('an address stays in use while it works; after the pause one request asks the first address again', async () => {
    const clock = { ms: 0, now: () => clock.ms };
    const [first, second] = [await serve(inTurn(json({}, 503), json({}, 503), json({}))), await serve()];
    const client = over([first.url, second.url], undefined, { clock, returnAfterMs: 1_000 });
    const get = () => client.route('svc').get();
    for (let i = 0; i < 5; i++) await get();
    expect([first.seen.length, second.seen.length]).toEqual([1, 5]);
    clock.ms = 1_000;
    await Promise.all([get(), get(), get()]);
    expect([first.seen.length, second.seen.length]).toEqual([2, 8]);
    clock.ms = 1_999;
    await get();
    expect(first.seen).toHaveLength(2);
    clock.ms = 2_000;
    await get();
    await get();
    expect([first.seen.length, second.seen.length]).toEqual([4, 9]);
  });

  test('many concurrent requests go on to the next address together', async () => {
    const [gone, server] = [await refused(), await serve()];
    const client = over([gone, server.url, await refused()], undefined);
    await Promise.all(Array.from({ length: 20 }, () => client.route('svc').post('', {})));
    expect(server.seen).toHaveLength(20);
  });
});

test('requests to an origin that is not an address are not sent', async () => {
  const [server, other] = [await serve(), await serve()];
  const client = createClient({ url: other.url, retry: 0, transport: failover([server.url]) });
  const canary = 'canary-token';
  const call = client
    .with({ credentials: credentials.bearer(canary) })
    .route('svc')
    .get();
  await expect(call).rejects.toThrow('not an address of failover; nothing was sent');
  await expect(call).rejects.not.toThrow(canary);
  expect([server.seen, other.seen]).toEqual([[], []]);
  const close = createClient({ url: `${server.url.slice(0, -1)}`, retry: 0, transport: failover([server.url]) });
  await expect(close.route('svc').get()).rejects.toThrow('not an address');
});

test('a login is sent to the next address, and its token is used there', async () => {
  const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  mock.route('GET', '/_db/:db/svc', () => ({ body: { ok: true } }));
  const server = await listen(mock);
  onTestFinished(() => server.close());
  const addresses = [await refused(), server.url];
  const login = credentials.login({ username: 'alice', password: 'pw' });
  const client = createClient({ url: addresses[0] ?? '', credentials: login, transport: failover(addresses) });
  expect((await client.route('svc').get()).body).toEqual({ ok: true });
});

test('the transports close with the last client, and open again', async () => {
  const closed: string[] = [];
  const transport = (name: string) => ({
    send: async () => Response.json({}) as never,
    close: async () => void closed.push(name),
  });
  const shared = failover([
    { url: 'http://a.example', transport: transport('a') },
    { url: 'http://b.example', transport: transport('b') },
  ]);
  const clients = [1, 2].map(() => createClient({ url: 'http://a.example', transport: shared }));
  for (const client of clients) await client.route('svc').get();
  await clients[0]?.close();
  expect(closed).toEqual([]);
  await clients[1]?.close();
  expect(closed).toEqual(['a', 'b']);
  const again = createClient({ url: 'http://a.example', transport: shared });
  await again.route('svc').get();
  await again.close();
  expect(closed).toEqual(['a', 'b', 'a', 'b']);
});

test.each([
  [[], 'addresses: expected at least one URL'],
  ['http://a.example', 'addresses: expected a list, got a string'],
  [['a.example'], 'addresses[0]: expected a URL'],
  [['http://a.example', 'http://a.example/'], 'addresses[1]: is the same address as addresses[0]'],
  [['http://a.example?x=1'], 'addresses[0]: must not hold a query'],
  [['http://canary:pw@a.example'], 'addresses[0]: must not hold a user'],
  [[{ url: 'http://a.example', transports: 1 }], 'addresses[0].transports: unknown (did you mean "transport"?)'],
  [[{ url: 'http://a.example', transport: {} }], 'addresses[0].transport: expected an object with send()'],
])('%j is refused', (addresses, message) => {
  expect(() => failover(addresses as never)).toThrow(message);
  expect(() => failover(addresses as never)).not.toThrow('canary');
});
