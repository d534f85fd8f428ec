// Checks the types of the packed tarball under every supported TypeScript, with and without lib dom, in each
// resolution, with skipLibCheck off, files of CommonJS, which some versions refuse, and the declarations that a compiler
// writes of modules that use the package. Exits with 1 and the errors of the compilers.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emittedUsage } from './lib/emitted-usage.ts';
import { exec } from './lib/exec.ts';
import { manifest, readSubpaths } from './lib/package.ts';
import { reachUsage } from './lib/reach-usage.ts';
import { scratch } from './lib/scratch.ts';
import { installTarball, npmInstall } from './lib/tarball.ts';
import { importAll, usage, usageAtRunTime, usageInCommonJs, usageInRequire } from './lib/type-check.ts';

/** The lowest, the newest of each line since. README names the first. */
const versions = ['5.4.5', '5.9.3', '6.0.3', '7.0.2'] as const;
type Version = (typeof versions)[number];

/** TypeScript 6 finds `node10` deprecated, 7 has it no longer. */
const inNode10 = { module: 'commonjs', moduleResolution: 'node10' };
const resolutions = {
  node16: () => ({ module: 'node16' }),
  nodenext: () => ({ module: 'nodenext' }),
  bundler: () => ({ module: 'preserve', moduleResolution: 'bundler' }),
  node10: (version: Version) => {
    if (version.startsWith('7.')) return undefined;
    return version.startsWith('6.') ? { ...inNode10, ignoreDeprecations: '6.0' } : inNode10;
  },
} as const;
type Resolution = keyof typeof resolutions;

/** An application for the browser has no types of Node, a back end none of the browser. */
const surroundings = {
  dom: { lib: ['es2022', 'dom', 'dom.iterable'], types: [], files: ['usage.ts', 'anywhere.ts'] },
  'no dom': { lib: ['es2022'], types: ['node'], files: ['usage.ts', 'anywhere.ts', 'node.ts', 'reach.ts'] },
} as const;

/** The modes in which a file of CommonJS can import the package, and those that refuse it with TS1479. */
const inCommonJs = [
  ['5.4.5', 'node16', false],
  ['5.4.5', 'nodenext', false],
  ['5.4.5', 'preserve', true],
  ['5.7.3', 'nodenext', false],
  ['5.8.3', 'nodenext', true],
  ['7.0.2', 'node16', false],
  ['7.0.2', 'nodenext', true],
] as const;

const subpaths = readSubpaths();
const anywhere = subpaths.filter(({ nodeOnly, peer }) => !nodeOnly && peer === undefined);
const inNode = subpaths.filter(({ nodeOnly, peer }) => nodeOnly && peer === undefined);

async function compile(
  consumer: string,
  version: Version,
  surrounding: keyof typeof surroundings,
  resolution: Resolution,
): Promise<string | undefined> {
  const settings = resolutions[resolution](version);
  if (settings === undefined) return undefined;
  const { files, ...rest } = surroundings[surrounding];
  const config = {
    compilerOptions: {
      ...rest,
      ...settings,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    },
    files: files.map((file) => (resolution === 'node10' && file === 'usage.ts' ? 'usage-commonjs.ts' : file)),
  };
  const name = `tsconfig.${version}-${surrounding.replace(' ', '-')}-${resolution}.json`;
  await writeFile(join(consumer, name), JSON.stringify(config));
  const tsc = join(await scratch(`typescript@${version}`), 'node_modules/typescript/bin/tsc');
  const { ok, output } = await exec(process.execPath, [tsc, '-p', name, '--pretty', 'false'], { cwd: consumer });
  return ok ? '' : output;
}

