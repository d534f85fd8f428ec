import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { disconnected, inTurn, json, serve, serveRaw } from '../../support/server.ts';
import { refused, ways } from './support.ts';

const clientOver = (addresses: readonly string[], transport: ReturnType<(typeof ways)[number]['make']>, options = {}) =>
  createClient({ url: addresses[0] ?? '', retry: 0, transport: failover(addresses, { transport, ...options }) });

describe.each(ways)('failover over $name', ({ make }) => {
  test('a timeout names the silent address, before its response and within it', async () => {
    const silent = await serveRaw(() => undefined);
    const stalled = await serveRaw((_, response) => void response.writeHead(200).write('{'));
    for (const { url } of [silent, stalled]) {
      const events: unknown[] = [];
      const client = clientOver([await refused(), url], make()).with({ observe: ({ origin }) => events.push(origin) });
      const route = client.route('svc').with({ timeout: 200 });
      await expect(route.get()).rejects.toMatchObject({ code: 'TIMEOUT', origin: url });
      await expect(route.with({ timeout: 0, idleTimeoutMs: 200 }).get()).rejects.toMatchObject({ origin: url });
      // Over `fetch` an attempt ends a moment after its call.
      await expect.poll(() => events).toEqual([url, url]);
    }
  });

  test('an abort names the address that was asked', async () => {
    const silent = await serveRaw(() => controller.abort());
    const controller = new AbortController();
    const route = clientOver([await refused(), silent.url], make())
      .route('svc')
      .with({ signal: controller.signal });
    await expect(route.post('', {})).rejects.toMatchObject({ code: 'ABORTED', origin: silent.url });
  });

  test('the error of all 503s has the first origin, and a later address that times out cancels the first 503', async () => {
    const busy = await serve(json({ at: 1 }, 503));
    const other = await serve(json({ at: 2 }, 503));
    const route = clientOver([busy.url, other.url], make()).route('svc');
    await expect(route.get()).rejects.toMatchObject({ status: 503, body: { at: 1 }, origin: busy.url });
    const endless = await serveRaw((_, response) => void response.writeHead(503).write('{'));
    const silent = await serveRaw(() => undefined);
    const slow = clientOver([endless.url, silent.url], make()).route('svc').with({ timeout: 200 });
    await expect(slow.get()).rejects.toMatchObject({ code: 'TIMEOUT', origin: silent.url });
    await disconnected(endless);
    await disconnected(silent);
  });

  test('prefixes belong to their address, and a query is kept', async () => {
    const server = await serve();
    const addresses = [`${await refused()}/one`, `${server.url}/two/%C3%A4`];
    const { body, url } = await clientOver(addresses, make())
      .route('svc')
      .get(['a/b', 'ä'], { q: 'x y', tag: ['1', '2'] });
    expect(body).toEqual({});
    const path = '/two/%C3%A4/_db/_system/svc/a%2Fb/%C3%A4?q=x%20y&tag=1&tag=2';
    expect([url, server.seen[0]?.target]).toEqual([server.url + path, path]);
  });

  test('an address may be an IPv6 address or a host name', async () => {
    const server = createServer(({ headers }, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(headers.host));
    });
    await new Promise<void>((done) => server.listen(0, '::1', done));
    onTestFinished(() => void server.close());
    // The cast: a server that listens on a port has an AddressInfo.
    const { port } = server.address() as AddressInfo;
    const addresses = [await refused(), `http://[::1]:${port}`, `http://localhost:${port}`];
    const response = await clientOver(addresses, make()).route('svc').post('', {});
    expect([response.body, response.url]).toEqual([`[::1]:${port}`, `http://[::1]:${port}/_db/_system/svc`]);
    for (const first of ['http://no-such-host.invalid', (await refused()).replace(/127\.0\.0\.\d+/, '[::1]')]) {
      const { status } = await clientOver([first, `http://[0:0::1]:${port}/`], make())
        .route('svc')
        .post('', {});
      expect(status).toBe(200);
    }
  });

  test('credentials reach addresses only, whatever a response says', async () => {
    const canary = 'canary-token';
    const foreign = await serve();
    const listed = await serve();
    for (const [location, status] of [
      [foreign.url, 302],
      [foreign.url.replace('http://', '//'), 307],
      [`${listed.url}/elsewhere`, 307],
      [listed.url.replace('127.0.0.1', '127.0.0.1.'), 308],
    ] as const) {
      const server = await serve((_, response) => void response.writeHead(status, { location }).end());
      const client = clientOver([await refused(), server.url, listed.url], make()).with({
        credentials: credentials.bearer(canary),
      });
      for (const method of ['GET', 'HEAD', 'POST']) {
        const error = await client
          .route('svc')
          .request({ method, path: '' })
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'REDIRECT', origin: server.url });
        expect(JSON.stringify(error) + String(error)).not.toContain(canary);
      }
      expect(server.seen).toHaveLength(3);
    }
    expect([foreign.seen, listed.seen]).toEqual([[], []]);
  });

  test('nothing is left after close: no socket, and calls on their way to a next address end within the grace', async () => {
    const server = await serve((_, response) => void setTimeout(() => response.end('{}'), 100));
    const client = clientOver([await refused(), server.url], make());
    const calls = Array.from({ length: 10 }, () => client.route('svc').post('', {}));
    await client.close();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    await expect(client.route('svc').get()).rejects.toMatchObject({ code: 'ABORTED' });
    if (make() !== undefined) await disconnected(server);
    const silent = await serveRaw(() => undefined);
    const cut = clientOver([await refused(), silent.url], make());
    const call = cut.route('svc').get();
    call.catch(() => undefined);
    await expect.poll(() => silent.sockets.size).toBe(1);
    await cut.close({ graceMs: 0 });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', origin: silent.url });
    await disconnected(silent);
  });
});

