import { expect, test } from 'vitest';
import { oldestNode } from '../../scripts/lib/scratch.ts';
import { serveBytes, serveRaw } from '../support/server.ts';
import { endOf, startProgram } from './programs.ts';

const askAll = `
import { createClient } from './src/index.ts';
import { nodeTransport } from './src/client/node/index.ts';
const { places, over } = JSON.parse(process.argv[2]);
const ends = {};
for (const [name, url] of Object.entries(places)) {
  const transport = over === 'nodeTransport' ? nodeTransport() : undefined;
  const client = createClient({ url, transport, timeout: 900_000 });
  ends[name] = await client.route('x').get().then(() => 'answered', (error) => error.cause?.code ?? error.message);
  await client.close();
}
console.log(JSON.stringify(ends));
`;

const ok = 'HTTP/1.1 200 OK\r\n';
const malformed = {
  'no status line': 'HELLO\r\n\r\n',
  'an unknown version': 'HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n',
  'a malformed header': `${ok}bad header\r\n\r\n`,
  'a malformed chunk': `${ok}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`,
  'two lengths': `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
  'long headers': `${ok}x: ${'y'.repeat(600_000)}\r\ncontent-length: 0\r\n\r\n`,
};
const invalid = Object.fromEntries(Object.keys(malformed).map((name) => [name, 'HPE_']));
/** The start of each code; each answer is asked for once, but for a broken connection. */
const usual = { ...invalid, 'long headers': 'UND_ERR_HEADERS_OVERFLOW', 'long JSON': 'ERR_STRING_TOO_LONG' };

/** JSON of more than 512 MiB. */
const serveLong = (onAsked: () => void) =>
  serveRaw((_request, response) => {
    onAsked();
    response.writeHead(200, { 'content-type': 'application/json' });
    const block = Buffer.alloc(16 * 1_048_576, ' ');
    let left = 33;
    const more = (): void => {
      while (left-- > 0) if (!response.write(block)) return void response.once('drain', more);
      response.end('1');
    };
    more();
  });

// Bun reads longer headers and texts, and takes an answer that is not HTTP for a reset; so does Deno for a chunk.
test.each([
  ['Node', 'fetch', {}],
  ['Node', 'nodeTransport', {}],
  [`Node ${oldestNode}`, 'fetch', {}],
  [`Node ${oldestNode}`, 'nodeTransport', {}],
  ['Bun', 'fetch', { 'no status line': 'ECONNRESET', 'long headers': 'answered', 'long JSON': 'answered' }],
  ['Bun', 'nodeTransport', { 'long JSON': 'answered' }],
  ['Deno', 'fetch', { 'a malformed chunk': 'ECONNRESET' }],
  ['Deno', 'nodeTransport', {}],
])(
  'in %s, over %s, what would fail again is asked for once',
  async (runtime, over, different) => {
    const asked: Record<string, number> = {};
    const count = (name: string) => {
      asked[name] = (asked[name] ?? 0) + 1;
    };
    const places: Record<string, string> = {};
    for (const [name, answer] of Object.entries(malformed)) {
      const server = await serveBytes((socket) => {
        count(name);
        socket.end(answer);
      });
      places[name] = server.url;
    }
    places['long JSON'] = (await serveLong(() => count('long JSON'))).url;
    const { status, errors, output } = await endOf(await startProgram(runtime, askAll, { places, over }));
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    const ends: Record<string, string> = JSON.parse(output);
    for (const [name, code] of Object.entries({ ...usual, ...different })) {
      expect([name, ends[name]]).toEqual([name, expect.stringMatching(`^${code}`)]);
      expect([name, asked[name]]).toEqual([name, code === 'ECONNRESET' ? 3 : 1]);
    }
  },
  120_000,
);

/** A service that answers, or ends its answer, after 320 s. */
const serveSlow = (begins: boolean, onAsked: () => void) =>
  serveRaw((_request, response) => {
    onAsked();
    if (begins) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    setTimeout(() => response.end(begins ? '}' : '{}'), 320_000).unref();
  });

test('fetch of Node waits 300 s and asks once; nodeTransport, Bun and Deno get the answer', async () => {
  const ways = [
    ['Node', 'fetch'],
    [`Node ${oldestNode}`, 'fetch'],
    ['Node', 'nodeTransport'],
    ['Bun', 'fetch'],
    ['Deno', 'fetch'],
  ] as const;
  const all = ways.flatMap(([runtime, over]) => [true, false].map((begins) => ({ runtime, over, begins })));
  const ends = all.map(async ({ runtime, over, begins }) => {
    let asked = 0;
    const { url } = await serveSlow(begins, () => asked++);
    const { output } = await endOf(await startProgram(runtime, askAll, { places: { url }, over }), undefined, 600_000);
    return [runtime, over, begins, JSON.parse(output).url, asked];
  });
  const code = (begins: boolean) => `UND_ERR_${begins ? 'BODY' : 'HEADERS'}_TIMEOUT`;
  const isLimited = (runtime: string, over: string) => runtime.startsWith('Node') && over === 'fetch';
  expect(await Promise.all(ends)).toEqual(
    all.map(({ runtime, over, begins }) => [
      runtime,
      over,
      begins,
      isLimited(runtime, over) ? code(begins) : 'answered',
      1,
    ]),
  );
}, 700_000);
