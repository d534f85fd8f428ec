import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { execBin, root } from '../../../scripts/lib/exec.ts';
import { listen } from '../../../src/console/mock/node.ts';
import * as main from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';

// The blocks of docs/guides/servers.md for frameworks that are not installed: over doubles of what they import.

const platformFile = join(root, 'examples/next-app/app/platform.ts');
const guide = readFileSync(join(root, 'docs/guides/servers.md'), 'utf8');
const blocks = [
  ...guide.matchAll(/^```ts\n(\/\/ not checked: [^\n]* is not a dependency; a test runs it\n.*?)^```$/gms),
].map(([, code = '']) => code);
const blockWith = (text: string) => blocks.find((code) => code.includes(text)) ?? '';

let mock: Mock;
let platform: object;
beforeAll(async () => {
  const allow = (action: string) => ({
    statements: [{ effect: 'Allow' as const, actions: [action], resources: ['*'] }],
  });
  mock = await createMock({
    policies: { write: allow('orders:write') },
    roles: { clerk: { policies: ['write'] } },
    bindings: [{ user: 'alice', role: 'clerk', scope: allow('*') }],
  });
  vi.stubEnv('ARANGO_URL', (await listen(mock, { port: 0 })).url);
  platform = await run(readFileSync(platformFile, 'utf8'), { 'arango-services': main });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await mock?.[Symbol.asyncDispose]();
});

/** Runs a block, whose imports and globals are doubles. Returns its exports. */
async function run(code: string, modules: object, globals: Readonly<Record<string, unknown>> = {}) {
  const { code: script } = await transform(code, { loader: 'ts', format: 'cjs' });
  const module = { exports: {} as never };
  const require = (name: string) => ({ '../platform.ts': platform, ...modules })[name];
  new Function('module', 'exports', 'require', ...Object.keys(globals), script)(
    module,
    module.exports,
    require,
    ...Object.values(globals),
  );
  return module.exports;
}

/** The permissions that each caller gets: by the gateway's token, by the cookie of a login, and none. */
async function callers(): Promise<readonly (readonly [string, Headers, unknown])[]> {
  const [alice, bob] = await Promise.all(['alice', 'bob'].map((user) => mock.tokens.issue({ user })));
  const of = (user: string) => ({
    user,
    at: expect.any(Number),
    items: [{ action: 'orders:write', resource: 'orders', allowed: user === 'alice' }],
  });
  return [
    ['the gateway', new Headers({ authorization: `bearer ${alice}` }), of('alice')],
    ['a cookie', new Headers({ cookie: `theme=dark; X-ArangoDB-Token-JWT=${bob}` }), of('bob')],
    ['a cookie that is forged', new Headers({ cookie: 'X-ArangoDB-Token-JWT=forged' }), undefined],
    ['nothing', new Headers(), undefined],
  ];
}

test('React Router: the loader reads the permissions of its caller, and the middleware asks for a token', async () => {
  const redirect = (to: string) => Object.assign(new Error('redirect'), { to });
  const route = (await run(blockWith("from 'react-router'"), { 'react-router': { redirect } })) as {
    readonly middleware: readonly ((given: { request: Request }) => void)[];
    loader(given: { request: Request }): Promise<unknown>;
    headers(): unknown;
  };
  for (const [name, headers, initial] of await callers()) {
    const given = { request: new Request('http://page.test/orders', { headers }) };
    expect([name, await route.loader(given)]).toEqual([name, { initial }]);
    const pass = () => route.middleware.map((one) => one(given));
    if (name === 'nothing') expect(pass).toThrow(expect.objectContaining({ to: '/sign-in' }));
    else pass();
  }
  expect(route.headers()).toEqual({ 'cache-control': 'private, no-store' });
});

test('TanStack Start: a function of the server reads the permissions of its caller', async () => {
  let request = new Request('http://page.test/orders');
  const setResponseHeader = vi.fn();
  const { Route } = (await run(blockWith('createServerFn'), {
    '@tanstack/react-router': { createFileRoute: (path: string) => (options: object) => ({ path, options }) },
    '@tanstack/react-start': { createServerFn: () => ({ handler: (code: () => unknown) => async () => code() }) },
    '@tanstack/react-start/server': { getRequest: () => request, setResponseHeader },
  })) as { readonly Route: { readonly path: string; readonly options: { loader(): Promise<unknown> } } };
  expect(Route.path).toBe('/orders');
  for (const [name, headers, initial] of await callers()) {
    request = new Request('http://page.test/orders', { headers });
    expect([name, await Route.options.loader()]).toEqual([name, { initial }]);
  }
  expect(setResponseHeader.mock.calls).toEqual(Array(4).fill(['cache-control', 'private, no-store']));
});

test('Nuxt: a plugin of the server fills the state of the page', async () => {
  for (const [name, headers, initial] of await callers()) {
    const [states, sent] = [new Map<string, { value?: unknown }>(), new Map<string, { value?: unknown }>()];
    const reference = (all: Map<string, { value?: unknown }>, key: string) => {
      all.set(key, all.get(key) ?? {});
      return all.get(key);
    };
    const plugin = (await run(
      blockWith('defineNuxtPlugin'),
      {},
      {
        defineNuxtPlugin: (code: unknown) => code,
        useRequestHeaders: () => Object.fromEntries(headers),
        useState: (key: string) => reference(states, key),
        useResponseHeader: (key: string) => reference(sent, key),
      },
    )) as { default(): Promise<void> };
    await plugin.default();
    expect([name, states.get('permissions')?.value]).toEqual([name, initial]);
    expect(sent.get('cache-control')?.value).toBe('private, no-store');
  }
});

/** The types of what the blocks import, as far as they use it. */
const doubles = `
declare module 'react-router' { export function redirect(to: string): Response }
declare module '@tanstack/react-router' {
  export function createFileRoute(path: string): <T>(options: { loader: () => Promise<T> }) => { readonly loaded: T };
}
declare module '@tanstack/react-start' {
  export function createServerFn(): { handler<T>(code: () => Promise<T>): () => Promise<T> };
}
declare module '@tanstack/react-start/server' {
  export function getRequest(): Request;
  export function setResponseHeader(name: 'cache-control', value: string): void;
}
declare function defineNuxtPlugin<T>(code: () => T): { readonly code: () => T };
declare function useRequestHeaders(): Record<string, string>;
declare function useState(key: string): { value: unknown };
declare function useResponseHeader(name: string): { value: string | undefined };
`;

test('the blocks compile', async () => {
  expect(blocks.length).toBe(3);
  mkdirSync(join(root, 'reports'), { recursive: true });
  const paths = {
    '#runtime': [join(root, 'src/client/connection/ky-runtime-node.ts')],
    'arango-services': [join(root, 'src/index.ts')],
    'arango-services/session': [join(root, 'src/client/session/index.ts')],
  };
  const folder = mkdtempSync(join(root, 'reports/blocks-'));
  try {
    writeFileSync(join(folder, 'doubles.d.ts'), doubles);
    for (const [index, code] of blocks.entries()) {
      writeFileSync(join(folder, `block-${index}.ts`), code.replace('../platform.ts', platformFile));
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        include: ['*.ts'],
        exclude: [],
        compilerOptions: { paths },
      }),
    );
    expect(await execBin('typescript/bin/tsc', ['-p', folder, '--noEmit'])).toMatchObject({ ok: true, output: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
