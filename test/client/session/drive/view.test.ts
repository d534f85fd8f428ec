import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../dist/mock/adapters/node/index.js';
import { createMock, type Mock } from '../../../../dist/mock/index.js';
import { browsers } from '../../../console/drive/browsers.ts';
import type { Hands } from '../../../console/drive/hands.ts';

interface Counts {
  readonly renders: number;
  readonly requests: number;
  readonly blurs: number;
  readonly buttons: number;
}

const installed = browsers.filter((browser) => browser.isInstalled());
let mock: Mock;
let origin: string;
let target: string;
let isRevoked = false;
const server = createServer();

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('view-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    // The paths of tsconfig.json lead to the modules for Node.
    tsconfigRaw: {},
  });
  server.on('request', ({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    const page = '<!doctype html><title>view</title><body></body><script type="module" src="/page.js"></script>';
    response.end(isScript ? outputFiles[0]?.text : page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mock = await createMock();
  mock.route('POST', '/_db/:db/permissions', ({ body }) => ({
    body: {
      items: (body as { items: { resource: string }[] }).items.map(
        ({ resource }) => !(isRevoked && /0$/.test(resource)),
      ),
    },
  }));
  const { url } = await listen(mock, { cors: [origin] });
  const token = await mock.tokens.issue({ user: 'alice' });
  target = `${origin}/?${new URLSearchParams({ mock: url, token, ttl: '200ms' })}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await mock[Symbol.asyncDispose]();
});

describe.each(installed)('permission buttons in $name', (browser) => {
  let hands: Hands;
  const run = (script: string, ...args: unknown[]) => hands.run(`return view.${script}`, ...args);
  const counts = () => run('counts()') as Promise<Counts>;
  const buttons = () => counts().then((now) => now.buttons);
  const requests = () => counts().then((now) => now.requests);

  beforeAll(async () => {
    hands = await browser.open();
  }, 120_000);
  afterAll(() => hands?.close());
  beforeEach(async () => {
    isRevoked = false;
    await hands.go(target);
    await expect.poll(() => hands.run('return document.getElementsByTagName("button").length')).toBe(12);
  });

  test('take one request, and over ten expiries render nothing and keep the focus', async () => {
    const before = await counts();
    // One request for all; each button rendered without its answer and with it.
    expect(before.renders).toBe(24);
    await hands.run('document.getElementById("b7").focus()');
    await expect.poll(requests).toBeGreaterThanOrEqual(before.requests + 10);
    const { renders, blurs } = await counts();
    expect({ renders, blurs, focused: await run('focused()') }).toEqual({ renders: 24, blurs: 0, focused: 'b7' });
  });

  test('that are revoked disappear without a re-render of the others or of the page', async () => {
    await hands.run('document.getElementById("b7").focus()');
    isRevoked = true;
    await expect.poll(buttons).toBe(10);
    expect([(await counts()).renders, await run('focused()')]).toEqual([26, 'b7']);
  });

  test('stay over an outage, and go with invalidate()', async () => {
    const { requests: first } = await counts();
    await run('setDown(true)');
    await expect.poll(requests).toBeGreaterThanOrEqual(first + 2);
    expect((await counts()).renders).toBe(24);
    await run('invalidate()');
    await expect.poll(buttons).toBe(0);
  });

  test('of a hidden page ask nothing, and at once when it is visible', async () => {
    await run('show("hidden")');
    const { requests: before } = await counts();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    // One may have been in flight.
    expect((await counts()).requests - before).toBeLessThanOrEqual(1);
    await run('show("visible")');
    await expect.poll(requests).toBeGreaterThan(before);
    expect((await counts()).renders).toBe(24);
  });
});
