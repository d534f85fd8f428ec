import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, get as httpGet, request as open } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

/** Sends raw text to a port, and returns all that comes back. */
async function sendRaw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let got = '';
  socket.on('data', (data) => {
    got += data;
  });
  await once(socket, 'close');
  return got;
}

test('passes streams on in both directions as they come', async () => {
  const told: string[] = [];
  const server = createServer(async (request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"hello":1}\n');
    for await (const chunk of request) told.push(String(chunk));
    response.end('{"bye":1}\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const folder = await makeFolder();
  const running = await record(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, folder);
  const outgoing = open(`${running.url}/both`, { method: 'POST', headers: { 'content-type': 'text/plain' } });
  outgoing.write('first,');
  const [incoming] = await once(outgoing, 'response');
  let got = '';
  incoming.on('data', (chunk: Buffer) => {
    got += chunk;
  });
  const end = once(incoming, 'end');
  await expect.poll(() => got).toBe('{"hello":1}\n');
  await expect.poll(() => told).toEqual(['first,']);
  outgoing.end('second');
  await end;
  expect(got).toBe('{"hello":1}\n{"bye":1}\n');
  const { out } = await running.stop();
  server.close();
  expect(out).toContain('1 new');
  const [file = ''] = Object.values(await readFiles(folder));
  expect(JSON.parse(file)).toMatchObject({
    request: { text: 'first,second' },
    response: { chunks: [{ text: '{"hello":1}\n' }, { text: '{"bye":1}\n' }] },
  });
});

test('passes an encoded body on as it is, and keeps it decoded; the service is asked for a plain one', async () => {
  const seen: unknown[] = [];
  const service = await serve((request, response) => {
    seen.push(request.headers['accept-encoding'], request.headers.host);
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain', etag: '"1"' };
    response.writeHead(200, headers).end(gzipSync('plain'));
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  const outgoing = open(`${running.url}/`, { headers: { 'accept-encoding': 'gzip, br' } }).end();
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  expect([incoming.headers['content-encoding'], gunzipSync(Buffer.concat(chunks)).toString()]).toEqual([
    'gzip',
    'plain',
  ]);
  await running.stop();
  expect(seen).toEqual(['identity', new URL(service).host]);
  const [file = ''] = Object.values(await readFiles(folder));
  expect(JSON.parse(file).response).toEqual({
    status: 200,
    headers: { 'content-type': 'text/plain', etag: '"1"' },
    text: 'plain',
  });
});

test('an encoded request is compared by its content', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const folder = await makeFolder();
  const running = await record(service, folder);
  const init = { method: 'POST', headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' } };
  await fetch(`${running.url}/`, { ...init, body: gzipSync('{"a":1}', { level: 1 }) });
  await running.stop();
  const { ask } = await play(folder);
  expect((await ask('/', { ...init, body: gzipSync('{"a":1}', { level: 9 }) })).status).toBe(200);
  expect((await ask('/', { ...init, body: gzipSync('{"a":2}') })).status).toBe(501);
});

test('half exchanges are not kept: the client leaves, the service breaks off, does not answer, or is stopped', async () => {
  let hang: (() => void) | undefined;
  const service = await serve((request, response) => {
    if (request.url === '/ok') return response.end('ok');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    if (request.url === '/break') return setTimeout(() => response.destroy(), 20);
    hang?.();
    return undefined;
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  await (await fetch(`${running.url}/ok`)).text();
  await expect(fetch(`${running.url}/break`).then((answer) => answer.text())).rejects.toThrow();
  const leaving = new AbortController();
  const answer = await fetch(`${running.url}/leave`, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  // Still open when the command stops.
  const waiting = new Promise<void>((resolve) => {
    hang = resolve;
  });
  const open = fetch(`${running.url}/open`).then((one) => one.text());
  const cut = expect(open).rejects.toThrow();
  await waiting;
  const { code, out, err } = await running.stop();
  await cut;
  expect(code).toBe(0);
  expect(out).toContain('1 new, 0 changed');
  expect(err).toContain('GET /break is not kept: the service closed the connection before the end');
  expect(err).toContain('GET /leave is not kept: the client left before the end');
  expect(Object.keys(await readFiles(folder))).toEqual(['0001-get-ok.json']);
});

test('a request to a service that cannot be reached gets a 502, and is not recorded', async () => {
  const folder = await makeFolder();
  const running = await record('http://127.0.0.1:1', folder);
  expect((await fetch(`${running.url}/x?token=canary`)).status).toBe(502);
  const { err, code } = await running.stop();
  expect([code, err]).toEqual([0, 'arango-services: GET /x is not kept: the service does not answer (ECONNREFUSED)\n']);
  expect(await readFiles(folder)).toEqual({});
});

test('a body above --max-body is passed on, and not recorded', async () => {
  const service = await serve((_request, response, body) => response.end(body));
  const folder = await makeFolder();
  const running = await record(service, folder, '--max-body', '1000');
  const large = Buffer.alloc(300_000, 7);
  const answer = await fetch(`${running.url}/`, { method: 'PUT', body: large });
  expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true);
  const { err } = await running.stop();
  expect(err).toBe('arango-services: PUT / is not kept: a body has more than 1000 bytes (--max-body)\n');
  expect(await readFiles(folder)).toEqual({});
});

test('keeps repeated headers, statuses without a body, HEAD and redirects of the service itself', async () => {
  const service = await serve((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: `${service}/there` }).end();
    if (request.url === '/none') return response.writeHead(204).end();
    if (request.url === '/other') return response.writeHead(302, { location: 'http://other.test/' }).end();
    return response.writeHead(200, { 'set-cookie': ['a=1; Path=/', 'b=2'], link: ['</1>', '</2>'] }).end('body');
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  const head = await fetch(`${running.url}/head`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  const manual = { redirect: 'manual' } as const;
  expect((await fetch(`${running.url}/moved`, manual)).headers.get('location')).toBe('/there');
  expect((await fetch(`${running.url}/other`, manual)).headers.get('location')).toBe('http://other.test/');
  await fetch(`${running.url}/none`);
  const cookies = await fetch(`${running.url}/cookies`);
  expect([await cookies.text(), cookies.headers.getSetCookie()]).toEqual(['body', ['a=1; Path=/', 'b=2']]);
  await running.stop();
  const { ask, played } = await play(folder);
  expect((await ask('/head', { method: 'HEAD' })).status).toBe(200);
  expect((await ask('/moved', manual)).headers.get('location')).toBe('/there');
  expect((await ask('/none')).status).toBe(204);
  const answer = await ask('/cookies');
  expect([await answer.text(), answer.headers.getSetCookie()]).toEqual(['body', ['a=token-1; Path=/', 'b=token-2']]);
  expect(played.unplayed).toHaveLength(1);
});

test.each([
  ['Host: evil.test', 403],
  ['Host: 127.0.0.1\r\nOrigin: http://evil.test', 403],
  ['Host: 127.0.0.1\r\nOrigin: null', 403],
  ['Host: localhost:1\r\nOrigin: http://localhost:5173', 200],
])('answers pages of this machine only: %s', async (headers, status) => {
  const service = await serve((_request, response) => response.end('ok'));
  const running = await record(service, await makeFolder());
  expect(await sendRaw(running.url, `GET / HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1.1 ${status} `),
  );
});

test('an absolute URL reaches no other server', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const running = await record(service, await makeFolder());
  const raw = 'GET http://other.test/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
  expect(await sendRaw(running.url, raw)).toMatch(/^HTTP\/1.1 400 /);
});

test.each([
  [['--out', 'x'], '--url: is missing'],
  [['--url', 'http://127.0.0.1:1'], '--out: is missing'],
  [['--url', 'http://db.test:1', '--out', 'x'], '--url: expected a loopback address'],
  [['--url', 'http://a:canary@127.0.0.1:1', '--out', 'x'], '--url: expected an origin'],
  [['--url', 'http://127.0.0.1:1', '--out', 'x', '--prune'], '--prune: needs --update'],
  [['--url', 'http://127.0.0.1:1', '--out', 'x', '--max-body', '0'], '--max-body: expected a whole number'],
  [
    ['--url', 'http://127.0.0.1:1', '--out', 'x', '--volatil', 'a'],
    '--volatil: unknown flag (did you mean "--volatile"?)',
  ],
])('refuses %j', async (args, message) => {
  const { inProcess } = await import('../support/in-process.ts');
  const { code, err } = await inProcess(['record', ...args]);
  expect([code, err.includes(message), err.includes('canary')]).toEqual([64, true, false]);
});

test('an answer that comes before the end of the request is passed on, and not kept', async () => {
  const server = createServer((_request, response) => void response.writeHead(413).end('too large'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const folder = await makeFolder();
  const running = await record(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, folder);
  const outgoing = open(running.url, { method: 'PUT' });
  outgoing.on('error', () => {});
  outgoing.write('begin');
  const [incoming] = await once(outgoing, 'response');
  expect(incoming.statusCode).toBe(413);
  incoming.resume();
  await once(incoming, 'end');
  const { err } = await running.stop();
  outgoing.destroy();
  expect(err).toContain('PUT / is not kept: the service answered before the end of the request');
  expect(await readFiles(folder)).toEqual({});
});

test('exchanges that playback could not read are passed on and not kept, so that others can be played', async () => {
  const service = await serve((request, response) => {
    const status = request.url === '/odd' ? 600 : 200;
    response.writeHead(status, ['Content-Type', 'text/plain', 'Constructor', 'a', '__proto__', 'b']).end('ok');
  });
  const folder = await makeFolder();
  const running = await record(service, folder, '--keep-header', 'constructor,__proto__');
  const port = Number(new URL(running.url).port);
  const statusOf = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      httpGet({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      }).on('error', reject);
    });
  expect([await statusOf('/a#b'), await statusOf('/odd'), await statusOf('/fine')]).toEqual([200, 600, 200]);
  const { err } = await running.stop();
  expect(err).toContain('GET /a#b is not kept: its path has a fragment');
  expect(err).toContain('GET /odd is not kept: its status is 600');
  const [file, ...others] = Object.values(await readFiles(folder));
  expect(others).toEqual([]);
  expect(JSON.parse(file ?? '').response.headers).toMatchObject({ constructor: 'a' });
  const { ask } = await play(folder);
  expect((await ask('/fine')).headers.get('constructor')).toBe('a');
});

test('files of other programs in the folder do not number the recordings', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const folder = await makeFolder();
  await writeFile(join(folder, '20261125120000123456-dump.sql'), '');
  const running = await record(service, folder);
  for (let index = 0; index < 2; index += 1) await fetch(`${running.url}/same`);
  await running.stop();
  expect(Object.keys(await readFiles(folder)).filter((name) => name.endsWith('.json'))).toEqual([
    '0001-get-same.json',
    '0002-get-same.json',
  ]);
});
