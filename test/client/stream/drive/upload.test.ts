import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createServer as createVite, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browsers } from '../../../console/drive/browsers.ts';
import type { Hands } from '../../../console/drive/hands.ts';

const size = 50 * 2 ** 20;
const installed = browsers.filter((browser) => browser.isInstalled());

/** A service over HTTP/1.1, which says what it received, with CORS for every page. */
async function serve(redirectTo: () => string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const { origin = '*', authorization, 'content-type': type } = request.headers;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-headers', 'authorization, content-type');
    response.setHeader('content-type', 'application/json');
    if (request.method === 'OPTIONS') return void response.end();
    const name = request.url?.split('/').at(-1);
    if (name === 'gone') return void request.socket.destroy();
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    // Browsers report progress every 50 ms: a service that read at once would get 50 MB before the first report.
    request.once('data', () => {
      request.pause();
      setTimeout(() => request.resume(), 300);
    });
    request.on('end', () => {
      if (name === 'slow') return;
      if (name === 'moved') response.writeHead(307, { location: '/_db/shop/files/up?canary=1' });
      if (name === 'far') response.writeHead(307, { location: redirectTo() });
      if (name === '413') response.writeHead(413);
      response.end(JSON.stringify({ length, type, authorization: authorization?.slice(0, 6), message: 'too large' }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let service: { server: Server; url: string };
let other: { server: Server; url: string };
let vite: ViteDevServer;
let folder: string;

beforeAll(async () => {
  other = await serve(() => '');
  service = await serve(() => `${other.url}/_db/shop/files/up`);
  folder = await mkdtemp(join(tmpdir(), 'arango-services-upload-'));
  await build({
    entryPoints: [fileURLToPath(new URL('upload-page.ts', import.meta.url))],
    bundle: true,
    outfile: join(folder, 'page.js'),
    format: 'esm',
    platform: 'browser',
    // The paths of tsconfig.json lead to the modules for Node.
    tsconfigRaw: {},
  });
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>upload</title><script type="module" src="/page.js"></script>',
  );
  vite = await createVite({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, hmr: false, proxy: { '/_db': service.url } },
  });
  await vite.listen();
}, 120_000);
afterAll(async () => {
  await vite?.close();
  for (const { server } of [service, other]) {
    server.close();
    server.closeAllConnections();
  }
  await rm(folder, { recursive: true, force: true });
});

const ways = [
  ['another origin over HTTP/1.1', (at: string) => `${at}/?url=${encodeURIComponent(service.url)}`],
  ["the proxy of Vite's dev server", (at: string) => `${at}/`],
] as const;

describe.each(installed.flatMap((browser) => ways.map(([way, pageAt]) => ({ browser, way, pageAt }))))(
  'uploads from $browser.name to $way',
  ({ browser, way, pageAt }) => {
    let hands: Hands;
    const isProxied = way.includes('Vite');
    const outcomeOf = async (name: string): Promise<Record<string, unknown>> => {
      await hands.run('upload(arguments[0])', name);
      await expect
        .poll(() => hands.run('return done[arguments[0]] !== undefined', name), { timeout: 45_000 })
        .toBe(true);
      // The cast: the page keeps an object for each upload.
      return (await hands.run('return done[arguments[0]]', name)) as Record<string, unknown>;
    };

    beforeAll(async () => {
      hands = await browser.open();
      const address = vite.httpServer?.address() as AddressInfo | undefined;
      await hands.go(pageAt(`http://127.0.0.1:${address?.port}`));
      while ((await hands.run('return typeof upload')) !== 'function')
        await new Promise((next) => setTimeout(next, 50));
    }, 120_000);
    afterAll(() => hands?.close());

    test.each(['blob', 'bytes', 'form'])('50 MB as %s arrive, with credentials and growing progress', async (name) => {
      const { status, body, told, isGrowing, last } = await outcomeOf(name);
      const { length, type, authorization } = body as { length: number; type?: string; authorization: string };
      expect([status, authorization, isGrowing]).toEqual([200, 'Bearer', true]);
      expect(told).toBeGreaterThan(1);
      expect(last).toEqual({ bytes: length, total: length });
      if (name === 'form')
        expect([type?.startsWith('multipart/form-data; boundary='), length > size]).toEqual([true, true]);
      else expect([type, length]).toEqual([name === 'blob' ? 'image/x-canary' : undefined, size]);
    });

    test.each([
      ['413', { code: 'HTTP', status: 413, reason: 'too large' }],
      ['moved', { code: 'REDIRECT', status: 0, location: expect.stringMatching(/\/_db\/shop\/files\/up$/) }],
      ['slow', { code: 'TIMEOUT', timeout: 1_000 }],
      ['abort', { code: 'ABORTED' }],
      ['callback', { code: 'UPLOAD', message: expect.not.stringContaining('canary') }],
    ])('%s is the error of any call', async (name, error) => {
      expect(await outcomeOf(name)).toMatchObject({ method: 'POST', ...error });
    });

    test.runIf(!isProxied)(
      'an upload fails at a redirect to another origin, and when its connection breaks',
      async () => {
        expect(await outcomeOf('far')).toMatchObject({
          code: 'REDIRECT',
          status: 0,
          location: expect.stringContaining(other.url),
        });
        expect(await outcomeOf('gone')).toMatchObject({ code: 'NETWORK' });
      },
    );

    test('the error for a stream that the browser refuses suggests uploadWithProgress', async () => {
      const { message, code } = await outcomeOf('stream');
      expect([code, message]).toEqual([
        expect.stringMatching(/^(NETWORK|INVALID_ARGUMENT)$/),
        expect.stringContaining('uploadWithProgress'),
      ]);
    });
  },
);
