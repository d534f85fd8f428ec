import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../../src/client/node/index.ts';
import { createClient, type Transport, type TransportRequest } from '../../../../src/index.ts';
import { disconnected, json, serve } from '../../../support/server.ts';

/** The ways to send over `nodeTransport`: as it is, and wrapped as callers do. */
const ways: readonly (readonly [name: string, wrap: (transport: Transport) => Transport])[] = [
  ['nodeTransport', (transport) => transport],
  ['a copy with a `send` of its own', (own) => ({ ...own, send: (url, request) => own.send(url, request) })],
  [
    'an object that inherits it',
    (own) =>
      Object.assign(Object.create(own), { send: (url: string, request: TransportRequest) => own.send(url, request) }),
  ],
];

describe.each(ways)('%s', (_name, wrap) => {
  test('ends a request with the signal of its call', async () => {
    const server = await serve(() => undefined);
    const client = createClient({ url: server.url, transport: wrap(nodeTransport()) });
    const controller = new AbortController();
    const call = client.route('x').with({ signal: controller.signal }).get();
    await expect.poll(() => server.seen.length).toBe(1);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await disconnected(server);
  });

  test('ends the stream of a response with its client', async () => {
    const server = await serve((_wire, response) => {
      response.write('first');
    });
    const client = createClient({ url: server.url, transport: wrap(nodeTransport()) });
    const { body } = await client.route('x').with({ responseType: 'stream' }).get();
    const reader = body?.getReader();
    await reader?.read();
    await client.close({ graceMs: 0 });
    await expect(reader?.read()).rejects.toMatchObject({ code: 'ABORTED' });
    await disconnected(server);
  });
});

test('a call that aborts its own signal rejects once, and sends nothing', async () => {
  const server = await serve(json({}));
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', listen);
  const controller = new AbortController();
  const headers = () => {
    controller.abort();
    return {};
  };
  const client = createClient({ url: server.url, transport: nodeTransport(), signal: controller.signal, headers });
  await expect(client.route('x').get()).rejects.toMatchObject({ code: 'ABORTED' });
  await setImmediate();
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
  expect(server.seen).toEqual([]);
});