test('after the pause a read asks the first address again; a write only if no read does', async () => {
  const clock = { ms: 0, now: () => clock.ms };
  const [first, second] = [await serve(inTurn(json({}, 503), json({}, 503), json({}, 503), json({}))), await serve()];
  const route = clientOver([first.url, second.url], undefined, { clock, returnAfterMs: 1_000 }).route('svc');
  await route.get();
  clock.ms = 1_500;
  // The first address still answers 503, after which a write does not move.
  await route.post('', {});
  expect([first.seen.length, second.seen.length]).toEqual([1, 2]);
  await route.get();
  expect([first.seen.length, second.seen.length]).toEqual([2, 3]);
  clock.ms = 2_600;
  await route.post('', {});
  expect(first.seen).toHaveLength(2);
  clock.ms = 3_500;
  await expect(route.post('', {})).rejects.toMatchObject({ status: 503, origin: first.url });
  await route.post('', {});
  clock.ms = 5_500;
  await route.post('', {});
  await route.post('', {});
  expect([first.seen.length, second.seen.length]).toEqual([5, 5]);
});

test('an address below another one is refused, since a URL would have two paths', () => {
  const addresses = ['http://a.example/base', 'http://a.example/based', 'http://a.example/base/x'];
  expect(() => failover(addresses)).toThrow('addresses[2]: is below addresses[0]');
  expect(() => failover(['http://a.example/x', 'http://a.example'])).toThrow('addresses[0]: is below addresses[1]');
});

test('ports that begin alike are told apart in errors', async () => {
  const transport = { send: () => Promise.reject(Object.assign(new Error('broken'), { code: 'EPIPE' })) };
  const addresses = ['http://127.0.0.1:18529', 'http://127.0.0.1:1852'] as const;
  const route = createClient({ url: addresses[0], transport: failover(addresses, { transport }), retry: 0 }).route('');
  for (const origin of addresses) await expect(route.post('', {})).rejects.toMatchObject({ code: 'NETWORK', origin });
});
