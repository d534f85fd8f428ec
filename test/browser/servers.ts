import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';
import { root } from '../../scripts/lib/exec.ts';
import { everyRoute } from '../support/every-route.ts';
import { freePort } from './project.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The mock with CORS for the page's origin. Below `orders`: `slow` never answers, `stalls` stops in mid-body,
     * `moved` redirects.
     */
    serverUrl: string;
    /** The same mock without CORS. */
    closedUrl: string;
    /** A mock of the gateway, with CORS and the host of the page, so that they share cookies. */
    gatewayUrl: string;
    /** A port at which nothing listens. */
    goneUrl: string;
    /** A server that takes requests, and closes the connection without an answer. */
    breakingUrl: string;
    /** The mock's command as a process, with a guarded service, another process, as `orders` behind its gateway. */
    commandUrl: string;
    /** A request for each route of a mock: method and path. */
    routes: readonly (readonly [string, string])[];
  }
}

/** Waits until a process has printed this. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const part of child.stdout ?? []) {
    text += part;
    const [, found] = pattern.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`a process ended before it printed ${pattern}`);
}

/** Starts the mock's command, and the guarded service that it forwards to. */
async function startRunning(cors: readonly string[]): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  const seed = join(folder, 'seed.json');
  const allow = (action: string) => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] });
  const users = { alice: 'canary-password', bob: 'canary-of-bob' };
  writeFileSync(
    seed,
    JSON.stringify({
      users: Object.entries(users).map(([name, password]) => ({ name, password })),
      policies: { read: allow('orders:read'), write: allow('orders:*') },
      roles: { reader: { policies: ['read'] }, writer: { policies: ['write'] } },
      bindings: [
        { user: 'alice', role: 'reader', scope: allow('*') },
        { user: 'bob', role: 'writer', scope: allow('*') },
      ],
    }),
  );
  const children: ChildProcess[] = [];
  const start = (file: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(process.execPath, [join(root, file), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  const service = `orders=http://127.0.0.1:${port}`;
  const args = ['mock', '--port', '0', '--seed', seed, '--service', service, ...cors.flatMap((one) => ['--cors', one])];
  const at = await printed(start('dist/command/index.js', args), /listening on (http:\S+)\n/);
  await printed(start('test/browser/guarded-service.ts', [], { PORT: String(port), PLATFORM_URL: at }), /(listening)/);
  const stop = () => {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true });
  };
  return { url: at.replace('127.0.0.1', 'localhost'), stop };
}

function stalled(): Response {
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"never":')) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

/** Answers preflights only; other requests are taken and their connections closed. */
async function breakConnections(): Promise<{ url: string; close: () => void }> {
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': '*',
    'access-control-allow-methods': '*',
  };
  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
    return request.resume().on('end', () => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Serves the mock on two ports in Node, for the page. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  let posts = 0;
  mock.route('POST', '/_db/:db/orders/posts', () => ({ body: { posts: ++posts } }));
  mock.route('GET', '/_db/:db/orders/posts', () => ({ body: { posts } }));
  mock.route('*', '/_db/:db/orders/slow', () => new Promise<never>(() => {}));
  mock.route('*', '/_db/:db/orders/stalls', stalled);
  mock.route('*', '/_db/:db/orders/moved', () => ({ status: 307, headers: { location: '/elsewhere?secret=1' } }));

  const cors = [`http://localhost:${project.config.api.port}`];
  const open = await listen(mock, { cors });
  const closed = await listen(mock);
  project.provide('serverUrl', open.url);
  project.provide('closedUrl', closed.url);

  const read = { effect: 'Allow', actions: ['orders:read'], resources: ['*'] } as const;
  const platform = await createMock({
    users: [{ name: 'alice', password: 'canary-password' }],
    policies: { read: { statements: [read] } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: [{ ...read, actions: ['*'] }] } }],
  });
  const { port } = new URL((await listen(platform, { cors })).url);
  project.provide('gatewayUrl', `http://localhost:${port}`);
  const running = await startRunning(cors);
  project.provide('commandUrl', running.url);
  const breaking = await breakConnections();
  project.provide('breakingUrl', breaking.url);
  project.provide('goneUrl', `http://127.0.0.1:${await freePort()}`);
  project.provide('routes', (await everyRoute('Native')).all);
  return async () => {
    running.stop();
    breaking.close();
    await mock[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
  };
}
