// Generates src/policy/pool/generated from proto/pool.proto (`npm run generate`). buf and its plugin are fetched for this
// alone. Only the encoded descriptor is kept of what they write: the codec is ours.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { exec, root } from './lib/exec.ts';

const out = 'src/policy/pool/generated';
const tools = ['@bufbuild/buf@1.75.0', '@bufbuild/protoc-gen-es@2.13.0'];
const template = JSON.stringify({
  version: 'v2',
  inputs: [{ directory: 'proto' }],
  plugins: [{ local: 'protoc-gen-es', out, opt: ['target=ts', 'import_extension=js', 'ts_nocheck=true'] }],
});

await rm(root + out, { recursive: true, force: true });
const packages = tools.map((tool) => `--package=${tool}`);
const command = ['exec', '--yes', ...packages, '--', 'buf', 'generate', '--template', template];
const { ok, output } = await exec('npm', command);
const [, descriptor] = ok
  ? ((await readFile(`${root}${out}/pool_pb.ts`, 'utf8')).match(/fileDesc\("([^"]+)"/) ?? [])
  : [];
if (descriptor === undefined) {
  console.error(output);
  process.exitCode = 1;
} else {
  await rm(`${root}${out}/pool_pb.ts`);
  const head = '// Written by `npm run generate` from proto/pool.proto, as protoc-gen-es encodes it.';
  await writeFile(`${root}${out}/descriptor.ts`, `${head}\nexport const descriptor =\n  '${descriptor}';\n`);
}
