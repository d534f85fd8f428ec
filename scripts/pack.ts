// Packs the built package into a folder (`node scripts/pack.ts out`) and prints its SHA-256: two builds of one commit
// have one digest, in any folder and with any umask.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { packInto } from './lib/tarball.ts';

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || more.length > 0) throw new Error('usage: node scripts/pack.ts <folder>');

await mkdir(folder, { recursive: true });
const tarball = await packInto(resolve(folder));
const digest = createHash('sha256')
  .update(await readFile(tarball))
  .digest('hex');
console.log(`${digest}  ${basename(tarball)}`);
