import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exec } from './exec.ts';

/** The folder of scratch installs, by package and version. */
export const scratchFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'arango-services',
  'scratch',
);

const tries = 3;

/**
 * Installs packages that this one does not depend on (a runtime, a compiler) outside its lock, once for each list of
 * versions; gives the folder whose `node_modules` holds them. No install script runs. Rejects with npm's words after
 * three tries.
 */
export async function scratch(...specs: readonly string[]): Promise<string> {
  const folder = join(scratchFolder, specs.join('+').replaceAll('/', '_'));
  if (existsSync(folder)) return folder;
  await mkdir(scratchFolder, { recursive: true });
  // Under another name until it is complete, so that an interrupted run leaves nothing half done.
  const fresh = await mkdtemp(join(scratchFolder, '.new-'));
  await writeFile(join(fresh, 'package.json'), '{ "private": true }');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  for (let left = tries; ; left -= 1) {
    const { ok, output } = await exec('npm', ['install', ...flags, ...specs], { cwd: fresh, timeout: 300_000 });
    if (ok) break;
    if (left === 1) {
      await rm(fresh, { recursive: true, force: true });
      throw new Error(`npm install ${specs.join(' ')} failed ${tries} times: ${output.slice(-500)}`);
    }
  }
  // Another run may have been faster.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}

/** The oldest Node that the package promises to run on. */
export const oldestNode = '22.12.0';

/** Installs a program that an npm package brings, without its install script, and returns the program's path. */
export const findPackaged = async (name: string, version: string, file: string): Promise<string> =>
  join(await scratch(`${name}@${version}`), 'node_modules', name, file);

/** Installs a release of Node and returns the program's path. */
export const findNode = (version: string): Promise<string> =>
  findPackaged(`node-${process.platform}-${process.arch}`, version, 'bin/node');
