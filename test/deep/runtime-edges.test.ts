import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { oldestNode } from '../../scripts/lib/scratch.ts';
import { createAuthority, createSelfSigned } from '../support/certificates.ts';
import { serve, serveBytes } from '../support/server.ts';
import { endOf, startProgram } from './programs.ts';

async function serveTls(options: ServerOptions): Promise<string> {
  const server = createServer(options, (_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A URL whose port was just freed. */
async function freedUrl(): Promise<string> {
  const { url, close } = await serve();
  await close();
  return url;
}

const begun = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"';

const callAll = `
import { createClient } from './src/index.ts';
const codes = {};
for (const [name, url] of Object.entries(JSON.parse(process.argv[2]))) {
  const client = createClient({ url, retry: 0, timeout: 20_000 });
  codes[name] = await client.route('x').get().then(() => 'answered', (error) => error.cause?.code ?? error.message);
  await client.close();
}
console.log(JSON.stringify(codes));
`;

/** Codes that differ by runtime. */
const expected = {
  refused: ['ECONNREFUSED'],
  unknownName: ['ENOTFOUND', 'EAI_AGAIN'],
  reset: ['ECONNRESET'],
  closed: ['ECONNRESET', 'UND_ERR_SOCKET'],
  cutInBody: ['ECONNRESET', 'UND_ERR_SOCKET'],
  noTls: ['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
  // Deno makes no difference between the two.
  selfSigned: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  unknownIssuer: ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  expired: ['CERT_HAS_EXPIRED'],
  early: ['CERT_NOT_YET_VALID'],
};

test.each(['Node', 'Bun', 'Deno'])('in %s the cause of a failure over fetch has a code', async (runtime) => {
  const authority = await createAuthority();
  const cutInBody = (socket: Parameters<Parameters<typeof serveBytes>[0]>[0]) => {
    socket.write(begun, () => setTimeout(() => socket.destroy(), 50));
  };
  const places = {
    refused: await freedUrl(),
    unknownName: 'http://connection-refused.invalid/UnknownIssuer',
    reset: (await serveBytes((socket) => void socket.resetAndDestroy())).url,
    closed: (await serveBytes((socket) => void socket.destroy())).url,
    cutInBody: (await serveBytes(cutInBody)).url,
    noTls: (await serve()).url.replace('http:', 'https:'),
    selfSigned: await serveTls(await createSelfSigned()),
    unknownIssuer: await serveTls(await authority.issue()),
    expired: await serveTls(await authority.issue({ fromDays: -3, toDays: -1 })),
    early: await serveTls(await authority.issue({ fromDays: 3, toDays: 5 })),
  };
  const { status, errors, output } = await endOf(await startProgram(runtime, callAll, places));
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  const codes: Record<string, string> = JSON.parse(output);
  expect(Object.keys(codes)).toEqual(Object.keys(expected));
  for (const [name, accepted] of Object.entries(expected))
    expect([name, accepted]).toContainEqual(accepted.includes(codes[name] ?? '') ? name : codes);
});

const callOnce = `
import { createClient } from './src/index.ts';
import { nodeTransport } from './src/client/node/index.ts';
const { url } = JSON.parse(process.argv[2]);
for (const own of [{}, { transport: nodeTransport() }]) {
  const client = createClient({ url, ...own });
  await client.route('x').get();
  await client.route('x', { 'user-agent': 'billing/2' }).get();
  await client.close();
}
`;

test.each(['Node', 'Bun', 'Deno'])(
  'in %s requests name the package and the runtime, unless the caller names itself',
  async (runtime) => {
    const { url, seen } = await serve();
    expect(await endOf(await startProgram(runtime, callOnce, { url }))).toMatchObject({ status: 0, errors: '' });
    const own = [expect.stringMatching(new RegExp(`^arango-services/\\S+ ${runtime.toLowerCase()}/[\\d.]+$`))];
    const names = [own, ['billing/2']];
    expect(seen.map(({ headers }) => headers.get('user-agent'))).toEqual([...names, ...names]);
  },
);

/** Thirty calls at once to each kind of answer, in memory and over a port; ends with the warnings of the process. */
const manyInFlight = `
import { createClient, credentials } from './src/index.ts';
import { createMock } from './src/mock/index.ts';
import { listen } from './src/console/mock/node.ts';
import { nodeTransport } from './src/client/node/index.ts';

const warnings = [];
process.on('warning', ({ name, message }) => warnings.push(name + ': ' + message));
const mock = await createMock();
const server = await listen(mock);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const own = credentials.bearer(await mock.tokens.issue({ user: 'root' }));
const ends = {};
for (const [way, options] of Object.entries({
  memory: mock.connection,
  fetch: server.connection,
  nodeTransport: { ...server.connection, transport: nodeTransport() },
})) {
  mock.route('GET', '/_db/_system/slow', async () => {
    await wait(200);
    return { body: {} };
  });
  let arrived = 0;
  for (const method of ['GET', 'POST']) mock.route(method, '/_db/_system/hangs', () => new Promise(() => arrived++));
  mock.fail({ path: '/_db/_system/faulty', delayMs: 100, status: 503 });
  const { signal } = new AbortController();
  const client = createClient({ ...options, credentials: own, retry: 0 });
  const ask = (path, more = {}, method = 'GET') =>
    Promise.all(Array.from({ length: 30 }, () =>
      client.route(path).with({ signal, ...more }).request({ method }).then(({ status }) => status, ({ code }) => code)));
  const tell = (name, found) => (ends[way + ' ' + name] = [...new Set(found)].join());
  tell('slow', await ask('slow'));
  tell('faulty', await ask('faulty'));
  tell('timed out', await ask('hangs', { timeout: 100 }));
  arrived = 0;
  // POST, because nodeTransport sends a GET again whose connection had served a request before.
  const cut = ask('hangs', {}, 'POST');
  while (arrived < 30) await wait(10);
  mock.reset();
  tell('reset', await cut);
  await client.close();
}
await server.close();
// Warnings are emitted in a later turn.
await wait(50);
console.log(JSON.stringify({ warnings, ends }));
`;

test(`the mock causes no warning on Node ${oldestNode} with thirty calls in flight`, async () => {
  const { status, errors, output } = await endOf(await startProgram(`Node ${oldestNode}`, manyInFlight, {}));
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  const { warnings, ends } = JSON.parse(output);
  expect(warnings).toEqual([]);
  for (const way of ['memory', 'fetch', 'nodeTransport']) {
    expect(ends).toMatchObject({
      [`${way} slow`]: '200',
      [`${way} timed out`]: 'TIMEOUT',
      [`${way} reset`]: 'NETWORK',
    });
  }
});
