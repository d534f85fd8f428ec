import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './exec.ts';

const page = join(root, 'src/console/page');

/** The packages in a bundle, by the paths of its modules. */
function packagesIn(inputs: readonly string[]): string[] {
  const names = inputs.map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

async function readLicences(packages: readonly string[]): Promise<string> {
  const texts = packages.map(async (name) => {
    const folder = join(root, 'node_modules', name);
    // The cast: npm's own format.
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    const licence = await readFile(join(folder, 'LICENSE'), 'utf8').catch(() =>
      readFile(join(folder, 'LICENSE.md'), 'utf8'),
    );
    return `${name} ${version}\n\n${licence.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(72)}\n\n`);
}

/**
 * Bundles a page of the console into a folder, from a main module with its `index.html` beside it. The reader of decision
 * logs is a script of its own, which a worker loads when a log is opened.
 */
export async function buildPage(main: string, folder: string): Promise<void> {
  const out = join(root, folder);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: main, out: 'console' },
      { in: 'src/console/page/styles/console.css', out: 'console' },
      { in: 'src/console/page/log/reader/log-worker.ts', out: 'log' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  await writeFile(join(out, 'LICENSES.txt'), await readLicences(packagesIn(Object.keys(metafile.inputs))));
  await copyFile(join(root, dirname(main), 'index.html'), join(out, 'index.html'));
  await copyFile(join(page, 'icon.svg'), join(out, 'icon.svg'));
}
