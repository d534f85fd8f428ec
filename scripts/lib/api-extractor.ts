import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './exec.ts';
import type { Subpath } from './package.ts';
import { scratch } from './scratch.ts';

// API Extractor reads types by the JavaScript API of TypeScript, which TypeScript 7 does not have. So it comes with a
// compiler of its own, outside the lock, as typedoc does.
const tool = '@microsoft/api-extractor@7.60.1';

/** The part of API Extractor that is used here. */
interface ApiExtractor {
  readonly ExtractorConfig: { prepare(options: object): unknown };
  readonly CompilerState: { create(config: unknown, options: object): unknown };
  readonly Extractor: { invoke(config: unknown, options: object): unknown };
}

interface ExtractorMessage {
  readonly logLevel: string;
  readonly category: string;
  readonly text: string;
  handled: boolean;
}

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/** Copies the built types with spaces for tabs, which API Extractor indents by, and returns the folder of the copy. */
async function copyTypes(folder: string): Promise<string> {
  for (const file of globSync('dist/**/*.d.ts', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(
      join(folder, file),
      text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length)),
    );
  }
  return folder;
}

/** The configuration of API Extractor for one entry: a report, and nothing else. */
const configOf = (folder: string, entry: string, entries: readonly string[]) => ({
  configObject: {
    projectFolder: root,
    mainEntryPointFilePath: entry,
    newlineKind: 'lf',
    compiler: { overrideTsconfig: { compilerOptions, files: entries } },
    apiReport: {
      enabled: true,
      reportFileName: 'report',
      reportFolder: folder,
      reportTempFolder: join(folder, 'temp'),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      // They name lines of chunks, whose names change with each build; test/shipped-types.test.ts finds types that no
      // subpath exports.
      extractorMessageReporting: { default: { logLevel: 'none' } },
      tsdocMessageReporting: { default: { logLevel: 'none' } },
    },
  },
  configObjectFullPath: undefined,
  packageJsonFullPath: join(root, 'package.json'),
});

/** Runs API Extractor over the built types of subpaths: its reports by their specifiers. Rejects with its errors. */
export async function extractReports(subpaths: readonly Subpath[]): Promise<Map<string, string>> {
  const folder = join(root, 'reports/api');
  await rm(folder, { recursive: true, force: true });
  const installed = join(await scratch(tool), 'node_modules/@microsoft/api-extractor/lib-commonjs/index.js');
  // The cast: its exports, as the pinned release has them.
  const { ExtractorConfig, CompilerState, Extractor } = (await import(pathToFileURL(installed).href))
    .default as ApiExtractor;
  const copy = await copyTypes(join(folder, 'types'));
  const entryOf = ({ file }: Subpath) => join(copy, file.replace(/\.js$/, '.d.ts'));
  const entries = subpaths.map(entryOf);
  // One program for all entries takes a fifth of the time.
  let compilerState: unknown;
  const reports = new Map<string, string>();
  for (const subpath of subpaths) {
    const config = ExtractorConfig.prepare(configOf(folder, entryOf(subpath), entries));
    compilerState ??= CompilerState.create(config, { additionalEntryPoints: entries });
    const problems: string[] = [];
    const messageCallback = (message: ExtractorMessage): void => {
      if (message.category === 'Compiler' || message.logLevel === 'error') problems.push(message.text);
      message.handled = true;
    };
    Extractor.invoke(config, { localBuild: true, compilerState, messageCallback });
    if (problems.length > 0) throw new Error(`${subpath.specifier}: ${problems.join('\n')}`);
    const file = join(folder, 'report.api.md');
    reports.set(subpath.specifier, await readFile(file, 'utf8'));
    await rm(file);
  }
  return reports;
}
