import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../src/client/node/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { serveTls } from '../client/node/transport/support.ts';
import { createAuthority } from '../support/certificates.ts';
import { failureOf } from '../support/failure.ts';
import { canTry, startHaproxy, startNginx, startSquid } from '../support/http-proxies.ts';
import { json, open, type Responder, serve } from '../support/server.ts';

const descriptors = () => readdirSync('/proc/self/fd').length;

const echo: Responder = (wire, response, request) => {
  if (wire.target.endsWith('slow')) return void setTimeout(() => response.end('slow'), 5_000);
  json({ method: wire.method, target: wire.target, bytes: wire.body.length })(wire, response, request);
};

describe.runIf(canTry('squid'))('Squid with its own rules', () => {
  test('forwards http: in absolute form, whatever the port, and https: by CONNECT', async () => {
    const authority = await createAuthority();
    const [plain, secure] = [await serve(echo), await serveTls(await authority.issue())];
    const proxy = await startSquid({ tunnels: [443, secure.port] });
    const transport = nodeTransport({ proxy, tls: { ca: authority.cert } });
    const client = createClient({ url: plain.url, transport, credentials: credentials.bearer('token') });
    const route = client.database('db').route('svc');
    expect((await route.get('a b', { c: 1 })).body).toEqual({
      method: 'GET',
      target: '/_db/db/svc/a%20b?c=1',
      bytes: 0,
    });
    expect((await route.post('', { a: 1 })).body).toMatchObject({ bytes: 7 });
    const upload = async function* () {
      for (let i = 0; i < 50; i++) yield new Uint8Array(65_536);
    };
    expect((await route.put('big', upload())).body).toMatchObject({ bytes: 50 * 65_536 });
    expect(plain.seen[0]?.headers.get('authorization')).toEqual(['Bearer token']);
    expect((await createClient({ url: secure.url, transport }).route().get()).status).toBe(200);
    await client.close();
  });

  test('refuses a tunnel to a port other than 443: the error says so', async () => {
    const secure = await serveTls(await (await createAuthority()).issue());
    const client = createClient({ url: secure.url, transport: nodeTransport({ proxy: await startSquid() }) });
    expect((await failureOf(client.route().get())).message).toContain('the proxy answered 403 to CONNECT');
  });

  test('an abort of one call leaves the others alone', async () => {
    const plain = await serve(echo);
    const transport = nodeTransport({ proxy: await startSquid(), connections: 4 });
    const route = createClient({ url: plain.url, transport, retry: 0 }).route();
    const slow = Array.from({ length: 8 }, () => failureOf(route.with({ timeout: 100 }).post('slow', {})));
    const healthy = Array.from({ length: 100 }, (_, i) => route.post(`${i}`, { i }));
    for (const { status } of await Promise.all(healthy)) expect(status).toBe(200);
    for (const { code } of await Promise.all(slow)) expect(code).toBe('TIMEOUT');
  });
});

describe.each([
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
] as const)('%s in front of a server', (program, startProxy) => {
  test.runIf(canTry(program)).each(['fetch', 'nodeTransport'])(
    'closes idle connections and times out: over %s',
    async (way) => {
      const server = await open(echo);
      const url = await startProxy(server.url.slice('http://'.length));
      const transport = way === 'fetch' ? undefined : nodeTransport({ connections: 8 });
      const client = createClient({ url, transport, retry: 2 });
      const route = client.route('svc');
      await route.get();
      const before = descriptors();
      for (let round = 0; round < 10; round++) {
        const calls = Array.from({ length: 100 }, (_, i) => (i % 2 ? route.get(`${i}`) : route.post(`${i}`, { i })));
        for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
        // Longer than HAProxy keeps an idle connection.
        await delay(400);
      }
      async function* upload() {
        for (let i = 0; i < 200; i++) yield new Uint8Array(65_536);
      }
      expect((await route.put('big', () => upload())).body).toMatchObject({ bytes: 200 * 65_536 });
      expect(await failureOf(route.with({ retry: 0 }).get('slow'))).toMatchObject({ code: 'HTTP', status: 504 });
      // The server is gone, so the proxy answers.
      await server.close();
      const error = await failureOf(route.with({ retry: 0 }).get());
      expect([502, 503]).toContain(error.status);
      await client.close();
      if (way === 'nodeTransport') await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2);
    },
  );
});