/** Compiles two files of CommonJS. Returns the output, or '' if it is as expected. */
async function compileCommonJs(consumer: string, [version, module, compiles]: (typeof inCommonJs)[number]) {
  const tsc = join(await scratch(`typescript@${version}`), 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', '--strict', '--pretty', 'false', '--target', 'es2022', '--module', module];
  const files = ['require.cts', 'run-time.cts'];
  const { output } = await exec(process.execPath, [tsc, ...flags, '--types', 'node', ...files], { cwd: consumer });
  const expected = compiles ? /^$/ : /^require\.cts\(1,\d+\): error TS1479: [^\n]*(?:\n .*)*$/;
  return expected.test(output.trim()) ? '' : output || 'it compiles';
}

/** Writes the declarations of a module that imports one subpath. Returns the errors, or a path into dist. */
async function emit(consumer: string, version: Version, [subpath, code]: readonly [string, string]): Promise<string> {
  const tsc = join(await scratch(`typescript@${version}`), 'node_modules/typescript/bin/tsc');
  const name = `emitted-${subpath.replace('/', '-')}`;
  await writeFile(join(consumer, `${name}.mts`), code);
  const flags = '--declaration --emitDeclarationOnly --strict --pretty false --skipLibCheck --target es2022';
  const lib = 'es2022,dom,dom.iterable';
  const more = ['--module', 'nodenext', '--lib', lib, '--types', 'node', `${name}.mts`];
  const { ok, output } = await exec(process.execPath, [tsc, ...flags.split(' '), ...more], { cwd: consumer });
  if (!ok) return output;
  const paths = (await readFile(join(consumer, `${name}.d.mts`), 'utf8')).match(/.*\bdist\/.*/g);
  return paths?.join('\n') ?? '';
}

const wanted = process.argv.slice(2);
const consumer = await mkdtemp(join(tmpdir(), 'arango-services-types-'));
const started = performance.now();
let failures = 0;
function report(name: string, output: string): void {
  if (output !== '') failures += 1;
  console.log(`${output === '' ? 'ok  ' : 'FAIL'} ${name}`);
  if (output !== '') console.log(output.replace(/^/gm, '     '));
}
try {
  await installTarball(consumer);
  await npmInstall(consumer, ...['@types/node', 'undici'].map((name) => `${name}@${manifest.devDependencies[name]}`));
  await writeFile(join(consumer, 'usage.ts'), usage);
  await writeFile(join(consumer, 'usage-commonjs.ts'), usageInCommonJs);
  await writeFile(join(consumer, 'anywhere.ts'), importAll(anywhere));
  await writeFile(join(consumer, 'node.ts'), importAll(inNode));
  await writeFile(join(consumer, 'reach.ts'), reachUsage);
  await writeFile(join(consumer, 'require.cts'), usageInRequire);
  await writeFile(join(consumer, 'run-time.cts'), usageAtRunTime);
  for (const version of versions.filter((one) => wanted.length === 0 || wanted.includes(one))) {
    for (const surrounding of ['dom', 'no dom'] as const) {
      for (const resolution of ['node16', 'nodenext', 'bundler', 'node10'] as const) {
        const output = await compile(consumer, version, surrounding, resolution);
        if (output !== undefined) report(`TypeScript ${version}, ${surrounding}, ${resolution}`, output);
      }
    }
  }
  for (const version of [versions[0], versions[3]].filter((one) => wanted.length === 0 || wanted.includes(one))) {
    for (const module of Object.entries(emittedUsage)) {
      report(`TypeScript ${version}, declarations, ${module[0]}`, await emit(consumer, version, module));
    }
  }
  for (const row of inCommonJs.filter(([version]) => wanted.length === 0 || wanted.includes(version))) {
    const [version, module, compiles] = row;
    const name = `TypeScript ${version}, CommonJS, ${module}${compiles ? '' : ' (TS1479)'}`;
    report(name, await compileCommonJs(consumer, row));
  }
} finally {
  await rm(consumer, { recursive: true, force: true });
}
console.log(`types: ${((performance.now() - started) / 1000).toFixed(0)} s`);
process.exitCode = failures === 0 ? 0 : 1;
