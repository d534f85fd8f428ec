import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from './exec.ts';

/** Installs packages into a consumer's folder. Rejects with npm's own words. */
export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = await exec('npm', ['install', ...flags, ...packages], { cwd: folder });
  if (!installed.ok) throw new Error(installed.output);
}

/**
 * Packs the built package into a folder, unless scripts/check.ts has packed it. Returns the tarball's path, and rejects
 * with npm's own words.
 */
export async function packTarball(folder: string): Promise<string> {
  if (process.env.TARBALL !== undefined) return process.env.TARBALL;
  const packed = await exec('npm', ['pack', '--json', '--pack-destination', folder]);
  if (!packed.ok) throw new Error(packed.output);
  const tarball = /"filename": "([^"]+)"/.exec(packed.stdout)?.[1];
  if (tarball === undefined) throw new Error('npm pack named no file');
  return join(folder, tarball);
}

/** Makes a folder a consumer that has the packed tarball and nothing else installed; gives the tarball's path. */
export async function installTarball(folder: string): Promise<string> {
  const tarball = await packTarball(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npmInstall(folder, tarball);
  return tarball;
}
