import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type InputOptions, rolldown } from 'rolldown';
import { root } from './exec.ts';
import { scratch } from './scratch.ts';

const routes = "import { createRouteClient } from 'arango-services/routes';";
const ask = "globalThis.asked = client.route('orders').get('open');";
const url = 'url: location.origin';

/** Whole pages by their names. All ask a service for one thing. */
const pages: Readonly<Record<string, string>> = {
  ky: "import ky from 'ky'; globalThis.asked = ky.get('/_db/_system/orders/open').json();",
  arangojs: `import { Database } from 'arangojs'; const client = new Database({ ${url} }); ${ask}`,
  'one route': `${routes} const client = createRouteClient({ ${url} }); ${ask}`,
  '… with a bearer token': `
    ${routes} import { bearer } from 'arango-services/credentials';
    const client = createRouteClient({ ${url}, credentials: bearer('token') }); ${ask}`,
  '… with `login`': `
    ${routes} import { login } from 'arango-services/credentials';
    const user = { username: 'alice', password: 'secret' };
    const client = createRouteClient({ ${url}, credentials: login(user) }); ${ask}`,
  '… with a session and permissions': `
    ${routes} import { createPermissionStore, createSession } from 'arango-services/session';
    const session = createSession({ ${url}, store: 'sessionStorage' });
    const client = createRouteClient({ ${url}, credentials: session }); ${ask}
    globalThis.store = createPermissionStore({ ask: client.service('orders').route('permissions'), session });`,
  '`createClient` of the main entry': `
    import { createClient } from 'arango-services'; const client = createClient({ ${url} }); ${ask}`,
};

/** Bundles a page for a browser and minifies it, each bundler with its own minifier. */
type Bundler = (code: string) => Promise<string>;

const bundlers: Readonly<Record<string, Bundler>> = {
  async rolldown(code) {
    const entry = `${root}page.js`;
    // The page stands nowhere but here.
    const page = {
      name: 'page',
      resolveId: (id: string) => (id === entry ? id : undefined),
      load: (id: string) => (id === entry ? code : undefined),
    };
    const options: InputOptions = { cwd: root, input: entry, platform: 'browser', logLevel: 'silent', plugins: [page] };
    const bundle = await rolldown(options);
    // Without what is loaded on demand, as webpack has it: arangojs imports undici in Node.
    const { output } = await bundle.generate({ minify: true });
    return output[0].code;
  },
  async esbuild(code) {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: root },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      // Not the paths of the clone's tsconfig.json, which name Node's files.
      tsconfigRaw: {},
      write: false,
    });
    return outputFiles[0]?.text ?? '';
  },
  async webpack(code) {
    const modules = join(await scratch('webpack@5.112.2'), 'node_modules');
    const { default: webpack } = await import(pathToFileURL(join(modules, 'webpack/lib/index.js')).href);
    // Beside the package, which the page imports by its name.
    const folder = await mkdtemp(join(root, 'node_modules/.cache/page-'));
    try {
      const entry = join(folder, 'page.mjs');
      await writeFile(entry, code);
      const resolve = { tsconfig: false };
      const config = {
        mode: 'production',
        context: root,
        resolve,
        entry,
        output: { path: folder, filename: 'out.js' },
      };
      await new Promise<void>((done, reject) => {
        webpack(config, (error: unknown, stats: { hasErrors(): boolean; toString(): string } | undefined) =>
          error || stats?.hasErrors() ? reject(error ?? new Error(String(stats))) : done(),
        );
      });
      return await readFile(join(folder, 'out.js'), 'utf8');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

/** The gzipped bytes of each page by each of these bundlers. */
export async function measurePages(names: readonly string[] = Object.keys(bundlers)): Promise<Map<string, number[]>> {
  const sizes = new Map<string, number[]>();
  for (const [page, code] of Object.entries(pages)) {
    const texts = await Promise.all(names.map((name) => (bundlers[name] as Bundler)(code)));
    const bytes = texts.map((text) => gzipSync(text, { level: 9 }).length);
    sizes.set(page, bytes);
  }
  return sizes;
}

/** The table of pages, by all bundlers. */
export function formatPages(sizes: ReadonlyMap<string, readonly number[]>): string {
  const rows = [...sizes].map(
    ([page, all]) => `| ${page} | ${all.map((one) => (one / 1000).toFixed(1)).join(' | ')} |`,
  );
  return [`| page, kB | ${Object.keys(bundlers).join(' | ')} |`, '|---|---|---|---|', ...rows].join('\n');
}

/** The sizes in kB that a table of `formatPages` says. */
export const parsePages = (table: string): Map<string, number[]> =>
  new Map(
    table
      .split('\n')
      .slice(2)
      .map((row) => row.split('|').slice(1, -1))
      .map(([page = '', ...sizes]) => [page.trim(), sizes.map(Number)]),
  );
