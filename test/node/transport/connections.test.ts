import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { nodeTransport } from '../../../src/node/index.ts';
import { createAuthority } from '../../support/certificates.ts';
import { callOverClosingServer } from '../../support/closing-server.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';
import { clientOver, serveHttp2 } from './support.ts';

describe('Connections', () => {
  test('are kept and used again, as many as `connections` says', async () => {
    const server = await serve((wire, response) => void setTimeout(() => json({})(wire, response, {} as never), 5));
    const route = clientOver(server.url, { connections: 3 }).route();
    await Promise.all(Array.from({ length: 30 }, () => route.get()));
    expect(server.connections()).toBe(3);
    expect(server.seen).toHaveLength(30);
  });

  test('that are idle for longer than keepAliveMs are closed', async () => {
    const server = await serve();
    await clientOver(server.url, { keepAliveMs: 20 }).route().get();
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('a connection that cannot be made in connectTimeoutMs is given up', async () => {
    // A port that accepts nobody: its backlog of one is full.
    const error = await failureOf(clientOver('http://192.0.2.1:81', { connectTimeoutMs: 50 }).route().get());
    expect(error).toMatchObject({ code: 'NETWORK' });
  });

  test('speak HTTP/1.1, to a server that would rather speak HTTP/2 as well', async () => {
    const authority = await createAuthority();
    const url = await serveHttp2(await authority.issue());
    const route = clientOver(url, { connections: 1, tls: { ca: authority.cert } }).route();
    const answers = await Promise.all([route.get(), route.post({ a: 1 }), route.get()]);
    expect(answers.map(({ body }) => body)).toEqual(['1.1', '1.1', '1.1']);
  });

  test('a queued call that is aborted leaves its connection to the others', async () => {
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
});

test('connections that the server closes at random: no POST twice, no call lost, no GET fails', async () => {
  const { sent, arrived, failed } = await callOverClosingServer(2_000);
  expect(failed.filter((name) => name.startsWith('GET'))).toEqual([]);
  for (const [name, times] of arrived) if (name.startsWith('POST')) expect([name, times]).toEqual([name, 1]);
  expect(sent.filter((name) => !arrived.has(name) && !failed.includes(name))).toEqual([]);
  expect(sent).toHaveLength(2_000);
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
