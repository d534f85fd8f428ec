import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type * as React from 'react';
import { root } from '../../../scripts/lib/exec.ts';
import { scratch } from '../../../scripts/lib/scratch.ts';
import type * as hooks from '../../../src/client/react/index.ts';

/** The releases that the package promises: the last of 18, and one of 19. */
export const versions = ['18.3.1', '19.3.1'] as const;

/** React's development build of one version, its DOM and its server, with the package's hooks over it. */
export interface Loaded {
  readonly React: typeof React;
  readonly hooks: typeof hooks;
  createRoot(container: Element): Root;
  hydrateRoot(container: Element, view: React.ReactNode, options: { onRecoverableError(error: unknown): void }): Root;
  renderToString(view: React.ReactNode): string;
  renderToReadableStream(
    view: React.ReactNode,
  ): Promise<ReadableStream<Uint8Array> & { readonly allReady: Promise<void> }>;
}

interface Root {
  render(view: React.ReactNode): void;
  unmount(): void;
}

const entry = `
export * as React from 'react';
export { createRoot, hydrateRoot } from 'react-dom/client';
export { renderToReadableStream, renderToString } from 'react-dom/server.browser';
export * as hooks from ${JSON.stringify(join(root, 'src/client/react/index.ts'))};`;

/** Bundles a version of React with the hooks. */
export async function bundleReact(version: string): Promise<string> {
  const modules = join(await scratch(`react@${version}`, `react-dom@${version}`), 'node_modules');
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: modules },
    alias: { react: join(modules, 'react') },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"development"' },
    tsconfigRaw: {},
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Imports such a bundle, each time as a new instance. React looks for a DOM when its module is evaluated. */
export async function importReact(bundle: string): Promise<Loaded> {
  const folder = await mkdtemp(join(root, 'node_modules/.cache/react-'));
  const file = join(folder, 'page.mjs');
  await writeFile(file, bundle);
  try {
    // The cast: the module's text stands above.
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Loaded;
  } finally {
    await rm(folder, { recursive: true });
  }
}
