import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { listen, playback } from '../../../src/mock/adapters/node/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { Running } from '../support/process.ts';
import { makeFolder, readFiles, record, serve } from './support.ts';

const projects = ['hono-service', 'express-service', 'fastify-service', 'contract'] as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Copies the examples to a folder with the packages that they import. */
async function copyExamples(): Promise<string> {
  const folder = await makeFolder();
  for (const name of [...projects, 'shared'])
    await cp(join(root, 'examples', name), join(folder, name), { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of ['hono', '@hono', 'express', 'fastify'])
    await symlink(join(root, 'node_modules', name), join(modules, name));
  await symlink(root, join(modules, 'arango-services'));
  return folder;
}

/** Starts an example as its package.json does. */
async function startExample(folder: string, platform: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const env = { PORT: String(port), ARANGO_URL: platform };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr?.on('data', (text) => {
    err += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => {
    if (child.exitCode !== null) throw new Error(`${folder} ended: ${err}`);
    return fetch(`${url}/health-of-nothing`).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(isUp, { timeout: 60_000, interval: 100 }).toBe(true);
  return { url, child };
}

/** A service with bodies that the examples lack: uploads, bytes, events and lines. */
const openFiles = () =>
  serve(async (request, response, body) => {
    const url = new URL(request.url ?? '/', 'http://files.test');
    const [, kind = '', name = ''] = url.pathname.split('/');
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
    if (kind === 'upload') {
      const form = await new Response(Uint8Array.from(body), {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData();
      const parts = [...form].map(([part, value]) => [part, typeof value === 'string' ? value : value.size]);
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ parts }));
    }
    if (kind === 'bytes') {
      response.setHeader('content-type', 'application/octet-stream');
      return response.end(Buffer.from(Array.from({ length: Number(name) }, (_, i) => (i * 31) % 256)));
    }
    if (kind === 'put') return response.setHeader('x-digest', digest).end();
    response.setHeader('content-type', kind === 'events' ? 'text/event-stream' : 'application/x-ndjson');
    for (let i = 0; i < 3; i += 1) {
      response.write(
        kind === 'events'
          ? `id: ${i}\ndata: {"name":"${name}","i":${i},"text":"ä"}\n\n`
          : `{"i":${i},"name":"${name}"}\n`,
      );
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return response.end();
  });

interface Sent {
  readonly path: string;
  readonly user?: 'alice' | 'bob';
  readonly init?: () => RequestInit;
}

const json =
  (body: unknown, method = 'POST') =>
  (): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The requests to the three services that guard orders: lists, items and writes, granted and refused. */
function orderRequests(): Sent[] {
  const all: Sent[] = [];
  for (const user of ['alice', 'bob', undefined] as const) {
    const who = user && { user };
    for (const path of ['/orders', '/orders/1', '/orders/2', '/orders/3', '/orders/77', '/orders/%C3%A4', '/nowhere'])
      all.push({ path, ...who });
    for (const total of [5, 7.25]) all.push({ path: '/orders', ...who, init: json({ total }) });
    all.push({ path: '/orders?page=1&page=2', ...who }, { path: '/orders/4', ...who });
  }
  return all;
}

function contractRequests(): Sent[] {
  const all: Sent[] = [];
  for (const user of ['alice', 'bob', undefined] as const) {
    const who = user && { user };
    for (const path of ['/orders', '/orders/1', '/orders/01', '/orders/9', '/health']) all.push({ path, ...who });
    all.push({ path: '/orders', ...who, init: json({ total: 3 }) });
    all.push({ path: '/orders/2', ...who, init: () => ({ method: 'DELETE' }) }, { path: '/orders/2', ...who });
  }
  return all;
}

function fileRequests(): Sent[] {
  const user = 'alice';
  return Array.from({ length: 16 }, (_, i): Sent[] => [
    {
      path: '/upload',
      user,
      init: () => {
        const body = new FormData();
        body.set('title', `file ${i}`);
        body.set('file', new Blob([Uint8Array.from({ length: 50 + i }, (_, at) => (at * 7 + i) % 256)]), `${i}.bin`);
        return { method: 'POST', body };
      },
    },
    { path: `/bytes/${i * 1_000}`, user },
    { path: '/put', user, init: () => ({ method: 'PUT', body: Buffer.alloc(5_000 + i, 255 - i) }) },
    { path: `/events/${i}`, user },
    { path: `/lines/${i}`, user, init: json({ a: [i, null, { b: true }] }) },
  ]).flat();
}

interface Seen {
  readonly status: number;
  readonly headers: (string | null)[];
  readonly body: unknown;
}

/** Sends all requests, and returns the answers: JSON as values, other bodies as bytes. */
async function sendAll(base: string, requests: readonly Sent[], tokens: Record<string, string>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { path, user, init } of requests) {
    const { headers, ...rest } = init?.() ?? {};
    const all = new Headers(headers);
    if (user !== undefined) all.set('authorization', `Bearer ${tokens[user]}`);
    const answer = await fetch(base + path, { ...rest, headers: all });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type');
    const names = ['content-type', 'www-authenticate', 'x-digest', 'location'];
    seen.push({
      status: answer.status,
      headers: names.map((name) => answer.headers.get(name)),
      body: type?.includes('application/json') ? JSON.parse(bytes.toString()) : bytes.toString('base64'),
    });
  }
  return seen;
}

const allow = (action: string, resource: string) =>
  ({ statements: [{ effect: 'Allow', actions: [action], resources: [resource] }] }) as const;

async function openPlatform() {
  const mock = await createMock({
    users: [{ name: 'alice' }, { name: 'bob' }],
    policies: { all: allow('*', '*'), open: allow('orders:read', 'order:open:*') },
    roles: { all: { policies: ['all'] }, reader: { policies: ['open'] } },
    bindings: [
      { user: 'alice', role: 'all', scope: allow('*', '*') },
      { user: 'bob', role: 'reader', scope: allow('*', '*') },
    ],
  });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const { url } = await listen(mock);
  return { mock, url };
}

const tokensOf = async (mock: Mock) => ({
  alice: await mock.tokens.issue({ user: 'alice' }),
  bob: await mock.tokens.issue({ user: 'bob' }),
});

test('200 exchanges with the services of the examples are answered without the services', {
  timeout: 180_000,
}, async () => {
  const platform = await openPlatform();
  const tokens = await tokensOf(platform.mock);
  const copies = await copyExamples();
  const services: { name: string; folder: string; requests: Sent[]; before: Seen[] }[] = [];
  const children: ChildProcess[] = [];
  const keep = async (name: string, url: string, requests: Sent[]) => {
    const folder = await makeFolder();
    const document = name === 'contract' ? ['--document', join(root, 'examples/contract/openapi.json')] : [];
    const running = await record(url, folder, ...document);
    const before = await sendAll(running.url, requests, tokens);
    const { out, code } = await running.stop();
    expect([code, out]).toEqual([0, expect.stringContaining(`${requests.length} new, 0 changed`)]);
    services.push({ name, folder, requests, before });
  };
  for (const name of projects) {
    const { url, child } = await startExample(join(copies, name), platform.url);
    children.push(child);
    await keep(name, url, name === 'contract' ? contractRequests() : orderRequests());
  }
  await keep('files', await openFiles(), fileRequests());
  for (const child of children) {
    child.kill();
    await once(child, 'close');
  }
  expect(services.flatMap(({ requests }) => requests).length).toBeGreaterThanOrEqual(200);
  const statuses = new Set(services.flatMap(({ before }) => before.map(({ status }) => status)));
  expect([200, 201, 204, 401, 403, 404].filter((status) => !statuses.has(status))).toEqual([]);

  const { mock, url } = await openPlatform();
  const others = await tokensOf(mock);
  for (const { name, folder, requests, before } of services) {
    for (const text of Object.values(await readFiles(folder)))
      for (const token of Object.values(tokens)) expect(text).not.toContain(token.slice(-20));
    mock.service(name, {}, { authentication: 'optional' });
    using played = await playback(mock, name, folder, { order: 'recorded' });
    const after = await sendAll(`${url}/_service/uds/_db/shop/${name}`, requests, others);
    expect([name, after]).toEqual([name, before]);
    expect(played.unplayed).toEqual([]);
  }
});

test('the suite of an example passes with what its service answered, when the service is gone', {
  timeout: 180_000,
}, async () => {
  const copies = await copyExamples();
  for (const name of ['vitest', '@cfworker']) {
    await symlink(join(root, 'node_modules', name), join(copies, 'node_modules', name));
  }
  const folder = join(copies, 'contract');
  await rm(join(folder, 'recordings'), { recursive: true });
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Running(process.execPath, args, folder, { PATH: process.env.PATH ?? '', ...env });
  const command = (...args: string[]) => run([join(root, 'dist/command/index.js'), ...args]);
  const suite = async (env?: Readonly<Record<string, string>>) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { code, out, err } = await run([vitest, 'run', 'test/recorded.test.ts'], env).ended();
    return { code, output: out + err };
  };
  const addressOf = async (running: Running) => (await running.printed(/http:\/\/127\.0\.0\.1:\d+/))[0];

  const platform = await addressOf(command('mock', '--port', '0', '--seed', 'seed.json'));
  const { url, child } = await startExample(folder, platform);
  const recorder = command('record', '--url', url, '--out', 'recordings', '--document', 'openapi.json', '--port', '0');
  const recorded = await suite({ ORDERS_URL: await addressOf(recorder) });
  expect(recorded, recorded.output).toMatchObject({ code: 0 });
  recorder.child.kill('SIGINT');
  expect(await recorder.ended()).toMatchObject({ code: 0, out: expect.stringContaining('4 new, 0 changed') });
  // The recordings of the example are those that its README makes.
  expect(await readFiles(join(folder, 'recordings'))).toEqual(
    await readFiles(join(root, 'examples/contract/recordings')),
  );

  child.kill();
  await once(child, 'close');
  const played = await suite();
  expect(played, played.output).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'recordings', '0001-get-orders-id.json'), '{}');
  expect(await suite()).toMatchObject({ code: 1, output: expect.stringContaining('0001-get-orders-id.json') });
});
