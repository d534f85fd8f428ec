import { once } from 'node:events';
import { mkdir, readdir, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as open } from 'node:http';
import { createServer as createH2 } from 'node:http2';
import { createServer as createTcp, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

async function listening(server: Pick<Server, 'address' | 'close' | 'once' | 'listen'>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  ['a request', { body: nested(201) }, '"ok"', 'application/json'],
  ['an answer', {}, `{"a":${nested(200)}}`, 'application/json'],
  ['lines', {}, `{}\n${nested(201)}\n`, 'application/x-ndjson'],
  ['events', {}, `data: ${nested(30_000)}\n\n`, 'text/event-stream'],
])(
  'JSON of more than 200 levels in %s is not kept, and a warning says so',
  async (_, { body }: { body?: string }, text, type) => {
    const service = await serve((_request, response) => response.setHeader('content-type', type).end(text));
    const folder = await makeFolder();
    const running = await record(service, folder);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${running.url}/a`, body === undefined ? {} : { method: 'POST', headers, body });
    expect(await answer.text()).toBe(text);
    expect(await running.stop()).toMatchObject({ code: 0, err: expect.stringContaining('more than 200 levels') });
    expect(await readFiles(folder)).toEqual({});
  },
);

test('JSON of 200 levels comes back as it was', async () => {
  const text = nested(200);
  const service = await serve((_request, response) => response.setHeader('content-type', 'application/json').end(text));
  const folder = await makeFolder();
  const running = await record(service, folder);
  await (await fetch(`${running.url}/a`, { method: 'POST', body: text })).text();
  await running.stop();
  const { ask } = await play(folder);
  expect(JSON.stringify(await (await ask('/a', { method: 'POST', body: text })).json())).toBe(text);
});

test('a service of HTTP/2 only is a 502, which a warning explains', async () => {
  const sessions = new Set<{ destroy(): void }>();
  const server = createH2((_request, response) => response.end('h2'));
  server.on('session', (session) => sessions.add(session));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
  });
  const running = await record(await listening(server), await makeFolder());
  expect((await fetch(`${running.url}/a`)).status).toBe(502);
  const { err } = await running.stop();
  expect(err).toContain('HTTP/1.1');
});

test('a service that does not speak HTTP is a 502', async () => {
  const server = createTcp((socket) => socket.on('error', () => {}).end('220 mail.test ESMTP\r\n'));
  const running = await record(await listening(server), await makeFolder());
  expect((await fetch(`${running.url}/a`)).status).toBe(502);
  expect((await running.stop()).err).toContain('HTTP/1.1');
});

test('Expect: 100-continue, early hints and trailers: the body and the final answer are kept', async () => {
  const server = createServer(async (request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(200, { 'content-type': 'text/plain', trailer: 'x-sum' });
    response.write(`got ${Buffer.concat(chunks)}`);
    response.addTrailers({ 'x-sum': '4711' });
    response.end();
  });
  const folder = await makeFolder();
  const running = await record(await listening(server), folder);
  const outgoing = open(`${running.url}/a`, {
    method: 'PUT',
    headers: { expect: '100-continue', 'content-length': 4 },
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.end('body');
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of incoming ?? []) text += chunk;
  expect(text).toBe('got body');
  await running.stop();
  const { ask } = await play(folder);
  expect(await (await ask('/a', { method: 'PUT', body: 'body' })).text()).toBe('got body');
});

test('bodies far above --max-body pass in both directions, and are not kept', async () => {
  const size = 64 * 1_048_576;
  const block = Buffer.alloc(1_048_576, 'x');
  let received = 0;
  const server = createServer(async (request, response) => {
    for await (const chunk of request) received += chunk.length;
    for (let sent = 0; sent < size; sent += block.length) if (!response.write(block)) await once(response, 'drain');
    response.end();
  });
  const folder = await makeFolder();
  const running = await record(await listening(server), folder);
  const outgoing = open(`${running.url}/big`, { method: 'POST' });
  for (let sent = 0; sent < size; sent += block.length) if (!outgoing.write(block)) await once(outgoing, 'drain');
  outgoing.end();
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  let got = 0;
  for await (const chunk of incoming ?? []) {
    got += chunk.length;
  }
  expect([received, got]).toEqual([size, size]);
  expect((await running.stop()).err).toContain('--max-body');
  expect(await readFiles(folder)).toEqual({});
});

test('--out may be a link to a folder with foreign files, which stay', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const [folder, other] = [await makeFolder(), await makeFolder()];
  await writeFile(join(other, 'README.md'), 'mine');
  await mkdir(join(other, 'nested.json'));
  const link = join(folder, 'link');
  await symlink(other, link);
  const refused = await inProcess(['record', '--url', service, '--out', link, '--port', '0']);
  expect(refused).toMatchObject({ code: 64, err: expect.stringContaining('nested.json') });
  await rmdir(join(other, 'nested.json'));
  const running = await record(service, link);
  await (await fetch(`${running.url}/a`)).text();
  expect(await running.stop()).toMatchObject({ code: 0 });
  expect(await readdir(other)).toEqual(['0001-get-a.json', 'README.md']);
});

test('a folder that goes away during the run is an error with its reason, and nothing of a body', async () => {
  const service = await serve((_request, response) => response.end('canary-4711'));
  const folder = await makeFolder();
  const inside = join(folder, 'inside');
  const running = await record(service, inside);
  await (await fetch(`${running.url}/canary-path`)).text();
  await rm(inside, { recursive: true });
  await writeFile(inside, 'a file');
  const { code, err, out } = await running.stop();
  expect(code).toBe(1);
  expect(err).not.toBe('');
  expect(err + out).not.toContain('canary');
});

test('an unmatched request is shown without segments that look like keys', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const folder = await makeFolder();
  const running = await record(service, folder);
  await (await fetch(`${running.url}/a`)).text();
  await running.stop();
  const { ask, played } = await play(folder);
  const secret = '8f3ab2c94d7e6f10aa8f3ab2c94d7e6f10bb';
  const answer = await ask(`/reset/${secret}?token=${secret}`, {
    method: 'POST',
    body: JSON.stringify({ [secret]: secret }),
  });
  expect([answer.status, await answer.text()]).toEqual([501, expect.not.stringContaining(secret.slice(0, 12))]);
  expect(() => played.check()).toThrow('POST /reset/…: the nearest recording is 0001-get-a.json');
});

test('an unmatched request is shown without the value that a secret of the recordings has now', async () => {
  const service = await serve((_request, response) => response.end('ok'));
  const folder = await makeFolder();
  const running = await record(service, folder);
  await (await fetch(`${running.url}/a?token=first-one`)).text();
  await running.stop();
  const { ask, played } = await play(folder);
  const secret = 'secret of now';
  expect((await ask(`/a?token=${encodeURIComponent(secret)}`)).status).toBe(200);
  const answer = await ask(`/b/${encodeURIComponent(secret)}/${Buffer.from(secret).toString('hex')}?token=x`);
  expect([answer.status, await answer.text()]).toEqual([501, expect.not.stringContaining('of%20now')]);
  expect(() => played.check()).toThrow(/GET \/b\/[^/:]{1,12}\/[^/:]{1,12}: the nearest recording is 0001-get-a.json/);
});

test('recordings that were used up answer with the last one, and in order not at all', async () => {
  let count = 0;
  const service = await serve((_request, response) => response.end(String(++count)));
  const folder = await makeFolder();
  const running = await record(service, folder);
  for (let i = 0; i < 2; i += 1) await (await fetch(`${running.url}/a`)).text();
  await running.stop();
  const texts = async (order: 'any' | 'recorded') => {
    const { ask, played } = await play(folder, { order });
    const answers: string[] = [];
    for (let i = 0; i < 3; i += 1) answers.push(await (await ask('/a')).text());
    return { answers, unplayed: played.unplayed, played };
  };
  expect(await texts('any')).toMatchObject({ answers: ['1', '2', '2'], unplayed: [] });
  const inOrder = await texts('recorded');
  expect(inOrder.answers.slice(0, 2)).toEqual(['1', '2']);
  expect(() => inOrder.played.check()).toThrow('GET /a: no recording is left');
});

test('parallel requests get each recording once', async () => {
  const service = await serve((request, response) => response.end(request.url));
  const folder = await makeFolder();
  const running = await record(service, folder);
  const paths = Array.from({ length: 20 }, (_, i) => `/items/${i}`);
  await Promise.all(paths.map(async (path) => (await fetch(running.url + path)).text()));
  await running.stop();
  const { ask, played } = await play(folder);
  const answers = await Promise.all(paths.map(async (path) => (await ask(path)).text()));
  expect(answers).toEqual(paths);
  expect(played.unplayed).toEqual([]);
});
