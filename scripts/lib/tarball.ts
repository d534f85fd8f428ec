import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { isPage, linkRepository, listContent } from './content.ts';
import { root, run } from './exec.ts';
import { manifest } from './package.ts';

/** Installs packages into a consumer's folder. Rejects with npm's own words. */
export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, ...packages], folder);
}

/**
 * Copies what npm would pack into a folder, each file with the mode that it has in every clone. Links of pages to what is
 * not packed lead to the repository.
 */
async function copyContent(folder: string): Promise<void> {
  const programs = new Set(Object.values(manifest.bin).map((file) => posix.normalize(file)));
  const packed = new Set((await listContent()).files.map(({ path }) => path));
  for (const path of packed) {
    const copy = join(folder, path);
    await mkdir(dirname(copy), { recursive: true });
    if (isPage.test(path)) {
      await writeFile(copy, linkRepository(path, await readFile(join(root, path), 'utf8'), packed));
    } else await copyFile(join(root, path), copy);
    await chmod(copy, programs.has(path) ? 0o755 : 0o644);
  }
}

/**
 * Packs the built package into a folder, and returns the tarball's path. Its bytes depend on the commit, Node and npm
 * only: npm writes the modes of the files into it, and these would depend on the umask of the clone. Rejects with npm's
 * own words.
 */
export async function packInto(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'arango-services-pack-'));
  try {
    await copyContent(copy);
    const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], copy);
    const tarball = /"filename": "([^"]+)"/.exec(packed)?.[1];
    if (tarball === undefined) throw new Error('npm pack named no file');
    return join(folder, tarball);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Packs the built package into a folder, unless scripts/check.ts has packed it. Returns the tarball's path. */
export const packTarball = async (folder: string): Promise<string> => process.env.TARBALL ?? packInto(folder);

/** Makes a folder a consumer that has the packed tarball and nothing else installed; gives the tarball's path. */
export async function installTarball(folder: string): Promise<string> {
  const tarball = await packTarball(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npmInstall(folder, tarball);
  return tarball;
}
