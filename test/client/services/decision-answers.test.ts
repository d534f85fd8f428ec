import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { type Client, createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const mostBytes = 1_048_576;
const item = { action: 'orders:read', resource: 'order:7' };
const json = { 'content-type': 'application/json' };
const verdict = { isValid: true, details: { lifetime: '1s', user: 'alice', groups: [] } };

/** The calls whose responses are decisions. */
const calls: readonly (readonly [string, object, (client: Client) => Promise<unknown>])[] = [
  ['evaluate', { effect: 'Allow' }, ({ authorization }) => authorization.evaluate({ user: 'alice', ...item })],
  ['evaluate-token', { effect: 'Allow' }, ({ authorization }) => authorization.evaluate({ token: 't', ...item })],
  [
    'evaluate-many',
    { effect: 'Allow', items: [{ effect: 'Allow' }] },
    ({ authorization }) => authorization.evaluateMany({ user: 'alice', items: [item] }),
  ],
  [
    'evaluate-token-many',
    { effect: 'Allow', items: [{ effect: 'Allow' }] },
    ({ authorization }) => authorization.evaluateMany({ token: 't', items: [item] }),
  ],
  ['checkSelf', { effect: 'Allow' }, ({ authorization }) => authorization.checkSelf(item)],
  ['validate', verdict, ({ authentication }) => authentication.validate('t')],
];

/** A decision with this many bytes. */
function padded(body: object, bytes: number): string {
  const text = JSON.stringify({ ...body, more: '' });
  return text.replace('"more":""', `"more":"${'x'.repeat(bytes - text.length)}"`);
}

describe.each(calls)('%s', (_name, body, call) => {
  const text = JSON.stringify(body);
  test.each<[string, () => Response]>([
    ['JSON', () => new Response(text, { headers: json })],
    ['problem JSON', () => new Response(text, { headers: { 'content-type': 'application/x+json; charset=utf-8' } })],
    ['1 MiB', () => new Response(padded(body, mostBytes), { headers: json })],
    ['a byte order mark', () => new Response(`\ufeff${text}`, { headers: json })],
  ])('%s is a decision', async (_kind, answer) => {
    expect(await call(clientOver(answer).client)).toMatchObject(body === verdict ? { valid: true } : { allowed: true });
  });

  test.each<[string, () => Response, string]>([
    ['JSON as text', () => new Response(text, { headers: { 'content-type': 'text/plain' } }), 'PARSE'],
    ['JSON as HTML', () => new Response(text, { headers: { 'content-type': 'text/html' } }), 'PARSE'],
    ['JSON as bytes', () => new Response(new TextEncoder().encode(text)), 'PARSE'],
    ['status 201', () => new Response(text, { status: 201, headers: json }), 'SCHEMA'],
    ['status 203', () => new Response(text, { status: 203, headers: json }), 'SCHEMA'],
    ['status 206', () => new Response(text, { status: 206, headers: json }), 'SCHEMA'],
    ['status 204', () => new Response(null, { status: 204 }), 'SCHEMA'],
    ['status 304', () => new Response(null, { status: 304 }), 'SCHEMA'],
    ['a byte more than 1 MiB', () => new Response(padded(body, mostBytes + 1), { headers: json }), 'SCHEMA'],
    [
      'a body longer than its content-length',
      () => new Response(padded(body, mostBytes + 1), { headers: { ...json, 'content-length': '50' } }),
      'SCHEMA',
    ],
  ])('%s is not a decision', async (_kind, answer, code) => {
    expect(await failureOf(call(clientOver(answer).client))).toMatchObject({ code });
  });
});

test('an endless response is given up at the limit, and its body is cancelled', async () => {
  let given = 0;
  let cancelled = false;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        given += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
      cancel() {
        cancelled = true;
      },
    });
  const { client } = clientOver(() => new Response(endless(), { headers: json }));
  const error = await failureOf(client.authorization.evaluate({ user: 'alice', ...item }));
  expect(error).toMatchObject({ code: 'SCHEMA', message: expect.stringContaining('1048576 bytes') });
  expect(given).toBeLessThan(2 * mostBytes);
  expect(cancelled).toBe(true);
});

describe.each<[string, () => object]>([
  ['fetch', () => ({})],
  ['nodeTransport', () => ({ transport: nodeTransport() })],
])('over a port with %s', (_name, options) => {
  test.each<[string, Buffer, Record<string, string>]>([
    ['a compressed bomb', gzipSync(padded({ effect: 'Allow' }, 4 * mostBytes)), { 'content-encoding': 'gzip' }],
    ['a length beyond the limit', Buffer.from(padded({ effect: 'Allow' }, 2 * mostBytes)), {}],
  ])('%s is not a decision, and the guard answers 503', async (_kind, body, headers) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { ...json, ...headers, 'content-length': body.length }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}`, retry: 0, ...options() });
    try {
      expect(await failureOf(client.authorization.evaluate({ user: 'alice', ...item }))).toMatchObject({
        code: 'SCHEMA',
      });
      const access = await createGuard(client).check({ authorization: 'Bearer t' }, item);
      expect(access).toMatchObject({ allowed: false, status: 503, cause: { code: 'SCHEMA' } });
    } finally {
      await client.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
