import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { createClient, type Route, type Transport } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { type Responder, serve } from '../../support/server.ts';

const body = JSON.stringify('x'.repeat(998));
const plain: Responder = (_, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
const zipped: Responder = (_, response) =>
  void response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(gzipSync('"'.padEnd(10_000_000, 'x')));

describe.each([
  ['fetch', (): Transport | undefined => undefined],
  ['nodeTransport', nodeTransport],
] as const)('maxBytes over %s', (_, transport) => {
  const routeTo = async (responder: Responder): Promise<{ seen: readonly unknown[]; route: Route }> => {
    const { url, seen } = await serve(responder);
    return { seen, route: createClient({ url, transport: transport() }).route('export') };
  };

  test.each(['json', 'text', 'bytes', 'blob', 'auto'] as const)('bounds a body read as %s', async (responseType) => {
    const { route } = await routeTo(plain);
    const exact = await route.with({ responseType, maxBytes: 1_000 }).get();
    const whole = await route.with({ responseType }).get();
    expect(exact.body).toEqual(whole.body);
    const failure = await failureOf(route.with({ responseType, maxBytes: 999 }).get());
    expect(failure).toMatchObject({ code: 'PARSE', status: 200, text: '' });
    expect(failure.message).toContain('more than 999 bytes (maxBytes)');
  });

  test('bounds a stream after the last byte that fits', async () => {
    const { route } = await routeTo(plain);
    const streams = route.with({ responseType: 'stream' });
    expect(await text((await streams.with({ maxBytes: 1_000 }).get()).body as never)).toBe(body);
    const { body: short } = await streams.with({ maxBytes: 999 }).get();
    expect(await failureOf(text(short as never))).toMatchObject({ code: 'PARSE' });
  });

  test('counts bytes after decompression, and is not retried', async () => {
    const { route, seen } = await routeTo(zipped);
    const failure = await failureOf(route.with({ maxBytes: 100_000 }).get());
    expect(failure).toMatchObject({ code: 'PARSE' });
    expect(seen).toHaveLength(1);
  });

  test('maxBytes: 0 accepts an empty body and HEAD', async () => {
    const { route } = await routeTo((_wire, response) => void response.writeHead(204).end());
    expect((await route.with({ maxBytes: 0 }).get()).body).toBeUndefined();
    expect((await route.with({ maxBytes: 0 }).head()).status).toBe(204);
  });

  test('is an option of request(), and undefined lifts an inherited one', async () => {
    const { route } = await routeTo(plain);
    expect(await failureOf(route.request({ maxBytes: 10 }))).toMatchObject({ code: 'PARSE' });
    expect((await route.with({ maxBytes: 10 }).with({ maxBytes: undefined }).get()).status).toBe(200);
  });
});

test.each([-1, 1.5, '10', Number.NaN])('maxBytes %j is refused', (maxBytes) => {
  const route = createClient({ url: 'http://localhost:1' }).route('export');
  expect(() => route.with({ maxBytes: maxBytes as number })).toThrow('maxBytes');
});
