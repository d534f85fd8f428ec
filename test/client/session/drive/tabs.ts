import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { listen } from '../../../../dist/mock/adapters/node/index.js';
import { createMock } from '../../../../dist/mock/index.js';
import type { Driven } from '../../../console/drive/browsers.ts';
import type { Hands } from '../../../console/drive/hands.ts';
import type { Commands } from './page.ts';

/** A tab of a browser, which runs commands of its page (page.ts) in any number at a time. */
export interface Tab {
  run<C extends keyof Commands>(name: C, ...args: Parameters<Commands[C]>): Promise<Awaited<ReturnType<Commands[C]>>>;
}

/** A browser with tabs of one origin. */
export interface Tabs extends AsyncDisposable {
  readonly hands: Hands;
  readonly tabs: readonly Tab[];
}

async function serve(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Serves the commands of one tab, on a port of its own: browsers open only six connections to one. */
async function startControl() {
  const queue: string[] = [];
  const settlers = new Map<number, (outcome: { value?: unknown; error?: string }) => void>();
  let ask: (() => void) | undefined;
  let count = 0;
  const { server, url } = await serve((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/next') {
      const give = () => void response.end(`[${queue.splice(0).join()}]`);
      if (queue.length > 0) give();
      else ask = give;
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      for (const { id, ...outcome } of JSON.parse(body)) {
        settlers.get(id)?.(outcome);
        settlers.delete(id);
      }
      response.end();
    });
  });
  const run = (name: string, ...args: readonly unknown[]) =>
    new Promise<never>((resolve, reject) => {
      count += 1;
      settlers.set(count, ({ value, error }) => {
        if (error === undefined) resolve(value as never);
        else reject(new Error(`${name}: ${error}`));
      });
      queue.push(JSON.stringify({ id: count, name, args }));
      ask?.();
      ask = undefined;
    });
  return { server, url, tab: { run } satisfies Tab };
}

/** Bundles the page of a tab over a build of the package. */
export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    // The paths of tsconfig.json lead to the modules for Node.
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? '';
}

/** Opens tabs of a browser on one origin, each with the page of page.ts. */
export async function openTabs(browser: Driven, count: number, script: string): Promise<Tabs> {
  const page = await serve(({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>tab</title><script type="module" src="/page.js"></script>');
  });
  const mock = await createMock({
    users: ['alice', 'bob'].map((name) => ({ name, password: `canary-of-${name}` })),
    limits: { log: 100 },
  });
  mock.route('GET', '/_db/:db/whoami', ({ user }) => ({ body: { user } }));
  mock.route('GET', '/_db/:db/refused', () => ({ status: 401, body: {} }));
  const { url } = await listen(mock, { cors: [page.url] });
  const hands = await browser.open();
  const controls = await Promise.all(Array.from({ length: count }, startControl));
  for (const [index, control] of controls.entries()) {
    if (index > 0) await hands.openTab();
    await hands.go(`${page.url}/?mock=${url}&control=${control.url}`);
  }
  return {
    hands,
    tabs: controls.map(({ tab }) => tab),
    async [Symbol.asyncDispose]() {
      await hands.close();
      for (const { server } of [page, ...controls]) {
        server.close();
        server.closeAllConnections();
      }
      await mock[Symbol.asyncDispose]();
    },
  };
}
