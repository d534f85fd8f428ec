// Checks the packed tarball as a user meets it: install, import, types, bundle, command, size. Exit 1 with the failures.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleForBrowser, findUnwanted } from './lib/bundle.ts';
import { compareBundlers } from './lib/bundlers.ts';
import { Checks } from './lib/checks.ts';
import { findContentFaults, listContent } from './lib/content.ts';
import { exec, execBin, root } from './lib/exec.ts';
import { runFirstBlock } from './lib/first-block.ts';
import { runFirstPage } from './lib/first-page.ts';
import { runGuideOfTypes } from './lib/generate-types.ts';
import { runNodeBundles } from './lib/node-bundles.ts';
import { manifest, readSubpaths } from './lib/package.ts';
import { findNode, oldestNode } from './lib/scratch.ts';
import { installTarball, npmInstall } from './lib/tarball.ts';
import { checkTypes } from './lib/type-check.ts';
import { findUncaughtFaults } from './lib/uncaught.ts';

const subpaths = readSubpaths();
const checks = new Checks('check:package');
const outputIfFailed = ({ ok, output }: { ok: boolean; output: string }) => (ok ? [] : [output]);

/** Imports and requires a subpath in a process of its own, which must end by itself. */
async function importInNode(folder: string, specifier: string): Promise<string[]> {
  const code = `
    import { createRequire } from 'node:module';
    const imported = await import('${specifier}');
    if (Object.keys(imported).length === 0) throw new Error('it exports nothing');
    const required = createRequire(process.cwd() + '/consumer.js')('${specifier}');
    for (const name in imported) if (required[name] !== imported[name]) throw new Error('require gives another ' + name);`;
  const args = ['--input-type=module', '--eval', code];
  const result = await exec(process.execPath, args, { cwd: folder, timeout: 20_000 });
  return outputIfFailed(result).map((output) => `${specifier}: ${output}`);
}

async function checkCommand(folder: string): Promise<string[]> {
  const [name = ''] = Object.keys(manifest.bin);
  const faults: string[] = [];
  for (const words of [[], ['mock'], ['permissions'], ['permissions', 'plan']]) {
    const args = ['--no-install', name, ...words, '--help'];
    const result = await exec('npx', args, { cwd: folder, timeout: 20_000 });
    const shown = [name, ...words].join(' ');
    if (!result.ok) faults.push(result.output);
    else if (!result.stdout.includes(shown)) faults.push(`--help of "${shown}" does not name it: ${result.output}`);
  }
  return faults;
}

/** README's blocks with the installed package, on the oldest Node and on this one. */
async function checkFirstPage(folder: string): Promise<string[]> {
  const markdown = await readFile(join(root, 'README.md'), 'utf8');
  const command = join(folder, 'node_modules', manifest.name, manifest.bin[manifest.name] ?? '');
  const nodes = [await findNode(oldestNode), process.execPath];
  const faults = nodes.flatMap((node, index) => [
    runFirstPage(markdown, { folder: join(folder, `page-${index}`), node, command }),
    runFirstBlock(join(folder, `block-${index}`), node),
  ]);
  return (await Promise.all(faults)).flat();
}

async function main(folder: string): Promise<void> {
  const missing = subpaths.filter(({ file }) => !existsSync(root + file));
  await checks.run('built', async () => missing.map(({ file }) => `${file} is missing (npm run build)`));
  if (missing.length > 0) return;
  let tarball = '';
  await checks.run('content and size of the tarball', async () => findContentFaults(await listContent()));
  await checks.run('npm pack, npm install of the tarball', async () => {
    tarball = await installTarball(folder);
    return [];
  });
  if (tarball === '') return;

  const importAll = async (which: typeof subpaths) =>
    (await Promise.all(which.map(({ specifier }) => importInNode(folder, specifier)))).flat();
  const [alone, withPeer] = [subpaths.filter(({ peer }) => !peer), subpaths.filter(({ peer }) => peer)];
  await checks.run(`import and require: ${alone.map((it) => it.specifier).join(', ')}`, () => importAll(alone));
  await checks.run('lines of uncaught errors', () => findUncaughtFaults(folder));
  const [command] = Object.values(manifest.bin);
  if (command !== undefined && existsSync(join(root, command))) {
    await checks.run('the command: --help', () => checkCommand(folder));
  }
  await checks.run(`the first page of README, on Node ${oldestNode} and ${process.versions.node}`, () =>
    checkFirstPage(folder),
  );
  await checks.run('browser bundle of the main entry', async () =>
    findUnwanted(await bundleForBrowser(`import * as all from '${manifest.name}'; globalThis.all = all;`, folder)),
  );

  await checks.run('bundles of esbuild, Vite, rollup and webpack', () => compareBundlers(folder));

  if (withPeer.length > 0) {
    // The types of some, as of React, are packages of their own.
    const names = new Set(withPeer.flatMap(({ peer = '' }) => [peer, `@types/${peer}`]));
    const peers = Object.entries(manifest.devDependencies).flatMap(([name, at]) =>
      names.has(name) ? `${name}@${at}` : [],
    );
    await checks.run(`npm install of optional peers: ${peers.join(', ')}`, async () => {
      await npmInstall(folder, ...peers);
      return [];
    });
    await checks.run(`import and require: ${withPeer.map((it) => it.specifier).join(', ')}`, () => importAll(withPeer));
  }
  for (const mode of ['nodenext', 'node20', 'bundler'] as const) {
    await checks.run(`types: module ${mode}, no skipLibCheck`, () => checkTypes(folder, mode, subpaths));
  }
  await checks.run('nodeTransport in bundles for Node: esbuild, rollup and webpack, both formats', async () => {
    await npmInstall(folder, `undici@${manifest.devDependencies.undici}`);
    return runNodeBundles(folder);
  });
  const oldest = Object.keys(manifest.dependencies).map((name) =>
    (manifest.devDependencies[`${name}-oldest`] ?? name).replace('npm:', ''),
  );
  await checks.run(`import, require and types: over ${oldest.join(', ')}`, async () => {
    await npmInstall(folder, ...oldest);
    return [await importAll(subpaths), await checkTypes(folder, 'nodenext', subpaths)].flat();
  });
  await checks.run('openapi-typescript in a folder of its own, beside TypeScript 7', async () =>
    runGuideOfTypes(await mkdtemp(join(folder, 'types-'))),
  );
  await checks.run('publint', async () =>
    outputIfFailed(await execBin('publint/src/cli.js', ['run', tarball, '--strict'])),
  );
  await checks.run('attw (esm-only)', async () =>
    outputIfFailed(
      await execBin('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-emoji']),
    ),
  );
  await checks.run('size-limit', async () => {
    const result = await execBin('size-limit/bin.js', []);
    if (result.ok) console.log(result.stdout.trimEnd());
    return outputIfFailed(result);
  });
}

const folder = await mkdtemp(join(tmpdir(), 'arango-services-package-'));
try {
  await main(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
checks.end();
