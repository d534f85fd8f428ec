// Writes the SBOM of what an install of a packed tarball brings: `node scripts/sbom.ts <tarball> <file>`.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeSbom } from './lib/sbom.ts';

const [tarball, file, ...more] = process.argv.slice(2);
if (tarball === undefined || file === undefined || more.length > 0) {
  throw new Error('usage: node scripts/sbom.ts <tarball> <file>');
}
await writeFile(file, await makeSbom(resolve(tarball)));
