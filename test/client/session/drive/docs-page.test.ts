import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuard, permissionsHandler } from '../../../../dist/guard/index.js';
import { createClient } from '../../../../dist/index.js';
import { listen } from '../../../../dist/mock/adapters/node/index.js';
import { createMock, type Mock, type MockServiceOptions } from '../../../../dist/mock/index.js';
import { root } from '../../../../scripts/lib/exec.ts';
import { scratch } from '../../../../scripts/lib/scratch.ts';
import { browsers } from '../../../console/drive/browsers.ts';
import type { Hands } from '../../../console/drive/hands.ts';
import { isolated } from '../stories.ts';

// A page made of the blocks of the guides alone, as a service behind a mock that is a gateway alone.

/** The block of a guide that has a text. */
function blockOf(guide: string, text: string): string {
  const blocks = [...readFileSync(join(root, 'docs/guides', guide), 'utf8').matchAll(/^```tsx?\n(.*?)^```$/gms)];
  const found = blocks.map(([, code = '']) => code).filter((code) => code.includes(text));
  expect([guide, text, found.length]).toEqual([guide, text, 1]);
  return found.join();
}

const modules = () => ({
  './mount': blockOf('browsers.md', 'export async function mount('),
  './platform': blockOf('views.md', 'export const session ='),
  './view': blockOf('views.md', 'export const Page ='),
});

/** Mounts the page of one guide or the other, or tells the stories. */
const entry = `
const main = document.getElementsByTagName('main')[0];
if (location.hash === '#stories') {
  const { tellStories } = await import(${JSON.stringify(join(root, 'test/client/session/stories.ts'))});
  const functions = Object.assign({}, ...await Promise.all([
    import('arango-services'), import('arango-services/session'), import('arango-services/mock'),
  ]));
  globalThis.told = {};
  for (const store of ['memory', 'sessionStorage', 'localStorage']) told[store] = await tellStories(functions, store);
} else if (location.hash === '#react') {
  const { createElement } = await import('react');
  const { createRoot } = await import('react-dom/client');
  const { Page } = await import('./view');
  const { session } = await import('./platform');
  await session.restore();
  createRoot(main).render(createElement(Page));
} else {
  await (await import('./mount')).mount(main, location.origin);
}
globalThis.isReady = true;`;

async function bundle(): Promise<string> {
  const blocks: Readonly<Record<string, string>> = modules();
  const react = join(await scratch('react@19.3.1', 'react-dom@19.3.1'), 'node_modules');
  const guides: Plugin = {
    name: 'guides',
    setup(builder) {
      builder.onResolve({ filter: /^\.\/(?:mount|platform|view)$/ }, ({ path }) => ({ path, namespace: 'guide' }));
      builder.onLoad({ filter: /.*/, namespace: 'guide' }, ({ path }) => ({
        contents: blocks[path] ?? '',
        loader: 'tsx',
        resolveDir: root,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root },
    bundle: true,
    write: false,
    // Modules without side effects that are imported bare.
    logLevel: 'error',
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [guides],
    alias: {
      ...Object.fromEntries(
        ['session', 'react', 'mock'].map((name) => [`arango-services/${name}`, join(root, `dist/${name}/index.js`)]),
      ),
      'arango-services': join(root, 'dist/index.js'),
      ...Object.fromEntries(['react', 'react-dom'].map((name) => [name, join(react, name)])),
    },
    // The paths of tsconfig.json lead to the modules for Node.
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? '';
}

let mock: Mock;
let url = '';

beforeAll(async () => {
  const allow = (...actions: string[]) => ({
    statements: [{ effect: 'Allow' as const, actions, resources: ['*'] }],
  });
  mock = await createMock({
    users: [{ name: 'alice', password: 'canary-password' }],
    policies: { write: allow('orders:read', 'orders:write') },
    roles: { clerk: { policies: ['write'] } },
    bindings: [{ user: 'alice', role: 'clerk', scope: allow('*') }],
  });
  const guard = createGuard(createClient({ ...mock.connection, database: 'shop' }));
  const answer = permissionsHandler(guard, { actions: ['orders:read', 'orders:write', 'orders:export'] });
  mock.service('orders', { '/permissions': { post: ({ request, body }) => answer.answer(request, body) } });
  const served = (type: string, body: string) => ({ get: () => ({ headers: { 'content-type': type }, body }) });
  const pages: MockServiceOptions = { authentication: 'optional' };
  const html = '<!doctype html><title>page</title><main></main><script type="module" src="page.js"></script>';
  mock.service(
    'page',
    { '/': served('text/html', html), '/page.js': served('text/javascript', await bundle()) },
    pages,
  );
  url = `${(await listen(mock, { gateway: true })).url}/_service/uds/_db/shop/page/`;
});
afterAll(() => mock?.[Symbol.asyncDispose]());

describe.each(browsers.filter((browser) => browser.isInstalled()))('a page from the guides in $name', (browser) => {
  let hands: Hands;
  beforeAll(async () => {
    hands = await browser.open();
  });
  beforeEach(() => mock.requests.clear());
  afterAll(() => hands?.close());

  const text = () => hands.run("return document.getElementsByTagName('main')[0].innerText") as Promise<string>;
  const inputs = () => hands.run("return document.getElementsByTagName('input').length");
  const open = async (hash: string) => {
    await hands.go('about:blank');
    await hands.go(`${url}${hash}`);
  };
  const paths = () => mock.requests.map(({ path }) => path).filter((path) => !path.includes('/page/'));

  test('signs in at the gateway, says a wrong password, and shows the buttons of its user', async () => {
    await open('');
    await expect.poll(inputs).toBe(2);
    for (const password of ['wrong', 'canary-password']) {
      for (const [index, value] of ['alice', password].entries()) {
        await hands.run(`document.getElementsByTagName('input')[${index}].value = ${JSON.stringify(value)}`);
      }
      await hands.run("document.getElementsByTagName('form')[0].requestSubmit()");
      if (password === 'wrong') await expect.poll(text).toContain('wrong name or password');
    }
    await expect.poll(text).toMatch(/^orders:read\s*orders:write$/);
    expect(paths()).toEqual(
      expect.arrayContaining(['/_login', '/_login', '/_service/uds/_db/shop/orders/permissions']),
    );
    expect(paths().filter((path) => path.startsWith('/_integration/authn'))).toEqual([]);
  });

  test('keeps the session for the page of the other guide, which asks once', async () => {
    await open('#react');
    await expect.poll(text).toMatch(/^Orders of alice\s+New order$/);
    expect(paths().filter((path) => path.startsWith('/_service'))).toEqual([
      '/_service/uds/_db/shop/orders/permissions',
    ]);
    expect(paths()).not.toContain('/_login');
  });

  test('the sessions of ten stories do not receive messages of each other', async () => {
    await open('#stories');
    await expect.poll(() => hands.run('return globalThis.isReady === true'), { timeout: 60_000 }).toBe(true);
    const told = await hands.run('return globalThis.told');
    expect(told).toEqual(
      Object.fromEntries(['memory', 'sessionStorage', 'localStorage'].map((store) => [store, isolated])),
    );
  });
});
