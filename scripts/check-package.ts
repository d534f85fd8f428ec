// What a user of the packed tarball meets: install, import, types, bundle, command, size. Exit 1 with what failed.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleForBrowser, findUnwanted } from './lib/bundle.ts';
import { compareBundlers } from './lib/bundlers.ts';
import { testDownstream } from './lib/downstream.ts';
import { exec, execBin, root } from './lib/exec.ts';
import { manifest, readSubpaths } from './lib/package.ts';
import { installTarball, npmInstall } from './lib/tarball.ts';
import { checkTypes } from './lib/type-check.ts';

const subpaths = readSubpaths();
const failures: string[] = [];

/** Runs one check, prints one line for it and keeps what it found. */
async function check(name: string, find: () => Promise<readonly string[]>): Promise<void> {
  const started = performance.now();
  const found = await find().catch((error: unknown) => [String(error)]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  failures.push(...found.map((problem) => `${name}: ${problem}`));
}

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
  const result = await exec('npx', ['--no-install', name, '--help'], { cwd: folder, timeout: 20_000 });
  if (!result.ok) return [result.output];
  return result.stdout.includes(name) ? [] : [`--help does not name the command: ${result.output}`];
}

async function main(folder: string): Promise<void> {
  const missing = subpaths.filter(({ file }) => !existsSync(root + file));
  if (missing.length > 0) {
    throw new Error(`not built: ${missing.map(({ file }) => file).join(', ')} (npm run build)`);
  }
  let tarball = '';
  await check('npm pack, npm install of the tarball', async () => {
    tarball = await installTarball(folder);
    return [];
  });
  if (tarball === '') return;

  const importAll = async (which: typeof subpaths) =>
    (await Promise.all(which.map(({ specifier }) => importInNode(folder, specifier)))).flat();
  const [alone, withPeer] = [subpaths.filter(({ peer }) => !peer), subpaths.filter(({ peer }) => peer)];
  await check(`import and require: ${alone.map((it) => it.specifier).join(', ')}`, () => importAll(alone));
  const [command] = Object.values(manifest.bin);
  if (command !== undefined && existsSync(join(root, command))) {
    await check('the command: --help', () => checkCommand(folder));
  }
  await check('browser bundle of the main entry', async () =>
    findUnwanted(await bundleForBrowser(`import * as all from '${manifest.name}'; globalThis.all = all;`, folder)),
  );

  await check('bundles of esbuild, Vite, rollup and webpack', () => compareBundlers(folder));

  if (withPeer.length > 0) {
    const peers = [...new Set(withPeer.map(({ peer }) => `${peer}@${manifest.devDependencies[peer ?? '']}`))];
    await check(`npm install of optional peers: ${peers.join(', ')}`, async () => {
      await npmInstall(folder, ...peers);
      return [];
    });
    await check(`import and require: ${withPeer.map((it) => it.specifier).join(', ')}`, () => importAll(withPeer));
  }
  for (const mode of ['nodenext', 'node20', 'bundler'] as const) {
    await check(`types: module ${mode}, no skipLibCheck`, () => checkTypes(folder, mode, subpaths));
  }
  await check('a project of its own tests against the mock (examples/downstream-tests)', () => testDownstream(tarball));
  await check('publint', async () => outputIfFailed(await execBin('publint/src/cli.js', ['run', tarball, '--strict'])));
  await check('attw (esm-only)', async () =>
    outputIfFailed(
      await execBin('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-emoji']),
    ),
  );
  await check('size-limit', async () => {
    const result = await execBin('size-limit/bin.js', []);
    if (result.ok) console.log(result.stdout.trimEnd());
    return outputIfFailed(result);
  });
}

const folder = await mkdtemp(join(tmpdir(), 'arango-services-package-'));
try {
  await main(folder);
} catch (error) {
  failures.push(String(error));
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (failures.length > 0) {
  console.error(`\ncheck:package failed:\n${failures.map((failure) => `- ${failure}`).join('\n')}`);
  process.exitCode = 1;
}
