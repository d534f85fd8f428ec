import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../../src/client/node/index.ts';
import { createClient } from '../../../../src/index.ts';
import { createAuthority } from '../../../support/certificates.ts';
import { callOverClosingServer } from '../../../support/closing-server.ts';
import { failureOf } from '../../../support/failure.ts';
import { json, serve, serveBytes } from '../../../support/server.ts';
import { partOf } from '../../../support/thorough.ts';
import { clientOver, serveHttp2 } from './support.ts';

describe('Connections', () => {
  test('are kept and reused, as many as `connections` allows', async () => {
    const server = await serve((wire, response) => void setTimeout(() => json({})(wire, response, {} as never), 5));
    const route = clientOver(server.url, { connections: 3 }).route();
    await Promise.all(Array.from({ length: 30 }, () => route.get()));
    expect(server.connections()).toBe(3);
    expect(server.seen).toHaveLength(30);
  });

  test('idle for longer than keepAliveMs are closed', async () => {
    const server = await serve();
    await clientOver(server.url, { keepAliveMs: 20 }).route().get();
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('that take longer than connectTimeoutMs are given up', async () => {
    // A port that accepts no connection: its backlog of one is full.
    const error = await failureOf(clientOver('http://192.0.2.1:81', { connectTimeoutMs: 50 }).route().get());
    expect(error).toMatchObject({ code: 'NETWORK' });
  });

  test('speak HTTP/1.1, even to a server that prefers HTTP/2', async () => {
    const authority = await createAuthority();
    const url = await serveHttp2(await authority.issue());
    const route = clientOver(url, { connections: 1, tls: { ca: authority.cert } }).route();
    const answers = await Promise.all([route.get(), route.post({ a: 1 }), route.get()]);
    expect(answers.map(({ body }) => body)).toEqual(['1.1', '1.1', '1.1']);
  });

  test('an aborted queued call leaves its connection to the others', async () => {
    const server = await serve((wire, response) => {
      if (!wire.target.endsWith('slow')) json({})(wire, response, {} as never);
      else setTimeout(() => response.end(), 100);
    });
    const route = clientOver(server.url, { connections: 1 }).route();
    const slow = route.get('slow');
    const queued = failureOf(route.with({ timeout: 20 }).get('never'));
    const behind = route.get('behind');
    expect((await queued).code).toBe('TIMEOUT');
    expect([(await slow).status, (await behind).status]).toEqual([200, 200]);
    expect(server.seen.map(({ target }) => target.split('/').at(-1))).toEqual(['slow', 'behind']);
    expect(server.connections()).toBe(1);
  });

  test('calls that are aborted while waiting for a connection open none', async () => {
    const server = await serve();
    const route = clientOver(server.url, { connections: 2 }).route();
    const controller = new AbortController();
    const waiting = Array.from({ length: 500 }, () => failureOf(route.with({ signal: controller.signal }).get()));
    setImmediate(() => controller.abort());
    for (const { code } of await Promise.all(waiting)) expect(code).toBe('ABORTED');
    await delay(50);
    expect((await route.get()).status).toBe(200);
    // The two connections of the first two calls.
    expect(server.connections()).toBeLessThan(4);
  });

  test('a call that is aborted while undici loads is not sent', async () => {
    const server = await serve();
    for (let ticks = 0; ticks < 5; ticks++) {
      const controller = new AbortController();
      const route = clientOver(server.url, { connections: 1 }).route().with({ signal: controller.signal });
      const aborted = failureOf(route.post({}));
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      controller.abort();
      expect((await aborted).code).toBe('ABORTED');
    }
    await delay(50);
    expect([server.seen, server.connections()]).toEqual([[], 0]);
  });

  test('an abort while the connection is being made ends the attempt', async () => {
    const authority = await createAuthority();
    // Accepts, but never begins TLS.
    const server = await serveBytes(() => undefined);
    const client = clientOver(server.url.replace('http:', 'https:'), { tls: { ca: authority.cert } });
    expect(await failureOf(client.route().with({ timeout: 50 }).get())).toMatchObject({ code: 'TIMEOUT' });
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test.each([undefined, 8])(
    'an abort or a timeout ends no request of another caller (connections: %s)',
    async (most) => {
      const server = await serve((_wire, response) => void setTimeout(() => response.end(), Math.random() * 4));
      const route = clientOver(server.url, most === undefined ? {} : { connections: most }).route();
      const healthy: Promise<string | undefined>[] = [];
      const doomed: Promise<unknown>[] = [];
      const codeOf = (call: Promise<unknown>) =>
        call.then(
          () => undefined,
          ({ code }: Error & { code: string }) => code,
        );
      for (let i = 0; i < 1_500; i++) {
        if (i % 3 === 0) healthy.push(codeOf(route.post(`${i}`, { i })));
        else doomed.push(codeOf(route.with({ timeout: 1 + Math.random() * 4 }).post(`${i}`, { i })));
        if (i % 20 === 0) await delay(1);
      }
      await Promise.all(doomed);
      const failed = (await Promise.all(healthy)).filter((code) => code !== undefined);
      expect([healthy.length, failed]).toEqual([500, []]);
    },
  );
});

test('a server that closes connections at random: no POST twice, no call lost, no GET fails', async () => {
  const { sent, arrived, failed } = await callOverClosingServer(partOf(2_000));
  expect(failed.filter((name) => name.startsWith('GET'))).toEqual([]);
  for (const [name, times] of arrived) if (name.startsWith('POST')) expect([name, times]).toEqual([name, 1]);
  expect(sent.filter((name) => !arrived.has(name) && !failed.includes(name))).toEqual([]);
  expect(sent).toHaveLength(partOf(2_000));
});

describe('close()', () => {
  test('waits for a body that is being read, then closes every connection', async () => {
    const server = await serve((_wire, response) => {
      response.writeHead(200).write('first');
      setTimeout(() => response.end('last'), 50);
    });
    const client = createClient({ url: server.url, transport: nodeTransport() });
    const { body } = await client.route().with({ responseType: 'stream' }).get();
    const closed = client.close();
    expect(await new Response(body).text()).toBe('firstlast');
    await closed;
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('the same transport serves a new client afterwards', async () => {
    const server = await serve();
    const transport = nodeTransport();
    for (let i = 0; i < 2; i++) {
      const client = createClient({ url: server.url, transport });
      expect((await client.route().get()).status).toBe(200);
      await client.close();
    }
  });
});
