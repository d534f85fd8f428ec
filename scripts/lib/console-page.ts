import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
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

/** Bundles a script of the page into one file, and returns the paths of its modules. */
async function buildScript(input: string, file: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'browser',
    transform: {
      target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
      jsx: { runtime: 'automatic', importSource: 'preact' },
    },
    resolve: { conditionNames: ['browser', 'import'] },
    tsconfig: false,
  });
  const { output } = await bundle.write({ file, format: 'esm', minify: true, comments: false, codeSplitting: false });
  await bundle.close();
  return output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : []));
}

/**
 * Bundles a page of the console into a folder, from a main module with its `index.html` beside it. The reader of decision
 * logs is a script of its own, which a worker loads when a log is opened.
 */
export async function buildPage(main: string, folder: string): Promise<void> {
  const out = join(root, folder);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [{ in: 'src/console/page/styles/console.css', out: 'console' }],
    outdir: folder,
    bundle: true,
    minify: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    logLevel: 'warning',
  });
  const modules = [
    ...(await buildScript(main, join(out, 'console.js'))),
    ...(await buildScript('src/console/page/log/reader/log-worker.ts', join(out, 'log.js'))),
  ];
  await writeFile(join(out, 'LICENSES.txt'), await readLicences(packagesIn(modules)));
  await copyFile(join(root, dirname(main), 'index.html'), join(out, 'index.html'));
  await copyFile(join(page, 'icon.svg'), join(out, 'icon.svg'));
}
