import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { serveBytes, serveRaw } from '../../support/server.ts';
import { isRelease } from '../../support/thorough.ts';
import { transports } from '../../support/transports.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const malformed: readonly (readonly [what: string, answer: string, code: RegExp])[] = [
  ['no status line', 'HELLO\r\n\r\n', /^HPE_/],
  ['an unknown version', 'HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n', /^HPE_/],
  ['a malformed header', `${ok}bad header\r\n\r\n`, /^HPE_/],
  ['a malformed chunk', `${ok}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`, /^HPE_/],
  ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, /^HPE_/],
  ['too long headers', `${ok}x: ${'y'.repeat(200_000)}\r\ncontent-length: 0\r\n\r\n`, /^UND_ERR_HEADERS_OVERFLOW$/],
];

describe.each(transports)('A failure that would repeat itself, over $name', ({ name: _, ...way }) => {
  test.each(malformed)('%s is asked for once', async (_what, answer, code) => {
    let asked = 0;
    const server = await serveBytes((socket) => {
      asked++;
      socket.end(answer);
    });
    const failure = await failureOf(
      createClient({ url: server.url, ...way })
        .route()
        .get(),
    );
    expect(failure).toMatchObject({ code: 'NETWORK', cause: { code: expect.stringMatching(code) } });
    expect(asked).toBe(1);
  });

  test('an answer that was cut is asked for three times', async () => {
    let asked = 0;
    const server = await serveBytes((socket) => {
      asked++;
      socket.end(`${ok}content-length: 10\r\n\r\nab`);
    });
    await failureOf(
      createClient({ url: server.url, ...way })
        .route()
        .get(),
    );
    expect(asked).toBe(3);
  });
});

// Half a gigabyte for each transport: over one of each engine, for a release.
test.runIf(isRelease).each(transports.filter(({ name }) => name === 'global fetch' || name === 'nodeTransport'))(
  'JSON of more than 512 MiB is asked for once, over $name',
  async ({ name: _, ...way }) => {
    let asked = 0;
    const block = Buffer.alloc(16 * 1_048_576, ' ');
    const server = await serveRaw((_request, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'application/json' });
      let left = 33;
      const more = (): void => {
        while (left-- > 0) if (!response.write(block)) return void response.once('drain', more);
        response.end('1');
      };
      more();
    });
    const failure = await failureOf(
      createClient({ url: server.url, ...way })
        .route()
        .get(),
    );
    expect(failure).toMatchObject({ code: 'NETWORK', cause: { code: 'ERR_STRING_TOO_LONG' } });
    expect(asked).toBe(1);
  },
  60_000,
);

// Node's fetch takes the agent of the undici that package.json names, not of every other version.
test.skipIf(process.env.UNDICI !== undefined).each([
  ['a response', false, 'UND_ERR_HEADERS_TIMEOUT'],
  ['the next byte', true, 'UND_ERR_BODY_TIMEOUT'],
])(
  'a service that is slower than fetch waits for %s is asked once, and the error says what helps',
  async (_, begins, code) => {
    const { Agent } = await import('undici');
    // The limits of Node's own fetch are 300 s.
    const dispatcher = new Agent({ headersTimeout: 50, bodyTimeout: 50 });
    let asked = 0;
    const server = await serveRaw((_request, response) => {
      asked++;
      if (begins) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    // The cast: Node's fetch takes a dispatcher.
    const fetch = (url: string, init: RequestInit) => globalThis.fetch(url, { ...init, dispatcher } as RequestInit);
    const failure = await failureOf(createClient({ url: server.url, fetch, timeout: 900_000 }).route().get());
    expect(failure).toMatchObject({ code: 'NETWORK', cause: { code } });
    expect(failure.message).toMatch(/300 s.*nodeTransport/);
    expect(asked).toBe(1);
    await dispatcher.destroy();
  },
);
