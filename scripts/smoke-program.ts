// Writes the smoke program of test/runtimes beside a packed tarball (`node scripts/smoke-program.ts <folder>`): after
// `npm install` there, `node run.mjs` runs it on any system and Node, without this repository.
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { root } from './lib/exec.ts';
import { manifest, testedPeers } from './lib/package.ts';
import { bundleProgram } from './runtimes/bundles.ts';

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || more.length > 0) throw new Error('usage: node scripts/smoke-program.ts <folder>');

const out = resolve(folder);
const tarball = (await readdir(out)).find((file) => file.endsWith('.tgz'));
if (tarball === undefined) throw new Error(`${out} has no tarball: run node scripts/pack.ts ${folder} before`);
const dependencies = { [manifest.name]: `file:${tarball}`, ...Object.fromEntries(testedPeers) };
await writeFile(join(out, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }, null, 2));
await bundleProgram('process', out);
await build({
  entryPoints: [join(root, 'scripts/runtimes/run-process.ts')],
  outfile: join(out, 'run.mjs'),
  format: 'esm',
  platform: 'node',
  target: 'es2022',
});
