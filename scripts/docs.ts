// Writes the reference of every exported name into docs/api (`npm run docs`), from the types that were built. Exit 1
// for any warning: a name without a summary, a link that leads nowhere, a type that is named and not exported.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exec, root } from './lib/exec.ts';
import { readSubpaths } from './lib/package.ts';
import { scratch } from './lib/scratch.ts';

// typedoc reads types by the JavaScript API of TypeScript, which TypeScript 7 does not have. So it comes with a
// compiler of its own, outside the lock, as the compilers of check:types do.
const tools = ['typedoc@0.28.20', 'typedoc-plugin-markdown@4.14.1', 'typescript@6.0.3'];

const installed = join(await scratch(...tools), 'node_modules');
const folder = join(root, 'reports/docs');
await rm(folder, { recursive: true, force: true });
const entries = readSubpaths().map(({ specifier, file }) => ({ path: join(folder, `${specifier}.ts`), file }));
for (const { path, file } of entries) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `export * from '${join(root, file)}';\n`);
}
// A field with a self-explanatory name needs no docstring.
const kinds = ['Class', 'Function', 'Interface', 'Method', 'Accessor', 'TypeAlias', 'Variable'];
const options = {
  entryPoints: entries.map(({ path }) => path),
  basePath: folder,
  out: join(root, 'docs/api'),
  plugin: [join(installed, 'typedoc-plugin-markdown/dist/index.js')],
  name: 'arango-services',
  readme: 'none',
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  treatWarningsAsErrors: true,
  validation: {
    // test/shipped-types.test.ts says which types need no name.
    notExported: false,
    invalidLink: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  requiredToBeDocumented: kinds,
  // Constants that exported types are made of.
  intentionallyNotExported: ['faultReaders', 'poolMethods', 'lintRules', 'storeNames', 'database', 'integration'],
  tsconfig: join(folder, 'tsconfig.json'),
};
const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
};
const tsconfig = {
  compilerOptions: { ...compilerOptions, strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
};
await writeFile(options.tsconfig, JSON.stringify({ ...tsconfig, files: options.entryPoints }));
await writeFile(join(folder, 'typedoc.json'), JSON.stringify(options));
const typedoc = join(installed, 'typedoc/bin/typedoc');
const { ok, output } = await exec(process.execPath, [typedoc, '--options', join(folder, 'typedoc.json')], {
  cwd: root,
});
console.log(output);
if (!ok) process.exitCode = 1;
